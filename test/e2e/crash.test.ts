// Plugins that throw, hang, block, exit or exhaust memory: their client gets a clear error, other
// requests succeed, and the executor is replaced, counted and logged.
// limit: 60 s
// takes 30 s

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import {
  buildProject,
  type DecodedResponse,
  fixture,
  get,
  type RunningServer,
  serve,
} from "./support/server.js";
import { NODE_TYPES, TemporaryProject } from "./support/temporary-project.js";

const test = suite("crash");
let server: RunningServer;
let common: RunningServer | null = null;

test.before(async () => {
  await buildProject(fixture("engine"));
});

test.after.each(async () => {
  if (server !== common) await server.stop("SIGKILL");
});
test.after(async () => {
  await common?.stop("SIGKILL");
});

/** Serves with default options: one server for all tests that its crashes do not disturb. */
async function serveCommon(): Promise<void> {
  common ??= await serve(fixture("engine"));
  server = common;
}

/** Log of the server from now on. */
function newLog(): () => string {
  const { length } = server.log();
  return () => server.log().slice(length);
}

/**
 * Retries until an executor has begun the request: requests wait no longer than the plugin timeout,
 * and a thread may start later on a loaded machine.
 */
async function call(plugin: string): Promise<DecodedResponse> {
  for (;;) {
    const response = await get(server.port, `/svc/plugin/${plugin}`);
    if (response.status !== 503 || !response.text.includes("all executors are busy"))
      return response;
  }
}

function add(): Promise<DecodedResponse> {
  return call("add?a=1");
}

async function works(): Promise<void> {
  const response = await add();
  assert.is(response.json.response, 2, response.text);
}

test("process.exit ends the executor, not the server", async () => {
  await serveCommon();
  const log = newLog();
  for (let round = 0; round < 3; round++) {
    const response = await call("exits");
    assert.is(response.status, 500);
    assert.match(JSON.stringify(response.json.message), /"system".*ExecutorError/);
    await works();
  }
  assert.match(log(), /executor \d+ died/);
});

test("the replacement serves requests queued behind a crash", async () => {
  await serveCommon();
  const calls = ["exits", ...Array.from({ length: 20 }, () => "add?a=1")];
  const responses = await Promise.all(calls.map(call));
  assert.is(responses[0]!.status, 500);
  for (const response of responses.slice(1)) assert.is(response.json.response, 2, response.text);
});

test("results finished before a crash are sent", async () => {
  await serveCommon();
  const others = Array.from({ length: 20 }, () => "add?a=1");
  const calls = [...others, "long?n=9000", "exits"];
  for (let round = 0; round < rounds(5); round++) {
    const responses = await Promise.all(calls.map(call));
    const failures = responses.slice(0, -1).filter(({ status }) => status !== 200);
    assert.equal(
      failures.map(({ text }) => text),
      [],
    );
    assert.is(responses.at(-1)!.status, 500);
  }
});

test("hung plugins time out, and only blocked executors are terminated", async () => {
  server = await serve(fixture("engine"), "--plugin-timeout", "300");
  const responses = await Promise.all(Array.from({ length: 40 }, () => call("never")));
  for (const response of responses) {
    assert.is(response.status, 500);
    assert.match(JSON.stringify(response.json.message), /"system".*TimeoutError/);
  }
  // Their slots are free.
  await works();
  assert.not.match(server.log(), /executor \d+ (died|replaced)/);

  const burning = call("burns?ms=60000");
  await delay(50);
  const waiting = Array.from({ length: 5 }, add);
  assert.is((await get(server.port, "/svc/hc")).text, "SVC/3");
  const lastResponse = await burning;
  assert.is(lastResponse.status, 500);
  assert.match(JSON.stringify(lastResponse.json.message), /TimeoutError/);
  for (const reply of await Promise.all(waiting)) assert.is(reply.json.response, 2, reply.text);
  await works();
  assert.match(server.log(), /executor \d+ replaced: plugin "burns" timed out/);

  // After an await.
  const laterResponse = await call("burnsLater?ms=60000");
  assert.match(JSON.stringify(laterResponse.json.message), /TimeoutError/);
  await works();
  assert.not.match(server.log(), /died/);
});

test("exceptions outside of a request are logged and harmless", async () => {
  await serveCommon();
  assert.is((await call("throwsLater")).json.response, "ok");
  // In either order.
  while (!/stray(?! rejection)/.test(server.log())) await delay(5);
  while (!server.log().includes("stray rejection")) await delay(5);
  await works();
});

async function countRestarts(): Promise<number> {
  const { json } = await get(server.port, "/svc/status");
  return (json.response as { errors: Record<string, number> }).errors["executor-restarts"]!;
}

test("crashes caused by requests do not lead to Service-OUT", async () => {
  await serveCommon();
  const before = await countRestarts();
  for (let round = 0; round < 12; round++) await call("exits");
  await works();
  assert.is((await countRestarts()) - before, 12);
});

/** Plugins of a module that behaves as names in its project's folder say. */
const moduleIn = (folder: string): string => `import { existsSync, mkdirSync } from "node:fs";
import type { PluginRequest } from "svc-server";

const folder = ${JSON.stringify(folder)};
const has = (name: string) => existsSync(folder + "/" + name);
const pause = new Int32Array(new SharedArrayBuffer(4));
while (has("loops")) {
  Atomics.wait(pause, 0, 0, 20);
}

if (has("may-exit")) setInterval(() => has("exits") && process.exit(1), 5);

// The first executor exits while the others load.
if (has("exits-once") && has("claimed")) {
  while (!has("gone")) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 500));
} else if (has("exits-once")) {
  mkdirSync(folder + "/claimed");
  process.on("exit", () => mkdirSync(folder + "/gone"));
  setTimeout(() => process.exit(1), 5);
}

/** @plugin */
export function eats(_request: PluginRequest) {
  const all: Uint8Array[] = [];
  const untilMs = Date.now() + 20_000;
  while (all.length < 400) all.push(new Uint8Array(1 << 20).fill(1));
  while (Date.now() < untilMs) Atomics.wait(pause, 0, 0, 20);
  return all.length;
}

/** @plugin */
export function eatsHeap(_request: PluginRequest) {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(10_000).fill(kept.length));
}

/** @plugin */
export function blocks(_request: PluginRequest) {
  mkdirSync(folder + "/blocked");
  while (!has("released")) Atomics.wait(pause, 0, 0, 5);
  return "released";
}

/** @plugin */
export function idle(_request: PluginRequest) {
  return "idle";
}
`;

const project = new TemporaryProject({ "tsconfig.json": NODE_TYPES });
test.before(async () => {
  project.write("plugins/all.ts", moduleIn(project.folder));
  await buildProject(project.folder);
});
test.after(() => project.remove());

async function isIdle(): Promise<void> {
  assert.is((await call("idle")).json.response, "idle");
}

test("a second executor serves requests while a plugin blocks", async () => {
  server = await serve(project.folder, "--executors", "2");
  let isBlocked = true;
  const blockedResponse = call("blocks").then((response) => {
    isBlocked = false;
    return response;
  });
  while (!existsSync(join(project.folder, "blocked"))) await delay(5);
  await Promise.all(Array.from({ length: 50 }, isIdle));
  assert.ok(isBlocked, "the others were answered while the plugin blocked");
  project.write("released", "");
  assert.is((await blockedResponse).json.response, "released");
});

test("a crash loop leads to Service-OUT until it ends", async () => {
  project.write("may-exit", "");
  server = await serve(project.folder);
  project.write("exits", "");
  while ((await get(server.port, "/svc/hc")).status === 200) await delay(20);
  const response = await call("idle");
  assert.is(response.status, 503);
  assert.is(response.json.message, "Service Unavailable");
  assert.match(server.log(), /executor crash loop: out of service until one stays up/);
  assert.is((await get(server.port + 1, "/svc/status")).status, 200);
  project.remove("exits");
  while ((await get(server.port, "/svc/hc")).status === 503) await delay(100);
  await isIdle();
  while (!server.log().includes("back in service")) await delay(20);
  project.remove("may-exit");
});

test("executors that exit before all have loaded abort the start", async () => {
  project.write("exits-once", "");
  const failed = await serve(project.folder, "--executors", "2").catch((error: Error) => error);
  assert.instance(failed, Error);
  const text = (failed as Error).message;
  assert.match(text, /SVC2201: executor exited right after loading its plugins/);
  assert.not.match(text, /a bug in svc/);
  server = await serve(project.folder, "--executors", "2");
  await isIdle();
  project.remove("exits-once");
});

test("a module that loops while loading is named and aborts the start", async () => {
  project.write("loops", "");
  // Long enough for a thread of a loaded machine to reach the loop.
  const options = ["--plugin-load-timeout", "10000"];
  const failed = await serve(project.folder, ...options).catch((error: Error) => error);
  project.remove("loops");
  assert.instance(failed, Error);
  const text = (failed as Error).message;
  assert.match(text, /SVC2120: plugins did not load within 10000 ms: plugins\/all\.ts:[6-9]:/);
});

test("the heap and buffers count toward the memory limit of an executor", async () => {
  server = await serve(project.folder, "--executor-heap-mib", "64");
  for (const plugin of ["eatsHeap", "eats"]) {
    const response = await call(plugin);
    assert.is(response.status, 500);
    assert.match(JSON.stringify(response.json.message), /ExecutorError/);
    await isIdle();
  }
  while (!/heap and buffers use \d+ MiB, executorHeapMiB is 64/.test(server.log())) await delay(20);
});

test("a replacement calls the requested plugin after a newer build renumbered it", async () => {
  const plugin = (name: string, body: string): string =>
    `/** @plugin */\nexport function ${name}(_request: PluginRequest) {\n  ${body}\n}\n`;
  const head =
    'import type { PluginRequest } from "svc-server";\n' +
    "declare const process: { exit(code: number): never };\n";
  const old = plugin("beta", 'return "beta";') + plugin("exits", "process.exit(3);");
  const built = new TemporaryProject({ "plugins/all.ts": head + old });
  try {
    await buildProject(built.folder);
    server = await serve(built.folder);
    built.write("plugins/all.ts", head + plugin("alpha", 'return "alpha";') + old);
    await buildProject(built.folder);
    assert.is((await call("exits")).status, 500);
    assert.is((await call("beta")).json.response, "beta");
    assert.is((await call("alpha")).status, 404);
  } finally {
    built.remove();
  }
});

test.run();
