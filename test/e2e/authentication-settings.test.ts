// Handlers that cannot be loaded end the start, and `http.builtins` closes built-in plugins.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { buildProject, get, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGIN = `import type { PluginRequest } from "svc-server";

/** @plugin */
export function one(request: PluginRequest): number {
  return 1;
}
`;
const BUILTIN = "/svc/builtin/argspec";
const FORWARDED = { headers: { "x-forwarded-for": "203.0.113.9" } };

const start = suite("handlers that cannot be loaded");

for (const [why, source] of [
  ["no function", "export const auth = 1;\n"],
  ["code that throws", 'export const auth = () => null;\nthrow new Error("no");\n'],
] as const) {
  start(`end the start: ${why}`, async () => {
    const project = new TemporaryProject({
      "plugins/p.ts": PLUGIN,
      "src/auth.ts": source,
      "svc.config.ts": 'export default { auth: "src/auth.ts#auth" };\n',
    });
    await buildProject(project.folder);
    const failure = await serve(project.folder).then(() => "", String);
    project.remove();
    assert.match(failure, "SVC2208");
  });
}
start.run();

const admin = suite('http.builtins: "admin"');
const closed = new RunningProject(admin, {
  "plugins/p.ts": PLUGIN,
  "svc.config.ts": 'export default { http: { builtins: "admin" } };\n',
});
admin("closes built-in plugins on the main port only", async () => {
  const { port } = closed.server;
  const refused = await get(port, BUILTIN);
  assert.is(refused.status, 403);
  assert.match(refused.text, "http.builtins");
  assert.is((await get(port, "/svc/plugin/one")).status, 200);
  assert.is.not((await get(port + 1, BUILTIN)).status, 403);
});
admin.run();

const trusted = suite('http.builtins: "trusted"');
const limited = new RunningProject(trusted, {
  "plugins/p.ts": PLUGIN,
  "svc.config.ts": 'export default { http: { builtins: "trusted" } };\n',
});
trusted("closes built-in plugins to untrusted clients", async () => {
  const { port } = limited.server;
  assert.is.not((await get(port, BUILTIN)).status, 403);
  assert.is((await get(port, BUILTIN, FORWARDED)).status, 403);
  assert.is((await get(port, "/svc/plugin/one", FORWARDED)).status, 200);
});
trusted.run();
