// Plugins bound to graphs, over real processes: every executor sees the same graph, locks of a
// request are released when it ends, and a dead executor leaves the graph consistent.
// limit: 60 s
// takes 15 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
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
import { until } from "./support/system.js";

const test = suite("graphs of plugins");
const PROJECT = fixture("graphs");
const root = mkdtempSync(join(tmpdir(), "svc-graphs-"));
/** Servers by their options, each with graphs of its own. */
const servers = new Map<string, RunningServer>();
let served: RunningServer;

test.before(async () => {
  await buildProject(PROJECT);
});
test.after(async () => {
  for (const server of servers.values()) await server.stop("SIGKILL");
  rmSync(root, { recursive: true });
});

/** The server with these options; each test uses ids of its own. */
async function start(...options: string[]): Promise<void> {
  const key = options.join(" ");
  const dataRoot = mkdtempSync(join(root, "data-"));
  const words = ["--root", dataRoot, "--durability", "off", "--executors", "3", ...options];
  served = servers.get(key) ?? (await serve(PROJECT, ...words));
  servers.set(key, served);
}

function call(plugin: string): Promise<DecodedResponse> {
  return get(served.port, `/svc/plugin/${plugin}`);
}

/** Result of a plugin; fails for an error. */
async function result(plugin: string): Promise<unknown> {
  const { json, text } = await call(plugin);
  assert.is(json.status, "OK", text);
  return json.response;
}

async function callError(plugin: string): Promise<string> {
  const { json, text } = await call(plugin);
  assert.is(json.status, "ERROR", text);
  return JSON.stringify(json.message);
}

/**
 * Waits for a lock. A loaded machine may choose the executor that holds it, which cannot block:
 * then the request is repeated.
 */
async function markWaiting(id: string): Promise<unknown> {
  for (;;) {
    const { json, text } = await call(`mark?id=${id}&timeout=5000`);
    if (json.status === "OK") return json.response;
    assert.match(text, `Object is locked: '${id}'`);
  }
}

/** Resolves when these vertices are locked. */
async function held(...ids: string[]): Promise<void> {
  for (;;) {
    const now = (await result("held")) as [id: string, mode: string][];
    if (now.map(([id]) => id).join() === ids.join()) return;
    await delay(10);
  }
}

test("are bound by each form of a plugin declaration", async () => {
  await start();
  const { json } = await get(served.port, "/svc/plugins");
  const records = json.response as { path: string; bound_graph: string | null }[];
  const bound = new Map(records.map(({ path, bound_graph }) => [path.slice(12), bound_graph]));
  const expected = { buy: "shop", best: "shop", rate: "shop", hold: "locks", sales: null };
  for (const [name, graph] of Object.entries(expected)) assert.is(bound.get(name), graph, name);
  assert.is(bound.get("unbound"), null);
  assert.is(await result("rate?user=ann&item=tea&stars=4.5"), 1);
  assert.is(await result("rate?user=ann&item=cocoa&stars=5"), 1);
  assert.equal(await result("best?user=ann"), [["cocoa"], ["tea"]]);
  assert.equal(await result("same"), [false, true, true]);
});

test("are written by several executors, and read by code at module level", async () => {
  await start();
  const before = (await result("sales")) as number;
  const paths = Array.from({ length: 300 }, (_, n) => `buy?user=u${n % 7}&item=i${n % 3}`);
  const counts = (await Promise.all(paths.map(result))) as [thread: number, count: number][];
  assert.ok(new Set(counts.map(([thread]) => thread)).size > 1, "several executors took part");
  assert.is(await result("sales"), before + 300);
});

test("are locked by a request until it ends", async () => {
  await start();
  const holding = call("hold?id=x&ms=1500");
  await held("x");
  assert.match(await callError("mark?id=x"), /AccessError.*Object is locked: 'x'/);
  assert.match(await callError("mark?id=x&timeout=20"), /AccessError.*'x'/);
  const [endedResponse, marked] = await Promise.all([holding, markWaiting("x")]);
  assert.is(endedResponse.json.response, 1);
  assert.is(marked, 1);
  assert.match(await callError("holdAndFail?id=x"), /failed on purpose/);
  assert.equal(await result("held"), []);
  assert.is(await result("mark?id=x"), 2);
});

test("let requests wait for locks without blocking their executors", async () => {
  await start();
  const marks = await Promise.all(Array.from({ length: 40 }, () => result("markLater?id=turn")));
  assert.equal(
    (marks as number[]).sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
  assert.equal(await result("held"), []);
});

/** Enough for requests that end, even on a loaded machine. */
const TIMEOUT = ["--plugin-timeout", "1500"];

test("are unlocked when a request times out, waiting or blocking", async () => {
  await start(...TIMEOUT);
  assert.match(await callError("holdForEver?id=x"), /TimeoutError/);
  assert.is(await result("mark?id=x&timeout=700"), 1);
  assert.match(await callError("holdAndBurn?id=x"), /TimeoutError/);
  assert.is(await result("mark?id=x&timeout=700"), 2);
  assert.equal(await result("held"), []);
});

test("cannot be locked by a request after its timeout", async () => {
  await start(...TIMEOUT);
  // An executor that is silent for long on a loaded machine is terminated; then the next one is
  // called.
  for (let turn = 0; !(await result("exists?id=refused")); turn++) {
    if (turn % 100 === 0) assert.match(await callError("holdLate?ms=1900"), /TimeoutError/);
    await delay(20);
  }
  assert.equal(await result("held"), []);
});

test("are unlocked when an executor exits", async () => {
  await start();
  for (let round = 0; round < rounds(3); round++) {
    assert.match(await callError("holdAndExit?id=exit"), /ExecutorError/);
    assert.is(await result("mark?id=exit&timeout=2000"), round + 1);
  }
});

test("stay consistent when an executor is terminated while writing", async () => {
  await start(...TIMEOUT);
  for (let round = 0; round < rounds(1); round++) {
    const writing = [call("writeOn?hub=a"), call("writeOn?hub=b")];
    const texts = (await Promise.all(writing)).map(({ text }) => text);
    // The second executor may still be starting on a loaded machine.
    for (const text of texts) assert.match(text, /TimeoutError|all executors are busy/);
    assert.match(texts.join(), /TimeoutError/);
    // The other executor may be free while the terminated one still writes.
    await until(async () => isDeepStrictEqual(await result("check"), []));
    assert.is(await result("mark?id=after"), round + 1);
  }
});

test("survive a restart of the thread that manages them", async () => {
  // Enough time for requests that end, even on a loaded machine; endless ones use all of it.
  await start("--plugin-timeout", "4000");
  const size = await result("tangle");
  let neighbor: object = { type: "none" };
  for (let level = 0; level < 10; level++) neighbor = { adjacent: { neighbor } };
  const query = encodeURIComponent(JSON.stringify({ neighbor }));
  const endlessResponse = await get(
    served.port,
    `/svc/builtin/neighbor?graph=locks&id=t0&query=${query}`,
  );
  assert.match(endlessResponse.text, /TimeoutError/);
  assert.is(await result("tangle"), size);
  for (;;) {
    // Requests meanwhile wait, or learn that the thread is not available.
    const { json } = await get(served.port, "/svc/builtin/graphinfo?graph=locks");
    const { base } = (json.response ?? {}) as { base?: { size: number } };
    if (base !== undefined) {
      assert.is(base.size, size);
      break;
    }
    await delay(50);
  }
  assert.is(await result("opens?name=another"), 0);
  // The thread has low priority and may end later.
  while (!/long-query executor died/.test(served.log())) await delay(50);
  // It also renders the argspec, and has to receive the served plugins again.
  assert.is((await get(served.port, "/svc/builtin/argspec?format=schema")).status, 200);
});

test.run();
