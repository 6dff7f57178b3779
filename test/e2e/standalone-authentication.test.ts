// A standalone build with `auth`: it has its handlers, and keys of the folder that serves.
// limit: 60 s

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { get, type Served, started, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const sha256 = (key: string) => createHash("sha256").update(key).digest("hex");
const keysOf = (key: string) => JSON.stringify([{ sha256: sha256(key), name: key }]);

const test = suite("standalone authentication");
const folder = join(mkdtempSync(join(tmpdir(), "svc-standalone-")), "out");
const project = new TemporaryProject({
  "src/auth.ts": `import { apiKeys } from "svc-server";

export const keys = apiKeys({ file: "keys.json" });
`,
  "plugins/p.ts": `import type { PluginRequest } from "svc-server";

/** @plugin */
export function who(request: PluginRequest): string {
  return JSON.stringify(request.principal);
}
`,
  "keys.json": keysOf("k-project"),
  "svc.config.ts": 'export default { auth: "src/auth.ts#keys" };\n',
});
let served: Served;

test.before(async () => {
  await svc("build", project.folder, "--standalone", folder);
  writeFileSync(join(folder, "keys.json"), keysOf("k-1"));
  served = await started([join(folder, "serve.mjs"), "--port", "0"]);
});
test.after(async () => {
  await served?.stop();
  project.remove();
  rmSync(join(folder, ".."), { recursive: true });
});

const ask = (key: string) =>
  get(served.port, "/svc/plugin/who", { headers: { authorization: `Bearer ${key}` } });

test("covers plugins, and reads the keys again when they change", async () => {
  assert.is((await get(served.port, "/svc/plugin/who")).status, 401);
  assert.is((await ask("k-project")).status, 401);
  assert.is((await ask("k-1")).json.response, '{"name":"k-1"}');
  writeFileSync(join(folder, "keys.json"), keysOf("k-2"));
  while ((await ask("k-2")).status === 401) await new Promise((done) => setTimeout(done, 100));
  assert.is((await ask("k-1")).status, 401);
});

test.run();
