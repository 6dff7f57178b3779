// `svc admin manifest`: the files of each platform for the system of eight nodes, validated by the
// platform's tool if it is installed.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compose } from "../../../cli/admin/manifest/compose.js";
import { kubernetes } from "../../../cli/admin/manifest/kubernetes.js";
import { nomad } from "../../../cli/admin/manifest/nomad.js";
import { type Manifests, placeInstances, toYaml } from "../../../cli/admin/manifest/placement.js";
import { systemd } from "../../../cli/admin/manifest/systemd.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { matchesGolden } from "../../golden/golden.js";
import { eightNodes } from "../../runtime/system/eight-nodes.js";

const test = suite("manifests");
const system = readDescriptor(eightNodes());

function written(files: Manifests): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-manifest-"));
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Diagnostics of a tool; null if it is not installed. */
function asked(files: Manifests, command: string, ...words: readonly string[]): string | null {
  const cwd = written(files);
  try {
    if (spawnSync(command, ["--version"]).status !== 0) return null;
    const { status, stderr } = spawnSync(command, words, { cwd, encoding: "utf8" });
    return status === 0 ? "" : stderr;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

for (const [name, make] of Object.entries({ systemd, kubernetes, nomad, compose })) {
  test(`${name}: matches the golden files`, () => {
    const files = make(system);
    const text = [...files].map(([file, content]) => `# ${file}\n${content}`).join("\n");
    matchesGolden(`manifests/${name}.txt`, text);
    assert.equal([...make(system)], [...files]);
  });
}

test("separate liveness from health, which an operator can change", () => {
  const text = kubernetes(system).get("system.yaml")!;
  const probes = [...text.matchAll(/(\w+)Probe:\n\s+httpGet:\n\s+path: (\S+)\n\s+port: (\w+)/g)];
  const seen = new Set(probes.map(([, probe, path, port]) => `${probe} ${path} ${port}`));
  assert.equal([...seen].sort(), [
    "liveness /svc/ping admin",
    "readiness /svc/hc main",
    "startup /svc/ping admin",
  ]);
});

test("probe health by TLS, or by a connection if client certificates are required", () => {
  const told = (tls: unknown) => {
    const secured = readDescriptor({ ...eightNodes(), tls });
    return [kubernetes, nomad, compose].map((make) => [...make(secured).values()].join("\n"));
  };
  const [pods, jobs, services] = told(true) as [string, string, string];
  assert.match(pods, /httpGet:\n\s+path: \S+\n\s+port: admin\n\s+scheme: HTTPS/);
  assert.match(jobs, /path = "\/svc\/ping"\n\s+protocol = "https"\n\s+tls_skip_verify = true/);
  assert.match(services, 'require("https").get({ port: 9001');
  const shown = told({ cert: "client.pem", key: "client-key.pem" }) as [string, string, string];
  assert.match(shown[0], /livenessProbe:\n\s+tcpSocket:\n\s+port: admin/);
  assert.match(shown[1], /type = "tcp"\n\s+port = "admin"/);
  assert.match(shown[2], 'require("net").connect(9001');
  for (const text of shown) assert.not(/httpGet|\/svc\/ping/.test(text));
});

test("report names that a platform cannot distinguish", () => {
  const instances = { "S1.1": { hport: 9000 }, "s1-1": { hport: 9010 } };
  try {
    placeInstances(readDescriptor({ instances }));
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC2810");
    assert.is((error as Error).message, "S1.1 and s1-1 would both get the name s1-1");
  }
});

test("escape strings of users", () => {
  const name = `x\n- "y": ${"$"}{z} %{w} #`;
  const given = { name, instances: { G1: { hport: 9000, host: "on" } } };
  const odd = readDescriptor(given);
  assert.not(systemd(odd).get("on/svc.target")!.includes("\n-"));
  assert.match(nomad(odd).get("system.nomad.hcl")!, /value = "on"/);
  const values = {
    a: name,
    t: "{\n  x\n}",
    b: "yes",
    c: "1",
    d: [],
    e: {},
    "f: g": [{ h: [1, null] }],
  };
  const text = toYaml(values);
  assert.is(
    text,
    [
      ...`a: |-\n${name}`.split("\n").map((line, at) => (at === 0 ? line : `  ${line}`)),
      ..."t: |-,  {,    x,  }".split(","),
      ...['b: "yes"', 'c: "1"', "d: []", "e: {}", '"f: g":', "  - h:", "      - 1", "      - null"],
      "",
    ].join("\n"),
  );
});

test("are accepted by systemd", () => {
  const files = systemd(system);
  const unit = new Map([["svc@S1.1.service", files.get("svc@.service")!]]);
  const said = asked(unit, "systemd-analyze", "verify", "--man=no", "./svc@S1.1.service");
  assert.is(said ?? "", "");
});

test("are accepted by docker compose", () => {
  const probe = spawnSync("docker", ["compose", "version"]);
  if (probe.status !== 0) return;
  assert.is(asked(compose(system), "docker", "compose", "config", "--quiet") ?? "", "");
});

test.run();
