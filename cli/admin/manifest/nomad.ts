// A Nomad job: a group for each instance, on the host and ports of the descriptor.

import { isIP } from "node:net";
import type { System } from "../../../runtime/system/system.js";
import {
  type Manifests,
  type PlacedInstance,
  placeInstances,
  platformName,
  STOP_SECONDS,
  serveWords,
} from "./placement.js";

export function nomad(system: System): Manifests {
  const job = platformName(system.name);
  const groups = placeInstances(system).map((placed) => createGroup(job, placed));
  const descriptor = `${JSON.stringify(system.descriptor, null, 2)}\n`;
  const lines = [`job ${quoted(job)} {`, '  type = "service"', ...groups.flat(), "}"];
  return new Map([
    ["system.nomad.hcl", `${lines.join("\n")}\n`],
    ["system.json", descriptor],
  ]);
}

function createGroup(job: string, placed: PlacedInstance): string[] {
  const { plan, name, maxFiles, hasData } = placed;
  const { host, port, txPort } = plan;
  const where = isIP(host) === 0 ? "attr.unique.hostname" : "attr.unique.network.ip-address";
  const ports = { main: port, admin: port + 1, ...(txPort > 0 && { stream: txPort }) };
  const words = serveWords(placed.plan.id, "/local/system.json", "/alloc/data");
  const disk = hasData ? ["    ephemeral_disk { sticky = true }"] : [];
  return [
    "",
    `  group ${quoted(name)} {`,
    "    constraint {",
    `      attribute = "\${${where}}"`,
    `      value = ${quoted(host)}`,
    "    }",
    ...disk,
    "    network {",
    ...Object.entries(ports).map(([label, at]) => `      port "${label}" { static = ${at} }`),
    "    }",
    '    restart { mode = "delay" }',
    '    task "svc" {',
    '      driver = "docker"',
    "      config {",
    `        image = ${quoted(`${job}:latest`)}`,
    '        network_mode = "host"',
    `        args = ${JSON.stringify(["node", "serve.mjs", ...words].map(escaped))}`,
    `        ulimit { nofile = "${maxFiles}:${maxFiles}" }`,
    "      }",
    `      kill_timeout = "${STOP_SECONDS}s"`,
    "      template {",
    '        data = file("system.json")',
    '        destination = "local/system.json"',
    '        left_delimiter = "[[["',
    '        right_delimiter = "]]]"',
    "      }",
    ...service(name, placed.probe),
    "    }",
    "  }",
  ];
}

/** Checks liveness on the admin port, and readiness on the main port. */
function service(name: string, probe: PlacedInstance["probe"]): string[] {
  // The probe cannot verify the host name in an instance's certificate.
  const secure = ['          protocol = "https"', "          tls_skip_verify = true"];
  const check = (label: string, path: string, port: string) => [
    "        check {",
    `          name = "${label}"`,
    `          type = "${probe === "tcp" ? "tcp" : "http"}"`,
    ...(probe === "tcp" ? [] : [`          path = "${path}"`]),
    ...(probe === "https" ? secure : []),
    `          port = "${port}"`,
    '          interval = "5s"',
    '          timeout = "3s"',
    "        }",
  ];
  return [
    "      service {",
    `        name = ${quoted(name)}`,
    '        port = "main"',
    '        provider = "nomad"',
    ...check("alive", "/svc/ping", "admin"),
    ...check("ready", "/svc/hc", "main"),
    "      }",
  ];
}

/** Returns an HCL string without template sequences. */
function quoted(text: string): string {
  return JSON.stringify(escaped(text));
}

function escaped(text: string): string {
  return text.replaceAll("${", "$${").replaceAll("%{", "%%{");
}
