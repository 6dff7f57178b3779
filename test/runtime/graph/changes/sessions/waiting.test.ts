// Asynchronous waits for vertices within one thread: in order, without blocking.

import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite("asynchronous waits");

let store: GraphStore;
let ownGraph: Graph;

test.before.each(() => {
  store = GraphStore.create("test", TEST_THREAD);
  ownGraph = openStore(store);
  for (const id of ["A", "B", "C"]) ownGraph.createVertex(id);
});

test.after.each(() => {
  ownGraph.closeAll();
  assert.equal(ownGraph.getOpenVertices(), []);
});

async function rejects(waiting: Promise<unknown>, message: string): Promise<void> {
  const error = await waiting.then(
    () => null,
    (reason: Error) => reason,
  );
  assert.is(error?.name, "AccessError");
  assert.is(error?.message, message);
}

/** The promise, and whether it is settled. */
function watched<T>(promise: Promise<T>): { promise: Promise<T>; isSettled: boolean } {
  const watch = { promise, isSettled: false };
  const settle = () => {
    watch.isSettled = true;
  };
  promise.then(settle, settle);
  return watch;
}

test("open a free vertex at once, a locked one after its release", async () => {
  const vertex = await ownGraph.openVertexAsync("A");
  assert.is(vertex.writable(), true);
  const otherGraph = openStore(store);
  const waiting = watched(otherGraph.openVertexAsync("A"));
  await delay(30);
  assert.is(waiting.isSettled, false);
  vertex.close();
  const otherVertex = await waiting.promise;
  assert.equal([otherVertex.id, otherVertex.writable()], ["A", true]);
  otherGraph.closeAll();
});

test("are served in order", async () => {
  const vertex = ownGraph.openVertex("A");
  const served: number[] = [];
  const requests = Array.from({ length: 20 }, async (_, number) => {
    const request = openStore(store);
    const heldVertex = await (number % 2 === 0
      ? request.openVertexAsync("A")
      : request.newVertexAsync("A"));
    served.push(number);
    await nextTurn();
    heldVertex.close();
  });
  await nextTurn();
  vertex.close();
  await Promise.all(requests);
  assert.equal(
    served,
    Array.from({ length: 20 }, (_, number) => number),
  );
});

test("let readers wait for a writer, then read together", async () => {
  const writer = ownGraph.openVertex("A");
  const readers = Array.from({ length: 5 }, () => openStore(store).openVertexAsync("A", "r"));
  await delay(20);
  writer.close();
  const vertices = await Promise.all(readers);
  assert.is(vertices[0]!.readers, 5);
  for (const vertex of vertices) vertex.close();
});

test("time out and let the next one continue", async () => {
  const vertex = ownGraph.openVertex("A");
  await rejects(openStore(store).openVertexAsync("A", "a", 0), "Object is locked: 'A'");
  const [graphA, two] = [openStore(store), openStore(store)];
  const first = graphA.openVertexAsync("A", "a", 40);
  const second = two.openVertexAsync("A", "a", -1);
  await rejects(first, "Acquisition timeout: 'A'");
  vertex.close();
  (await second).close();
});

test("reject a session that would wait for itself", async () => {
  ownGraph.openVertex("A", "r");
  await rejects(ownGraph.openVertexAsync("A"), "Object is locked: 'A'");
  assert.is((await ownGraph.openVertexAsync("A", "r")).readers, 2);
});

test("lock several vertices together, and none while waiting", async () => {
  const vertex = ownGraph.openVertex("B");
  const otherGraph = openStore(store);
  const waiting = watched(otherGraph.openVerticesAsync(["A", "B", "C"]));
  await delay(20);
  assert.is(waiting.isSettled, false);
  assert.equal(
    ownGraph.getOpenVertices().map(([id]) => id),
    ["B"],
  );
  vertex.close();
  assert.equal(
    (await waiting.promise).map(({ id }) => id),
    ["A", "B", "C"],
  );
  otherGraph.closeAll();
  await rejects(
    otherGraph.openVerticesAsync(["A", "A"]),
    "Bad context (duplicate vertices in acquisition set)",
  );
});

test("reject or create a vertex that was deleted meanwhile", async () => {
  const vertex = ownGraph.openVertex("A");
  const [first, two] = [openStore(store), openStore(store)];
  const missing = first.openVertexAsync("A").catch((error: Error) => error.message);
  const made = two.newVertexAsync("A", "thing");
  await delay(10);
  ownGraph.deleteVertex("A");
  vertex.close();
  assert.is(await missing, "Object does not exist: 'A'");
  assert.is((await made).type, "thing");
  two.closeAll();
});

test("support mutual exclusion by named locks and synchronized sections", async () => {
  let inside = 0;
  const section = async () => {
    const lock = await openStore(store).lockAsync("section");
    assert.is(++inside, 1);
    await nextTurn();
    inside--;
    lock.close();
  };
  await Promise.all(Array.from({ length: 10 }, section));
  const running = ownGraph.synchronized(async () => {
    await delay(20);
    return "done";
  });
  assert.throws(() => openStore(store).synchronized(() => 0), /Object is locked: .*_SYN/);
  assert.is(await running, "done");
  assert.is(
    openStore(store).synchronized(() => 1),
    1,
  );
  await ownGraph.synchronized(() => Promise.reject(new Error("x"))).catch(() => {});
  assert.is(
    openStore(store).synchronized(() => 2),
    2,
  );
});

test("detect a deadlock at once", async () => {
  const otherGraph = openStore(store);
  const thirdGraph = openStore(store);
  ownGraph.openVertex("A");
  otherGraph.openVertex("B");
  thirdGraph.openVertex("C");
  const first = ownGraph.openVertexAsync("B", "a", -1);
  const second = otherGraph.openVertexAsync("C", "a", -1);
  await nextTurn();
  const error = await thirdGraph.openVertexAsync("A", "a", -1).catch((reason: Error) => reason);
  assert.is((error as Error).name, "AccessError");
  const sessions = [thirdGraph, ownGraph, otherGraph].map(
    (graph) => graph.getOpenVertices().length,
  );
  assert.equal(sessions, [3, 3, 3]);
  const names = /^Deadlock: session \d+ waits for 'A', .*\d+ waits for 'B', .*\d+ waits for 'C'/;
  assert.match((error as Error).message, names);
  thirdGraph.closeAll();
  assert.is((await second).id, "C");
  otherGraph.closeAll();
  assert.is((await first).id, "B");
});

test("detect no deadlock for a free vertex or a call without waiting", async () => {
  const otherGraph = openStore(store);
  ownGraph.openVertex("A");
  otherGraph.openVertex("B");
  const waiting = ownGraph.openVertexAsync("B", "a", -1);
  await nextTurn();
  await rejects(otherGraph.openVertexAsync("A", "a", 0), "Object is locked: 'A'");
  assert.is((await otherGraph.openVertexAsync("C")).id, "C");
  otherGraph.closeAll();
  assert.is((await waiting).id, "B");
});

test("time out after ten seconds by default", async () => {
  const otherGraph = openStore(store);
  ownGraph.openVertex("A");
  const waiting = [
    ...[
      otherGraph.openVertexAsync("A"),
      otherGraph.openVerticesAsync(["A"]),
      otherGraph.newVertexAsync("A"),
    ],
  ].map((promise) => watched<unknown>(promise));
  const unbounded = watched(otherGraph.openVertexAsync("A", "a", -1));
  await delay(30);
  assert.equal(
    waiting.map(({ isSettled }) => isSettled),
    [false, false, false],
  );
  const { now } = performance;
  performance.now = () => now.call(performance) + 10_000;
  try {
    for (const { promise } of waiting) await rejects(promise, "Acquisition timeout: 'A'");
  } finally {
    performance.now = now;
  }
  assert.is(unbounded.isSettled, false);
  ownGraph.closeAll();
  await unbounded.promise;
  otherGraph.closeAll();
});

test.run();
