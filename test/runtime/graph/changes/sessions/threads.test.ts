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
let mine: Graph;
let otherThread: LockThread;

test.before(() => {
  otherThread = new LockThread();
});

test.before.each(async () => {
  store = GraphStore.create("test", TEST_THREAD);
  mine = openStore(store);
  for (const id of ["A", "B", "C"]) mine.createVertex(id);
  await otherThread.order({ op: "use", share: store.share });
});

test.after(() => otherThread.end());

const OPEN = { op: "open", mode: "a", timeout: 0 } as const;

function fails(run: () => unknown, message: string): void {
  assert.throws(run, (error: Error) => error.name === "AccessError" && error.message === message);
}

test("wait for another thread up to the timeout", async () => {
  assert.is(await otherThread.order({ ...OPEN, ids: ["A"] }), "done");
  fails(() => mine.openVertex("A"), "Object is locked: 'A'");
  fails(() => mine.openVertex("A", "r", 30), "Acquisition timeout: 'A'");
  fails(() => mine.openVertices(["B", "A"], "a", 30), "Acquisition timeout: 'A'");
  fails(() => mine.connect("A", "to", "B", { timeout: 30 }), "Acquisition timeout: 'A'");
  fails(() => mine.deleteVertex("A", 30), "Acquisition timeout: 'A'");
  assert.equal(
    mine.getOpenVertices().map(([id, session, mode]) => [id, session >>> 24, mode]),
    [["A", LockThread.number, "WL"]],
  );
});

test("are taken at once when released", async () => {
  for (const take of [
    () => mine.openVertex("A", "a", 5000),
    () => mine.openVertex("A", "r", -1),
    () => mine.newVertex("A", { timeout: 5000 }),
    () => mine.openVertices(["C", "A"], "a", 5000)[1]!,
  ]) {
    assert.is(await otherThread.order({ ...OPEN, ids: ["A", "B"] }), "done");
    await otherThread.order({ op: "release", afterMs: 50 });
    const vertex = take();
    assert.is(vertex.id, "A");
    mine.closeAll();
  }
  await otherThread.order({ ...OPEN, ids: ["A"] });
  await otherThread.order({ op: "release", afterMs: 50 });
  assert.is(mine.connect("A", "to", "B", { timeout: 5000 }), 1);
});

test("are shared by readers of two threads, and escalate when one leaves", async () => {
  await otherThread.order({ ...OPEN, ids: ["A"], mode: "r" });
  const vertex = mine.openVertex("A", "r");
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
  assert.throws(() => mine.setGraphReadonly(30), /Others hold 1 writable vertices: \(A\)/);
  await otherThread.order({ op: "release", afterMs: 50 });
  mine.setGraphReadonly(5000);
  assert.match(String(await otherThread.order({ ...OPEN, ids: ["A"] })), /Graph is readonly/);
});

test("are noticed by asynchronous waits when released in another thread", async () => {
  await otherThread.order({ ...OPEN, ids: ["A"] });
  const waiting = mine.openVertexAsync("A");
  await otherThread.order({ op: "release", afterMs: 20 });
  assert.is((await waiting).id, "A");
  mine.closeAll();
});

test("make writes of the former holder visible", async () => {
  const rounds = 2000;
  const counting = otherThread.order({ op: "count", rounds });
  for (let round = 0; round < rounds; round++) countAlone(mine);
  assert.is(await counting, "done");
  assert.is(mine.openVertex("A", "r").getProperty("n"), 2 * rounds);
});

test("detect a deadlock at once and report both sessions", async () => {
  mine.openVertex("A");
  assert.is(await otherThread.order({ ...OPEN, ids: ["B"] }), "done");
  const waiting = otherThread.order({ ...OPEN, ids: ["A"], timeout: 60_000 });
  while (store.locks.waits().length === 0) await nextTurn();
  const theirs = store.locks.waits()[0]!.session;
  const own = mine.getOpenVertices().find(([id]) => id === "A")![1];
  const message =
    `Deadlock: session ${own} waits for 'B', whose holder session ${theirs} waits for 'A', held ` +
    `by the first session (threads ${TEST_THREAD}, ${LockThread.number}); ` +
    "lock vertices together: openVertices([a, b])";
  fails(() => mine.openVertex("B", "a", -1), message);
  const error = await mine.openVertexAsync("B", "a", -1).catch((reason: Error) => reason);
  assert.is((error as Error).message, message);
  mine.closeAll();
  assert.is(await waiting, "done");
  assert.equal(store.locks.waits(), []);
  await otherThread.order({ op: "release", afterMs: 0 });
});

test("detect a deadlock of two escalating readers", async () => {
  const vertex = mine.openVertex("A", "r");
  assert.is(await otherThread.order({ ...OPEN, mode: "r", ids: ["A"] }), "done");
  const waiting = otherThread.order({ op: "escalate", timeout: 60_000 });
  while (store.locks.waits().length === 0) await nextTurn();
  assert.throws(() => vertex.escalate(60_000), /^Deadlock: session \d+ waits for 'A'/);
  mine.closeAll();
  assert.is(await waiting, "done");
  await otherThread.order({ op: "release", afterMs: 0 });
});

test("are released when their thread dies", async () => {
  await otherThread.order({ ...OPEN, ids: ["A", "B"] });
  await otherThread.order({ ...OPEN, ids: ["C"], mode: "r" });
  await otherThread.order({ ...OPEN, ids: ["made"], mode: "w" });
  const waiting = mine.openVertexAsync("A");
  mine.createVertex("mine");
  const thirdGraph = openStore(store);
  thirdGraph.openVertex("mine");
  void otherThread.order({ ...OPEN, ids: ["mine"], timeout: 60_000 });
  const isTheirs = ({ session }: { session: number }) => session >>> 24 === LockThread.number;
  while (!store.locks.waits().some(isTheirs)) await nextTurn();
  await otherThread.end();
  assert.is(mine.getOpenVertices().length, 5);
  assert.is(recoverGraph(store, LockThread.number), true);
  assert.is((await waiting).id, "A");
  assert.equal(store.locks.waits(), []);
  assert.equal(
    mine
      .getOpenVertices()
      .map(([id]) => id)
      .sort(),
    ["A", "mine"],
  );
  assert.is(mine.openVertices(["B", "C", "made"]).length, 3);
  thirdGraph.closeAll();
});

test.run();
