// Vertex locks across threads: waiting, timeouts, and locks of a dead thread.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { recoverGraph } from "../../../../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";
import { countAlone, LockThread } from "./support/lock-thread.js";

const test = suite("locks across threads");

let store: GraphStore;
let ownGraph: Graph;
let otherThread: LockThread;

test.before(() => {
  otherThread = new LockThread();
});

test.before.each(async () => {
  store = GraphStore.create("test", TEST_THREAD);
  ownGraph = openStore(store);
  for (const id of ["A", "B", "C"]) ownGraph.createVertex(id);
  await otherThread.order({ op: "use", share: store.share });
});

test.after(() => otherThread.end());

const OPEN = { op: "open", mode: "a", timeout: 0 } as const;

function fails(run: () => unknown, message: string): void {
  assert.throws(run, (error: Error) => error.name === "AccessError" && error.message === message);
}

test("wait for another thread up to the timeout", async () => {
  assert.is(await otherThread.order({ ...OPEN, ids: ["A"] }), "done");
  fails(() => ownGraph.openVertex("A"), "Object is locked: 'A'");
  fails(() => ownGraph.openVertex("A", "r", 30), "Acquisition timeout: 'A'");
  fails(() => ownGraph.openVertices(["B", "A"], "a", 30), "Acquisition timeout: 'A'");
  fails(() => ownGraph.connect("A", "to", "B", { timeout: 30 }), "Acquisition timeout: 'A'");
  fails(() => ownGraph.deleteVertex("A", 30), "Acquisition timeout: 'A'");
  assert.equal(
    ownGraph.getOpenVertices().map(([id, session, mode]) => [id, session >>> 24, mode]),
    [["A", LockThread.number, "WL"]],
  );
});

test("are taken at once when released", async () => {
  for (const take of [
    () => ownGraph.openVertex("A", "a", 5000),
    () => ownGraph.openVertex("A", "r", -1),
    () => ownGraph.newVertex("A", { timeout: 5000 }),
    () => ownGraph.openVertices(["C", "A"], "a", 5000)[1]!,
  ]) {
    assert.is(await otherThread.order({ ...OPEN, ids: ["A", "B"] }), "done");
    await otherThread.order({ op: "release", afterMs: 50 });
    const vertex = take();
    assert.is(vertex.id, "A");
    ownGraph.closeAll();
  }
  await otherThread.order({ ...OPEN, ids: ["A"] });
  await otherThread.order({ op: "release", afterMs: 50 });
  assert.is(ownGraph.connect("A", "to", "B", { timeout: 5000 }), 1);
});

test("are shared by readers of two threads, and escalate when one leaves", async () => {
  await otherThread.order({ ...OPEN, ids: ["A"], mode: "r" });
  const vertex = ownGraph.openVertex("A", "r");
  assert.is(vertex.readers, 2);
  fails(() => vertex.escalate(30), "Acquisition timeout: 'A'");
  await otherThread.order({ op: "release", afterMs: 50 });
  vertex.escalate(5000);
  assert.is(vertex.writable(), true);
  assert.match(String(await otherThread.order({ ...OPEN, ids: ["A"] })), /Object is locked: 'A'/);
  vertex.close();
  assert.is(await otherThread.order({ ...OPEN, ids: ["A"] }), "done");
});

test("for writing delay making a graph readonly", async () => {
  await otherThread.order({ ...OPEN, ids: ["A"] });
  assert.throws(() => ownGraph.setGraphReadonly(30), /Others hold 1 writable vertices: \(A\)/);
  await otherThread.order({ op: "release", afterMs: 50 });
  ownGraph.setGraphReadonly(5000);
  assert.match(String(await otherThread.order({ ...OPEN, ids: ["A"] })), /Graph is readonly/);
});

test("are noticed by asynchronous waits when released in another thread", async () => {
  await otherThread.order({ ...OPEN, ids: ["A"] });
  const waiting = ownGraph.openVertexAsync("A");
  await otherThread.order({ op: "release", afterMs: 20 });
  assert.is((await waiting).id, "A");
  ownGraph.closeAll();
});

test("make writes of the previous holder visible", async () => {
  const rounds = 2000;
  const counting = otherThread.order({ op: "count", rounds });
  for (let round = 0; round < rounds; round++) countAlone(ownGraph);
  assert.is(await counting, "done");
  assert.is(ownGraph.openVertex("A", "r").getProperty("n"), 2 * rounds);
});

test("detect a deadlock at once and report both sessions", async () => {
  ownGraph.openVertex("A");
  assert.is(await otherThread.order({ ...OPEN, ids: ["B"] }), "done");
  const waiting = otherThread.order({ ...OPEN, ids: ["A"], timeout: 60_000 });
  while (store.locks.waits().length === 0) await nextTurn();
  const otherSession = store.locks.waits()[0]!.session;
  const own = ownGraph.getOpenVertices().find(([id]) => id === "A")![1];
  const message =
    `Deadlock: session ${own} waits for 'B', whose holder session ${otherSession} waits for 'A', ` +
    `held by the first session (threads ${TEST_THREAD}, ${LockThread.number}); ` +
    "lock vertices together: openVertices([a, b])";
  fails(() => ownGraph.openVertex("B", "a", -1), message);
  const error = await ownGraph.openVertexAsync("B", "a", -1).catch((reason: Error) => reason);
  assert.is((error as Error).message, message);
  ownGraph.closeAll();
  assert.is(await waiting, "done");
  assert.equal(store.locks.waits(), []);
  await otherThread.order({ op: "release", afterMs: 0 });
});

test("detect a deadlock of two escalating readers", async () => {
  const vertex = ownGraph.openVertex("A", "r");
  assert.is(await otherThread.order({ ...OPEN, mode: "r", ids: ["A"] }), "done");
  const waiting = otherThread.order({ op: "escalate", timeout: 60_000 });
  while (store.locks.waits().length === 0) await nextTurn();
  assert.throws(() => vertex.escalate(60_000), /^Deadlock: session \d+ waits for 'A'/);
  ownGraph.closeAll();
  assert.is(await waiting, "done");
  await otherThread.order({ op: "release", afterMs: 0 });
});

test("are released when their thread dies", async () => {
  await otherThread.order({ ...OPEN, ids: ["A", "B"] });
  await otherThread.order({ ...OPEN, ids: ["C"], mode: "r" });
  await otherThread.order({ ...OPEN, ids: ["made"], mode: "w" });
  const waiting = ownGraph.openVertexAsync("A");
  ownGraph.createVertex("mine");
  const thirdGraph = openStore(store);
  thirdGraph.openVertex("mine");
  void otherThread.order({ ...OPEN, ids: ["mine"], timeout: 60_000 });
  const isTheirs = ({ session }: { session: number }) => session >>> 24 === LockThread.number;
  while (!store.locks.waits().some(isTheirs)) await nextTurn();
  await otherThread.end();
  assert.is(ownGraph.getOpenVertices().length, 5);
  assert.is(recoverGraph(store, LockThread.number), true);
  assert.is((await waiting).id, "A");
  assert.equal(store.locks.waits(), []);
  assert.equal(
    ownGraph
      .getOpenVertices()
      .map(([id]) => id)
      .sort(),
    ["A", "mine"],
  );
  assert.is(ownGraph.openVertices(["B", "C", "made"]).length, 3);
  thirdGraph.closeAll();
});

test.run();
