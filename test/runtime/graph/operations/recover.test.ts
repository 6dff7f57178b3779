// Recovery from a dead thread: holding the writer mutex, vertex locks, or both, while another
// thread is dead too.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recoverGraph, releaseStaleLocks } from "../../../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { DyingStore } from "../../../property/support/dying-store.js";
import { checkStore } from "../support/check-store.js";
import { readWriter } from "../support/header-words.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore }>("recovery");
const HOLDING = 101;
const WRITING = 102;

test.before.each((context) => {
  context.store = GraphStore.create("test", TEST_THREAD);
  openStore(context.store).connect("a", "to", "b");
});

/** A thread that dies while it holds the writer mutex. */
function dieWriting({ share }: GraphStore): void {
  const dying = new DyingStore(share, WRITING);
  const graph = openStore(dying.store);
  assert.ok(dying.run(20, () => graph.connect("c", "to", "d")));
}

test("does nothing for a clean thread", ({ store }) => {
  assert.ok(recoverGraph(store, WRITING));
  checkStore(store);
});

test("releases vertex locks", ({ store }) => {
  const deadGraph = openStore(GraphStore.attach(store.share, HOLDING));
  deadGraph.openVertex("a");
  deadGraph.openVertex("new", "w");
  const otherGraph = openStore(store);
  assert.throws(() => otherGraph.deleteVertex("a"), /Object is locked: 'a'/);
  assert.ok(recoverGraph(store, HOLDING));
  assert.is(otherGraph.deleteVertex("a"), 1);
  checkStore(store);
});

test("removes a virtual vertex that only a lock kept", ({ store }) => {
  const deadGraph = openStore(GraphStore.attach(store.share, HOLDING));
  deadGraph.openVertex("new", "w");
  deadGraph.deleteVertex("new");
  assert.ok(deadGraph.hasVertex("new"));
  assert.ok(recoverGraph(store, HOLDING));
  assert.not.ok(openStore(store).hasVertex("new"));
  checkStore(store);
});

test("rolls back an unfinished write", ({ store }) => {
  dieWriting(store);
  assert.is(readWriter(store.memory), WRITING);
  assert.ok(recoverGraph(store, WRITING));
  assert.not.ok(openStore(store).hasVertex("c"));
  checkStore(store);
});

test("does not wait for another dead thread", ({ store }) => {
  openStore(GraphStore.attach(store.share, HOLDING)).openVertex("a");
  dieWriting(store);
  assert.not.ok(recoverGraph(store, HOLDING));
  assert.not.ok(releaseStaleLocks(store, HOLDING));
  assert.ok(recoverGraph(store, WRITING));
  assert.ok(releaseStaleLocks(store, HOLDING));
  assert.equal(store.locks.entries(), []);
  checkStore(store);
});

test("gives up on a dead thread's mutex after the timeout", ({ store }) => {
  dieWriting(store);
  assert.not.ok(store.writer.tryBegin(1));
  assert.not.ok(store.writer.isWriting);
  assert.ok(recoverGraph(store, WRITING));
  assert.ok(store.writer.tryBegin(1));
  store.writer.end();
  checkStore(store);
});

test.run();
