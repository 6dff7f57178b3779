// `svc-server/testing` as a project uses it: a program that asks a service within its own process.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { plainNode } from "../runner/node-command.mjs";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { D_OUT, type Graph, HttpError, type int, type PluginRequest, type str }
  from "svc-server";

let aborts = 0;

/** Doubles. @plugin */
export function double(_request: PluginRequest, n: int = 21): number {
  return n * 2;
}

/** Refuses. @plugin */
export function missing(_request: PluginRequest): number {
  throw new HttpError(404, "no such product");
}

/** Counts a purchase. @plugin @graph shop */
export function buy(_request: PluginRequest, graph: Graph, user: str, item: str): number {
  return graph.count(user, "bought", item);
}

/** How much was bought. @plugin @graph shop */
export function bought(_request: PluginRequest, graph: Graph, user: str): number {
  return graph.degree(user, ["bought", D_OUT]);
}

/** Counts. @plugin */
export async function* count(_request: PluginRequest, to: int): AsyncGenerator<number> {
  for (let n = 1; n <= to; n++) yield n;
}

/** Waits for its client to go. @plugin */
export async function wait(request: PluginRequest): Promise<null> {
  const { signal } = request;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  aborts++;
  return null;
}

/** How often clients have gone. @plugin */
export function gone(_request: PluginRequest): number {
  return aborts;
}

/** Bytes of a body. @plugin @content bytes */
export function size(_request: PluginRequest, content: Uint8Array): number {
  return content.length;
}
`;

const test = suite<{ project: TemporaryProject }>("testing");
test.before.each((context) => {
  const types = '{ "compilerOptions": { "lib": ["es2023", "dom"], "types": [] } }';
  context.project = new TemporaryProject({ "plugins/shop.ts": PLUGINS, "tsconfig.json": types });
});
test.after.each(({ project }) => project.remove());

/** Runs a program in the folder of the project; what it has printed. */
function run(project: TemporaryProject, program: string): string {
  project.write(
    "program.mjs",
    `import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { testService } from "svc-server/testing";
${program}
console.log("done");`,
  );
  const options = { cwd: project.folder, encoding: "utf8", timeout: 50_000 } as const;
  const { stdout, stderr } = spawnSync(plainNode(), ["program.mjs"], options);
  return stdout + stderr;
}

test("calls, errors, graphs and streams are as over sockets", ({ project }) => {
  const output = run(
    project,
    `const service = await testService();
assert.equal(await service.call("double"), 42);
assert.equal(await service.call("double", { n: 4 }), 8);
for (const [name, params, status] of [
  ["double", { n: "x" }, 400],
  ["missing", {}, 404],
]) {
  const error = await service.call(name, params).catch((thrown) => thrown);
  assert.equal(error.name, "SvcError");
  assert.equal(error.status, status);
}
await assert.rejects(service.call("dobule"), /no plugin dobule.*double/);
await service.call("buy", { user: "ann", item: "tea" });
await service.call("buy", { user: "ann", item: "cup" });
assert.equal(await service.call("bought", { user: "ann" }), 2);
const stream = await service.fetch("/svc/plugin/count?to=3");
assert.equal(await stream.text(), "1\\n2\\n3\\n");
assert.equal((await service.fetch("/svc/plugin/double", { method: "DELETE" })).status, 405);
assert.equal((await service.fetch("/none")).status, 404);
const large = await service.fetch("/svc/plugin/size", { method: "POST", body: Buffer.alloc(2e5) });
assert.equal((await large.json()).response, 2e5);
const zipped = await service.fetch("/svc/builtin/argspec?format=openapi");
assert.equal(zipped.status, 200);
assert.equal(await (await service.fetchAdmin("/svc/hc")).text(), "SVC/3");
await service.close();
await assert.rejects(service.fetch("/svc/hc"), /the service has ended/);`,
  );
  assert.is(output, "done\n");
});

test("who goes away is noticed by the plugin", ({ project }) => {
  const output = run(
    project,
    `const service = await testService();
const control = new AbortController();
const asked = service.fetch("/svc/plugin/wait", { signal: control.signal });
await service.call("double");
control.abort();
await assert.rejects(asked, { name: "AbortError" });
while ((await service.call("gone")) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
await service.close();`,
  );
  assert.is(output, "done\n");
});

test("one follows the other with data of its own, and leaves nothing behind", ({ project }) => {
  const output = run(
    project,
    `import { tmpdir } from "node:os";
import { mkdtempSync } from "node:fs";
process.env.TMPDIR = mkdtempSync(tmpdir() + "/svc-testing-");
for (let times = 0; times < 2; times++) {
  const service = await testService(".", { settings: { prefix: "/shop" } });
  await assert.rejects(testService(), { code: "SVC2203" });
  await service.call("buy", { user: "ann", item: "tea" });
  assert.equal(await service.call("bought", { user: "ann" }), 1);
  assert.equal((await service.fetch("/shop/plugin/double")).status, 200);
  await service.close();
  await service.close();
}
assert.deepEqual(readdirSync(process.env.TMPDIR), []);
assert.equal(existsSync("data"), false);`,
  );
  assert.is(output, "done\n");
});

test("a project that does not build says why, as svc build does", ({ project }) => {
  project.write("plugins/wrong.ts", "/** Wrong. @plugin */\nexport function wrong(): number {}\n");
  const output = run(
    project,
    `await assert.rejects(testService(), (error) => {
  assert.equal(error.code, "SVC2944");
  assert.match(error.message, /does not build:[^]*plugins.wrong\\.ts:2/);
  return true;
});`,
  );
  assert.is(output, "done\n");
});

test.run();
