// Expiry of vertices and arcs while a server runs and while it does not; memory and files of graphs
// that are emptied or erased.
// limit: 60 s
// takes 15 s

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, fixture, get, type RunningServer, serve } from "./support/server.js";

const test = suite("graph lifetime");
const PROJECT = fixture("graph-lifetime");
let roots: string;
let server: RunningServer;

test.before(async () => {
  roots = mkdtempSync(join(tmpdir(), "svc-lifetime-"));
  await buildProject(PROJECT);
});
test.after(() => rmSync(roots, { recursive: true }));

async function start(root: string, ...options: string[]): Promise<void> {
  const folder = join(roots, root);
  mkdirSync(folder, { recursive: true });
  server = await serve(PROJECT, "--root", folder, ...options);
}

async function call<T>(plugin: string): Promise<T> {
  const { json, text } = await get(server.port, `/svc/plugin/${plugin}`);
  assert.is(json.status, "OK", text);
  return json.response as T;
}

/** Repeats a call until it returns this result. */
async function until(plugin: string, expected: unknown): Promise<void> {
  const expectedText = JSON.stringify(expected);
  while (JSON.stringify(await call(plugin)) !== expectedText) await delay(100);
}

test("removes expired contents by itself unless events are off, also after a restart", async () => {
  await start("expiry");
  await call("add?id=soon&lifespan=1");
  await call("add?id=later&lifespan=1000");
  await until("look", [["all", "later"], 4, "RUNNING"]);
  assert.is(await call("waiting"), 2, "the one vertex, and the arcs to it");
  await call("switchEvents?on=0");
  await call("add?id=kept&lifespan=0");
  await delay(1000);
  assert.equal(await call("look"), [["all", "kept", "later"], 8, "PAUSED"]);
  assert.is(await call("waiting"), 3);
  await call("switchEvents?on=1");
  await until("look", [["all", "later"], 4, "RUNNING"]);
  await call("add?id=down&lifespan=1");
  await server.stop();
  await delay(1000);
  await start("expiry");
  await until("look", [["all", "later"], 4, "RUNNING"]);
  await server.end();
});

/** Memory of the server's process in MB, 0 on unsupported systems. */
function residentMb(): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

test("reuses the memory of an emptied graph", async () => {
  await start("emptied");
  const used = await call<number>("bytes");
  await call("fill?arcs=200000");
  const full = residentMb();
  const usedFull = await call<number>("bytes");
  assert.ok(usedFull > used + 4e6, `${used} to ${usedFull} bytes`);
  for (let time = 0; time < 2; time++) {
    assert.ok((await call<number>("empty")) > 0);
    assert.ok((await call<number>("bytes")) <= used + 1e5);
    assert.is(await call("fill?arcs=200000"), 200_000);
    assert.ok((await call<number>("bytes")) <= usedFull);
  }
  const after = residentMb();
  assert.ok(after < full + 30, `${full} MB became ${after}`);
  await server.end();
});

test("returns the memory of an emptied graph once no plugin blocks its thread", async () => {
  await start("shrunk", "--executors", "2", "--plugin-timeout", "0");
  for (let time = 0; time < 4; time++) await call("bytes");
  const before = residentMb();
  await call("fill?arcs=900000");
  const full = residentMb();
  const busy = call("block?ms=3000");
  await delay(100);
  await call("empty");
  assert.is(await call("fill?arcs=10"), 10);
  await until("look", [[], 0, "RUNNING"]);
  assert.ok(residentMb() > (before + full) / 2, "an executor is busy");
  await busy;
  for (let tries = 0; residentMb() > (before + full) / 2; tries++) {
    assert.ok(tries < 100, `${before} MB, ${full} when full, still ${residentMb()}`);
    await delay(100);
  }
  assert.match(server.log(), /graph "big": released \d+ MiB of memory/);
  for (let time = 0; time < 4; time++) assert.is(await call("fill?arcs=20"), 20);
});

test("returns memory and files of an erased graph, which cannot be used any more", async () => {
  // Each executor has it open, emptied by the test above.
  const before = residentMb();
  await call("fill?arcs=900000");
  const file = join(await call<string>("store"), "graph.snapshot");
  assert.ok(existsSync(file));
  const full = residentMb();
  const held = call("hold?ms=1000");
  await delay(200);
  const { text } = await get(server.port, "/svc/plugin/erase");
  assert.match(text, /AccessError.*Object is locked/);
  await held;
  const [last, ...errors] = (await call<string[]>("erase")).reverse();
  for (const error of errors) assert.match(error, /AccessError.*Graph cannot be accessed/);
  assert.match(last!, /KeyError/, "the fastest way does not look for more than its vertex");
  assert.not.ok(existsSync(file));
  for (let tries = 0; residentMb() > (before + full) / 2; tries++) {
    assert.ok(tries < 100, `${before} MB, ${full} when full, still ${residentMb()}`);
    await delay(100);
  }
  assert.is(await call("fill?arcs=10"), 10, "it is a new one");
  await server.end();
});

test.run();
