// `svc-server/testing` as a project uses it: a program that calls a service within its own process.
// limit: 120 s
// takes 12 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";
import { runProgram } from "./support/test-program.js";

const PLUGINS = `import { D_OUT, type Graph, HttpError, type int, type PluginRequest, type str }
  from "svc-server";
import { setTimeout as delay } from "node:timers/promises";

let aborts = 0;
let asleep = 0;

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

/** Sets something aside for a while. @plugin @graph shop */
export function reserve(_request: PluginRequest, graph: Graph, user: str, seconds: int): boolean {
  return graph.createVertex("reserved:" + user, { lifespan: seconds }) > 0;
}

/** Whether something is set aside. @plugin @graph shop */
export function reserved(_request: PluginRequest, graph: Graph, user: str): boolean {
  return graph.hasVertex("reserved:" + user);
}

/** The clock. @plugin */
export function now(_request: PluginRequest): number {
  return Date.now();
}

/** Waits. @plugin */
export async function sleep(_request: PluginRequest, ms: int): Promise<int> {
  asleep++;
  await new Promise((resolve) => setTimeout(resolve, ms));
  asleep--;
  return ms;
}

/** Waits. @plugin */
export async function nap(_request: PluginRequest, ms: int): Promise<int> {
  asleep++;
  await delay(ms);
  asleep--;
  return ms;
}

/** How many wait. @plugin */
export function sleepers(_request: PluginRequest): number {
  return asleep;
}

/** Never comes to an end. @plugin */
export function burn(_request: PluginRequest): number {
  for (;;);
}

/** Bytes of a body. @plugin @content bytes */
export function size(_request: PluginRequest, content: Uint8Array): number {
  return content.length;
}
`;

const test = suite("testing");
/** Built by the first program. */
const project = new TemporaryProject({ "plugins/shop.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
test.after(() => project.remove());

test("behaves as over sockets for calls, errors, graphs and streams", () => {
  const output = runProgram(
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
await assert.rejects(service.fetch("/svc/hc"), /service is closed/);`,
  );
  assert.is(output, "done\n");
});

test("aborts request.signal when the client disconnects", () => {
  const output = runProgram(
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

test("isolates data and modules of services, and leaves no files behind", () => {
  const output = runProgram(
    project,
    `import { tmpdir } from "node:os";
import { mkdtempSync } from "node:fs";
process.env.TMPDIR = mkdtempSync(tmpdir() + "/svc-testing-");
const other = await testService();
for (let times = 0; times < 2; times++) {
  const service = await testService(".", { settings: { prefix: "/shop" } });
  await service.call("buy", { user: "ann", item: "tea" });
  assert.equal(await service.call("bought", { user: "ann" }), 1);
  assert.equal((await service.fetch("/shop/plugin/double")).status, 200);
  await service.close();
  await service.close();
}
await assert.rejects(other.call("bought", { user: "ann" }), /does not exist/);
await other.close();
assert.deepEqual(readdirSync(process.env.TMPDIR), []);
assert.equal(existsSync("data"), false);`,
  );
  assert.is(output, "done\n");
});

test("advances the clock of a service", () => {
  const output = runProgram(
    project,
    `const service = await testService();
const { clock } = service;
await clock.stop();
const begun = await service.call("now");
assert.equal(begun, Math.floor(clock.now()));
const asleep = ["sleep", "nap"].map((name) => service.call(name, { ms: 10_000 }));
while ((await service.call("sleepers")) < 2);
await clock.advance("9s");
assert.equal(await service.call("sleepers"), 2);
await clock.advance(1000);
assert.deepEqual(await Promise.all(asleep), [10_000, 10_000]);
assert.equal(await service.call("now"), begun + 10_000);
const late = service.fetch("/svc/plugin/sleep?ms=86400000");
while ((await service.call("sleepers")) < 1);
await clock.advance("29s");
assert.equal(await service.call("sleepers"), 1);
await clock.advance("2s");
assert.match(await (await late).text(), /plugin sleep timed out/);
await service.call("reserve", { user: "ann", seconds: 60 });
await clock.advance("59s");
assert.equal(await service.call("reserved", { user: "ann" }), true);
await clock.advance("2s");
assert.equal(await service.call("reserved", { user: "ann" }), false);
await clock.resume();
const burning = service.fetch("/svc/plugin/burn");
const runs = /svc_queue_running\\{port="main"\\} 1/;
while (!runs.test(await (await service.fetchAdmin("/metrics")).text()));
await clock.advance("62s");
assert.match(await (await burning).text(), /plugin burn timed out/);
assert.equal(await service.call("double"), 42);
await service.close();`,
  );
  assert.is(output, "done\n");
});

test("injects faults into a service and removes them", () => {
  const output = runProgram(
    project,
    `const service = await testService();
await service.fault("refuse");
await assert.rejects(service.fetch("/svc/hc"), /fetch failed/);
await service.fault("cut");
assert.equal(await (await service.fetch("/svc/hc")).text(), "SVC/3");
await assert.rejects(service.call("double"), { name: "SvcError", kind: "network" });
await service.fault("hang");
const hangs = service.call("double");
assert.equal(await (await service.fetch("/svc/hc")).text(), "SVC/3");
// The request may come only now: it must not meet the next fault.
await service.fault(null);
assert.equal(await hangs, 42);
await service.fault({ slow: "1h" });
await service.clock.stop();
let isDone = false;
const slow = service.call("double").then((value) => { isDone = true; return value; });
await service.clock.advance("59m");
assert.equal(isDone, false);
await service.clock.advance("2h");
assert.equal(await slow, 42);
for (const fault of ["burn", { slow: "soon" }, {}, 7]) {
  await assert.rejects(service.fault(fault), { code: "SVC3300" });
}
for (const time of ["5", "5 s", -1, Number.NaN, "1e9h"]) {
  assert.throws(() => service.clock.advance(time), { code: "SVC3300" });
}
await service.close();
await assert.rejects(service.fault(null), { code: "SVC3301" });`,
  );
  assert.is(output, "done\n");
});

test("reports errors of a build like svc build", () => {
  project.write("plugins/wrong.ts", "/** Wrong. @plugin */\nexport function wrong(): number {}\n");
  const output = runProgram(
    project,
    `await assert.rejects(testService(), (error) => {
  assert.equal(error.code, "SVC2944");
  assert.match(error.message, /failed:[^]*plugins.wrong\\.ts:2/);
  return true;
});`,
  );
  assert.is(output, "done\n");
});

test.run();
