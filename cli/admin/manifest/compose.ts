// A file for `docker compose`: all instances of a system as containers in one network.

import type { System } from "../../../runtime/system/system.js";
import {
  descriptorWith,
  type Manifests,
  type PlacedInstance,
  placeInstances,
  platformName,
  STOP_SECONDS,
  serveWords,
  toYaml,
} from "./placement.js";

export function compose(system: System): Manifests {
  const placed = placeInstances(system);
  const names = new Map(placed.map(({ plan, name }) => [plan.id, name]));
  const services = placed.map((instance) => [instance.name, createService(system, instance)]);
  const volumes = placed.filter(({ hasData }) => hasData).map(({ name }) => [`${name}-data`, {}]);
  const file = {
    name: platformName(system.name),
    services: Object.fromEntries(services),
    configs: { system: { file: "./system.json" } },
    ...(volumes.length > 0 && { volumes: Object.fromEntries(volumes) }),
  };
  return new Map([
    ["compose.yaml", toYaml(file)],
    ["system.json", `${descriptorWith(system, (id) => ({ host: names.get(id)! }))}\n`],
  ]);
}

function createService(system: System, placed: PlacedInstance): object {
  const { plan, name, maxFiles, hasData } = placed;
  const { port, isBackEnd } = plan;
  return {
    image: `${platformName(system.name)}:latest`,
    command: [
      "node",
      "serve.mjs",
      ...serveWords(placed.plan.id, "/etc/svc/system.json", "/app/data"),
    ],
    restart: "always",
    stop_grace_period: `${STOP_SECONDS}s`,
    // Secrets, such as SVC_ADMIN_KEY and SVC_TX_KEY.
    env_file: [{ path: ".env", required: false }],
    configs: [{ source: "system", target: "/etc/svc/system.json" }],
    ...(!isBackEnd && { ports: [`${port}:${port}`] }),
    ...(hasData && { volumes: [`${name}-data:/app/data`] }),
    healthcheck: {
      test: ["CMD", "node", "-e", createProbe(placed)],
      interval: "10s",
      timeout: "3s",
      start_period: "10s",
    },
    ulimits: { nofile: maxFiles },
  };
}

/** Probes liveness on the admin port, which also responds while the instance is out of service. */
function createProbe({ plan, probe }: PlacedInstance): string {
  const port = plan.port + 1;
  if (probe === "tcp") {
    const events = '.on("connect", () => process.exit(0)).on("error", () => process.exit(1))';
    return `require("net").connect(${port}, "127.0.0.1")${events}`;
  }
  if (probe === "https") {
    // The probe connects to 127.0.0.1, which the certificate of the instance does not name.
    const options = `{ port: ${port}, path: "/svc/ping", rejectUnauthorized: false }`;
    const end = "({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)";
    return `require("https").get(${options}, ${end}).on("error", () => process.exit(1))`;
  }
  const url = `http://127.0.0.1:${port}/svc/ping`;
  return `fetch("${url}").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
}
