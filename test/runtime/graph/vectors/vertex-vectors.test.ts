// Vectors of vertices: set, read, replaced and removed, alone and with the vertex, and what records
// say of them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { DataError, ValueError } from "../../../../runtime/graph/model/errors.js";
import { apply } from "../../../../runtime/graph/operations/apply.js";
import { decodeOperation } from "../../../../runtime/graph/operations/encode-operation.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
  /** In hexadecimal digits, without the second at which it happened. */
  records: string[];
}

const test = suite<Context>("vectors of vertices");

test.before.each((context) => {
  const store = GraphStore.make("test", TEST_THREAD);
  const records: string[] = [];
  store.recorder = (record) => {
    const hex = Buffer.from(record).toString("hex");
    records.push(`${hex.slice(0, 4)}........${hex.slice(12)}`);
  };
  Object.assign(context, { store, graph: openStore(store), records });
});

test.after.each(({ store }) => {
  checkStore(store);
});

function replay(store: GraphStore, hex: string): number {
  const record = Buffer.from(hex.replace("........", "00ca9a3b"), "hex");
  return store.writer.mutate(() => {
    decodeOperation(store, record, store.operation);
    return apply(store, store.operation);
  });
}

test("a vertex has one vector", ({ graph }) => {
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

test("vertices are made with vectors, and lose them with all else", ({ graph }) => {
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

test("who sets a vector makes a virtual vertex real", ({ graph }) => {
  graph.connect("a", "to", "b");
  const vertex = graph.openVertex("b");
  vertex.setVector([1]);
  assert.not(vertex.virtual);
  vertex.close();
});

test("a bad vector leaves nothing behind", ({ graph }) => {
  const refused = (vector: number[], text: RegExp): void => {
    assert.throws(
      () => graph.createVertex("a", { vector, properties: { x: 1 } }),
      (error: Error) => error instanceof ValueError && text.test(error.message),
    );
  };
  refused([1, Number.NaN], /vector\[1\] is NaN/);
  refused(new Array(65_473).fill(1), /exceeds/);
  assert.not(graph.hasVertex("a"));
  graph.createVertex("a");
  using readonly = graph.openVertex("a", "r");
  assert.throws(() => readonly.setVector([1]), /not writable/);
  assert.throws(() => readonly.removeVector(), /not writable/);
  assert.throws(() => graph.nearest([]), /null vector/);
  assert.throws(() => graph.nearest(readonly), /null vector/);
});

test("records of vectors", ({ graph, records }) => {
  graph.createVertex("a", { vector: [127, -1] });
  const vertex = graph.openVertex("a");
  vertex.removeVector();
  vertex.setVector([]);
  vertex.close();
  assert.equal(records, [
    "0101........016100",
    `010e........0161${"01"}20000000${"0000803f"}7fff${"00".repeat(30)}`,
    "010f........0161",
  ]);
  const other = GraphStore.make("test", TEST_THREAD);
  for (const record of records.slice(0, 2)) replay(other, record);
  assert.equal(openStore(other).getVertex("a").vector.slice(0, 2), [127, -1]);
  checkStore(other);
});

test("records that can come from nowhere are refused", ({ graph, store }) => {
  graph.createVertex("a");
  const start = "010e........0161";
  const bytes = "00".repeat(32);
  const refused = (rest: string, text: RegExp): void => {
    assert.throws(
      () => replay(store, start + rest),
      (error: Error) => error instanceof DataError && text.test(error.message),
      rest,
    );
  };
  refused(`02${"20000000"}0000803f${bytes}`, /kind of vectors/);
  refused(`01${"40000000"}0000803f${bytes}`, /length of a vector/);
  refused("01000000000000803f", /length of a vector/);
  refused("01010000000000803f00", /damaged operation record/);
  refused(`01${"20000000"}0000c07f${bytes}`, /scale of a vector/);
  refused(`01${"20000000"}0000807f${bytes}`, /scale of a vector/);
  refused(`01${"20000000"}000080bf${bytes}`, /scale of a vector/);
  refused(`01${"20000000"}0000803f80${"00".repeat(31)}`, /damaged operation record/);
  refused("0120000000", /too short/);
  assert.is(store.vectors.count, 0);
});

test("sim makes and compares vectors", ({ graph }) => {
  const { sim } = graph;
  assert.is(sim.newVector([1, 2]).length, 32);
  assert.is(sim.newCentroid([]).length, 0);
  const centroid = sim.newCentroid([
    [1, 0, 0, 0.5],
    [0.5, 0.5, 0, 0],
  ]);
  assert.ok(Math.abs(centroid.external[0]! - 1.5) < 0.01);
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
