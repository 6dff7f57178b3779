// A file system that becomes full under a server, or fails: reads continue, changes are refused
// until it can be written again. It is a small tmpfs, which only root can mount.
// limit: 60 s
// takes 15 s

import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callAdminOperation } from "../../runtime/system/call-admin-operation.js";
import { assertFiring } from "./support/firing-alerts.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `
import type { Graph, PluginRequest, str } from "svc-server";

/** @plugin @graph notes */
export function put(_request: PluginRequest, graph: Graph, id: str): boolean {
  graph.createVertex(id, { properties: { text: "x".repeat(1000) } });
  return true;
}

/** @plugin @readonly @graph notes */
export function has(_request: PluginRequest, graph: Graph, id: str): boolean {
  return graph.hasVertex(id);
}
`;

const test = suite("full disk");
const project = new TemporaryProject({ "plugins/p.ts": PLUGINS });
const folder = join(project.folder, "small");
const isMounted = mount();
let server: RunningServer;

function mount(): boolean {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const failing = join(project.folder, "failing");
const preload = new URL("./support/failing-disk.mjs", import.meta.url).href;

async function start(): Promise<void> {
  process.env.FAILING_DISK = failing;
  process.env.NODE_OPTIONS = `--import=${preload}`;
  server = await serve(project.folder, "--root", folder, "--durability", "full");
}

test.before(async () => {
  await buildProject(project.folder);
  await start();
});

test.after(async () => {
  await server?.end();
  process.env.NODE_OPTIONS = "";
  if (isMounted) execFileSync("umount", [folder]);
  project.remove();
});

const call = (path: string) => get(server.port, `/svc/plugin/${path}`);
const filler = join(folder, "filler");

function fillDisk(): void {
  const file = openSync(filler, "w");
  const chunk = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, chunk);
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    closeSync(file);
  }
}

/** Status and header of the health check, and the state in nodestat. */
async function state(): Promise<readonly unknown[]> {
  const { status, headers } = await get(server.port, "/svc/hc");
  const { json: node } = await get(server.port + 1, "/svc/nodestat");
  const logState = (node.response as Record<string, unknown>)["log-state"];
  return [status, headers.get("x-svc-readonly"), logState];
}

const testWhenMounted = isMounted ? test : test.skip;

testWhenMounted("serves reads and refuses changes, which resume by themselves", async () => {
  assert.is((await call("put?id=before")).status, 200);
  assert.equal(await state(), [200, null, "low"]);
  fillDisk();
  let accepted = 0;
  let refusedResponse = await call("put?id=full0");
  for (; refusedResponse.status === 200; refusedResponse = await call(`put?id=full${++accepted}`))
    await delay(20);
  assert.is(refusedResponse.status, 507, refusedResponse.text);
  assert.match(refusedResponse.text, /StorageError.*disk of the transaction log is full/);
  for (let turn = 0; turn < 20; turn++) {
    const { status, json } = await call("has?id=before");
    assert.equal([status, json.response], [200, true]);
  }
  assert.equal(await state(), [200, "full", "full"]);
  const { text } = await get(server.port + 1, "/metrics");
  assertFiring(text, text, ["SvcChangesRefused", "SvcLogDiskLow"]);
  rmSync(filler);
  while ((await call("put?id=after")).status === 507) await delay(50);
  assert.equal(await state(), [200, null, "low"]);
  // Whatever was accepted meanwhile is durable.
  await server.stop("SIGKILL");
  await start();
  for (const id of ["before", "after", ...Array.from({ length: accepted }, (_, n) => `full${n}`)]) {
    assert.is((await call(`has?id=${id}`)).json.response, true, id);
  }
});

test("reports slow flushes", async () => {
  const fast = (await get(server.port + 1, "/metrics")).text;
  writeFileSync(failing, "600");
  assert.is((await call("put?id=slow")).status, 200);
  rmSync(failing);
  const seconds = (metrics: string) =>
    Number(/^svc_transaction_log_flush_seconds_sum (.+)$/m.exec(metrics)![1]);
  let text = fast;
  while (seconds(text) < seconds(fast) + 0.5) ({ text } = await get(server.port + 1, "/metrics"));
  // The small disk is nearly full.
  const isLow = text.includes('svc_transaction_log_state{state="low"} 1');
  assertFiring(fast, text, [...(isLow ? ["SvcLogDiskLow"] : []), "SvcSlowFlush"]);
});

test("serves reads after a failed flush, and keeps changes that were not durable", async () => {
  assert.is((await call("put?id=good")).status, 200);
  writeFileSync(failing, "");
  const heldResponse = await call("put?id=held");
  assert.is(heldResponse.status, 500);
  assert.match(heldResponse.text, /not durable/);
  const refusedResponse = await call("put?id=refused");
  assert.is(refusedResponse.status, 507);
  assert.match(refusedResponse.text, /StorageError.*the transaction log has failed/);
  assert.is((await call("has?id=held")).json.response, true);
  assert.equal(await state(), [200, "failed", "failed"]);
  const { text } = await get(server.port + 1, "/metrics");
  assert.match(text, /^svc_transaction_log_state\{state="failed"\} 1$/m);
  assertFiring(text, text, ["SvcChangesRefused", "SvcLogFailed"]);
  rmSync(failing);
  while ((await call("put?id=healed")).status === 507) await delay(50);
  assert.is((await state())[1], null);
  await server.stop("SIGKILL");
  await start();
  for (const id of ["good", "held", "healed"]) {
    assert.is((await call(`has?id=${id}`)).json.response, true, id);
  }
  assert.is((await call("has?id=refused")).json.response, false);
});

test("rejects changes in an unwritable folder, even after clear-readonly", async () => {
  await server.stop("SIGTERM");
  const denied = join(project.folder, "denied");
  process.env.DENIED_FOLDER = denied;
  server = await serve(project.folder, "--root", denied, "--durability", "async");
  for (let turn = 0; turn < 2; turn++) {
    const refusedResponse = await call("put?id=refused");
    assert.is(refusedResponse.status, 507, refusedResponse.text);
    assert.match(refusedResponse.text, /StorageError.*the data folder cannot be written/);
    const operation = { operation: "ClearReadonly", parameters: {}, headers: {} };
    await callAdminOperation({ host: "127.0.0.1", port: server.port + 1 }, operation);
  }
  assert.is((await call("has?id=refused")).json.response, false);
  assert.equal(await state(), [200, "failed", "failed"]);
  const alarm = await get(server.port + 1, "/svc/hc");
  assert.is(alarm.status, 503);
  assert.match(alarm.text, /Changes are refused, transaction log: failed/);
});

test.run();
