// Authentication of library programs: handlers as JavaScript modules, access of added plugins.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { buildProject } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import type { PluginRequest } from "svc-server";

/** @plugin @public */
export function open(request: PluginRequest): number {
  return 1;
}

/** @plugin @scope orders:write */
export function order(request: PluginRequest): number {
  return 2;
}
`;
const PROGRAM = `
import { loadPlugins, system } from "svc-server";

const auth = ["auth.mjs#keys"];
await system.initialize("shop", { http: 0, ip: "127.0.0.1", auth });
for (const plugin of await loadPlugins()) system.addPlugin(plugin);
system.addPlugin((request) => request.principal?.name ?? null, { name: "whoami" });
system.addPlugin((request) => 3, { name: "free", access: { public: true } });
system.addPlugin((request) => 4, { name: "limited", access: { scopes: ["a"] } });
let refused = "";
try {
  system.addPlugin((request) => 5, { name: "wrong", access: { scopes: "a" } });
} catch (error) {
  refused = error.name;
}
const { base } = system.serverPorts();
const status = async (path, token) => {
  const headers = token === undefined ? {} : { authorization: \`Bearer \${token}\` };
  const answer = await fetch(\`http://127.0.0.1:\${base}/svc/\${path}\`, { headers });
  const { response } = await answer.json();
  return answer.status === 200 ? response : answer.status;
};
const names = ["open", "order", "whoami", "free", "limited"].map((name) => \`plugin/\${name}\`);
const all = (token) => Promise.all(names.map((name) => status(name, token)));
const { service } = await status("builtin/argspec?format=schema", "k");
const closed = await status("status");
const found = { none: await all(), key: await all("k"), wrong: await all("x") };
console.log(JSON.stringify({ ...found, closed, refused, service }));
await system.unload();
const codeFor = (reference) =>
  system.initialize("shop", { http: 0, auth: reference }).catch(({ code }) => code);
const missing = await codeFor("none.mjs#keys");
console.log(missing, await codeFor("../x.mjs#keys"));
process.exit();
`;

const test = suite("authentication of library programs");

test("covers added plugins and services", async () => {
  const project = new TemporaryProject({
    "plugins/p.ts": PLUGINS,
    "program.mjs": PROGRAM,
    "auth.mjs": `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`,
    "keys.json": JSON.stringify([
      { sha256: createHash("sha256").update("k").digest("hex"), name: "ann", scopes: ["a"] },
    ]),
  });
  await buildProject(project.folder);
  const options = { cwd: project.folder, encoding: "utf8", timeout: 50_000 } as const;
  const { stdout, stderr } = spawnSync(plainNode(), ["program.mjs"], options);
  project.remove();
  const [first = "", second] = stdout.trim().split("\n");
  assert.ok(first.startsWith("{"), stdout + stderr);
  const { none, key, wrong, closed, refused, service } = JSON.parse(first);
  assert.equal(none, [1, 401, 401, 3, 401]);
  assert.equal(wrong, none);
  assert.equal(key, [1, 403, "ann", 3, 4]);
  assert.is(closed, 401);
  assert.is(refused, "TypeError");
  assert.is(service.authenticated, true);
  assert.is(second, "SVC2208 SVC2205");
});

test.run();
