// Vectors of vertices: set, read, replaced and removed, alone and with the vertex, and in log
// records.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { TRANSACTION_HEAD_WORDS } from "../../../../runtime/graph/memory/commit-ring.js";
import { DataError, ValueError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, makeUnit, packed, takeUnits } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
}

const test = suite<Context>("vertex vectors");

test.before.each((context) => {
  const store = loggedStore();
  Object.assign(context, { store, graph: openStore(store) });
});

test.after.each(({ store }) => {
  checkStore(store);
});

test("allow one vector per vertex", ({ graph }) => {
  graph.createVertex("a");
  const vertex = graph.openVertex("a");
  assert.equal([vertex.hasVector(), vertex.getVector().length, vertex.vector], [false, 0, []]);
  assert.not(vertex.removeVector());
  vertex.setVector([3, 4]);
  assert.is(vertex.vector[1], 4);
  vertex.setVector(new Vector([1, 2]));
  assert.ok(vertex.getVector().equals([1, 2]));
  assert.equal(vertex.asDict().vector, new Vector([1, 2]).external);
  assert.is(graph.objcnt.vectors, 1);
  vertex.setVector(new Array(100).fill(1));
  assert.is(vertex.getVector().length, 128);
  assert.ok(vertex.removeVector());
  assert.equal([vertex.hasVector(), graph.objcnt.vectors], [false, 0]);
  vertex.setVector([1]);
  vertex.setVector([]);
  assert.not(vertex.hasVector());
  vertex.close();
});

test("are set on creation, and removed with the vertex", ({ graph }) => {
  graph.createVertex("a", { vector: [1, 0] });
  graph.createVertex("b", "thing", { vector: [0, 1] });
  graph.connect("b", "to", "a");
  graph.createVertex("a", { properties: { x: 1 } });
  assert.is(graph.objcnt.vectors, 2);
  graph.deleteVertex("a");
  using virtual = graph.getVertex("a");
  assert.equal([virtual.virtual, virtual.hasVector()], [true, false]);
  virtual.close();
  graph.truncate("thing");
  assert.is(graph.objcnt.vectors, 0);
  graph.createVertex("c", { vector: [1] });
  graph.truncate();
  assert.equal([graph.objcnt.vectors, graph.nearest([1])], [0, []]);
  graph.createVertex("d", { vector: [1] });
  assert.equal(graph.nearest([1]), [{ id: "d", similarity: 1 }]);
});

test("make a virtual vertex real when set", ({ graph }) => {
  graph.connect("a", "to", "b");
  const vertex = graph.openVertex("b");
  vertex.setVector([1]);
  assert.not(vertex.virtual);
  vertex.close();
});

test("leave nothing behind when invalid", ({ graph }) => {
  const expectRejection = (vector: number[], text: RegExp): void => {
    assert.throws(
      () => graph.createVertex("a", { vector, properties: { x: 1 } }),
      (error: Error) => error instanceof ValueError && text.test(error.message),
    );
  };
  expectRejection([1, Number.NaN], /vector\[1\] is NaN/);
  expectRejection(new Array(65_473).fill(1), /exceeds/);
  assert.not(graph.hasVertex("a"));
  graph.createVertex("a");
  using readonly = graph.openVertex("a", "r");
  assert.throws(() => readonly.setVector([1]), /not writable/);
  assert.throws(() => readonly.removeVector(), /not writable/);
  assert.throws(() => graph.nearest([]), /null vector/);
  assert.throws(() => graph.nearest(readonly), /null vector/);
});

test("are logged as records", ({ graph, store }) => {
  graph.createVertex("a");
  const vertex = graph.openVertex("a");
  vertex.setVector([127, -1]);
  vertex.removeVector();
  vertex.close();
  const units = takeUnits(store).slice(1);
  const otherStore = GraphStore.create("test", TEST_THREAD);
  openStore(otherStore).createVertex("a");
  const [set, removed] = units.map((transaction) => [
    ...transaction.subarray(TRANSACTION_HEAD_WORDS),
  ]);
  assert.equal(set, [0x10e, set![1], 0x3f80_0000, 1, 0x61, 32, 0xff7f, 0, 0, 0, 0, 0, 0, 0]);
  assert.equal(removed, [0xf, removed![1], 1, 0x61]);
  applyTransaction(otherStore, units[0]!, 0);
  assert.equal(openStore(otherStore).getVertex("a").vector.slice(0, 2), [127, -1]);
  applyTransaction(otherStore, units[1]!, 0);
  assert.is(otherStore.vectors.count, 0);
  checkStore(otherStore);
});

test("are rejected in invalid records", ({ graph, store }) => {
  graph.createVertex("a");
  store.memory.log!.isOn = false;
  const bytes = new Array<number>(32).fill(0);
  const expectRejection = (kind: number, scale: number, content: number[], text: RegExp): void => {
    const record = [0xe | (kind << 8), 0, scale, ...packed("a"), ...packed(content)];
    assert.throws(
      () => applyTransaction(store, makeUnit(store.operationCount, record), 0),
      (error: Error) => error instanceof DataError && text.test(error.message),
    );
  };
  expectRejection(0, 0x3f80_0000, bytes, /kind of vectors/);
  expectRejection(6, 0x3f80_0000, bytes, /kind of vectors/);
  expectRejection(2, 0x3f80_0000, bytes, /features of a vector/);
  expectRejection(1, 0x3f80_0000, [], /length of a vector/);
  expectRejection(1, 0x3f80_0000, [0], /corrupt operation record/);
  expectRejection(1, 0x7fc0_0000, bytes, /scale of a vector/);
  expectRejection(1, 0x7f80_0000, bytes, /scale of a vector/);
  expectRejection(1, 0xbf80_0000, bytes, /scale of a vector/);
  expectRejection(1, 0x3f80_0000, [0x80, ...bytes.slice(1)], /corrupt operation record/);
  const float16 = new Array<number>(64).fill(0);
  const float32 = new Array<number>(128).fill(0);
  expectRejection(3, 0, bytes, /length of a vector/);
  expectRejection(4, 0, float16, /length of a vector/);
  // A scale that does not fit, and components that are not finite.
  expectRejection(3, 0x3f80_0000, float16, /components of a vector/);
  expectRejection(4, 0, [...float32.slice(1), 0x3f], /components of a vector/);
  expectRejection(4, 1, [...float32.slice(1), 0x3f], /components of a vector/);
  expectRejection(3, 0x3f80_0000, [...float16.slice(1), 0x7c], /components of a vector/);
  expectRejection(4, 0x3f80_0000, [...float32.slice(2), 0x80, 0x7f], /components of a vector/);
  // Bits have no scale, and a multiple of 4 bytes.
  expectRejection(5, 0x3f80_0000, [1, 2, 3], /length of a vector/);
  expectRejection(5, 0x3f80_0000, new Array<number>(8188).fill(0), /length of a vector/);
  expectRejection(5, 0, bytes, /length of a vector/);
  assert.is(store.vectors.count, 0);
});

test("are created and compared by sim", ({ graph }) => {
  const { sim } = graph;
  assert.is(sim.newVector([1, 2]).length, 32);
  assert.is(sim.newCentroid([]).length, 0);
  const centroid = sim.newCentroid([
    [1, 0, 0, 0.5],
    [0.5, 0.5, 0, 0],
  ]);
  assert.ok(Math.abs(centroid.external[0]! - 1.5) < 0.01);
  const many = new Array(150_000).fill(sim.newVector([1, 0]));
  assert.equal(sim.newCentroid(many).external.slice(0, 2), [150_000, 0]);
  assert.is(sim.rvec(33).length, 64);
  assert.throws(() => sim.rvec(-1), /length must be/);
  assert.is(sim.similarity([1], [1]), 1);
  assert.is(sim.cosine([1], [-1]), -1);
  assert.is(sim.jaccard([1], [1]), 0);
  assert.is(sim.hammingDistance([1, 0, 0, 0.5], [0.5, 0.5]), 14);
  assert.is(sim.euclideanDistance([], []), 0);
  assert.is(sim.fingerprint([1, 0.5]), 10050035064719816136n);
  assert.is.not(sim.fingerprint([1, 0.5], 1087), sim.fingerprint([1, 0.5]));
  assert.is(sim.fingerprint([1, 0.5]), 10050035064719816136n);
  assert.is(sim.asDict().max_vector_size, 65_472);
  assert.throws(() => sim.newCentroid([[1], ["x" as unknown as number]]), /vectors\[1\]\[0\]/);
});

test.run();
