// Graphs of binary vectors: accepted values, memory, and conversions to and from them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { convertVectors } from "../../../../runtime/graph/changes/vector-settings.js";
import { ValueError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { IndexProcessor } from "../../../../runtime/graph/vectors/index-processor.js";
import { Precision, type VectorPrecision } from "../../../../runtime/graph/vectors/precision.js";
import { Probe } from "../../../../runtime/graph/vectors/probe.js";
import { parseVector, Vector } from "../../../../runtime/graph/vectors/vector.js";
import {
  computeStride,
  countComponents,
  Slot,
  slotLength,
} from "../../../../runtime/graph/vectors/vector-layout.js";
import { MAX_LIST } from "../../../../runtime/graph/vectors/vector-memory.js";
import { Random } from "../../../property/support/random.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore } from "../support/logged-graph.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("binary vectors of a graph");

function bits(random: Random, length: number): number[] {
  return Array.from({ length }, () => random.below(2));
}

test("take an eighth of the bytes of int8 components", () => {
  const words = (precision: VectorPrecision): number => {
    const store = loggedStore();
    const graph = openStore(store);
    graph.setVectorSettings({ precision });
    graph.createVertex("a", { vector: bits(new Random(), 1024) });
    const slot = store.vectors.slotOf(store.ids.find("a"));
    return computeStride(store.memory.vectors.words[slot + Slot.Length]!) - 8;
  };
  assert.is(words("int8"), 1024 / 4);
  assert.is(words("binary"), 1024 / 32);
});

test("consist of 0 and 1: other values are rejected when set", () => {
  const graph = makeGraph();
  graph.setVectorSettings({ precision: "binary" });
  graph.setVectorSettings({ precision: "binary" }, "title");
  const errorPattern = /^vector: a graph of precision binary stores vectors of 0 and 1$/;
  for (const vector of [[0.5], [1, -1], [2, 2], [1, 0.999], new Vector([0.3, 1])]) {
    assert.throws(() => graph.createVertex("v", { vector }), errorPattern);
  }
  const isRefused = (vector: number[], text: RegExp): void => {
    assert.throws(() => graph.createVertex("v", { vectors: { title: vector } }), text);
  };
  isRefused([2], /^title: a graph of precision binary/);
  isRefused([1, Number.NaN], /title\[1\] is NaN/);
  assert.not(graph.hasVertex("v"));
  for (const vector of [[1, 0], [1, -0], new Uint8Array(32).fill(1, 0, 1), new Vector([1])]) {
    graph.createVertex("v", { vector });
    assert.equal(graph.getVertex("v").vector.slice(0, 2), [1, 0]);
  }
  graph.createVertex("v", { vector: [0, 0] });
  assert.is(graph.getVertex("v").getVector().magnitude, 0);
});

test("compute as vectors of numbers", () => {
  const graph = makeGraph();
  graph.setVectorSettings({ precision: "binary" });
  graph.createVertex("a", { vector: [1, 0, 1, 1] });
  graph.createVertex("b", { vector: [1, 1] });
  const [a, b] = ["a", "b"].map((id) => graph.getVertex(id).getVector());
  assert.is(a!.precision, "binary");
  assert.is(a!.dot(b!), 1);
  assert.is(a!.cosine(b!), 1 / Math.sqrt(6));
  assert.is(a!.euclideanDistance(b!), Math.sqrt(3));
  assert.ok(a!.equals([1, 0, 1, 1]) && new Vector([1, 1]).equals(b!));
  assert.is(a!.fingerprint, new Vector([1, 0, 1, 1]).fingerprint);
  const [two, single] = a!.add(b!).external;
  assert.ok(Math.abs(two! - 2) < 1e-6 && Math.abs(single! - 1) < 0.01);
  const sum = graph.evaluate("next.vector * vector", { head: "a", vector: b! });
  assert.is(sum, 1);
});

test("a graph of other vectors does not become binary", () => {
  const store = loggedStore();
  const graph = openStore(store);
  for (let index = 0; index < 40; index++) graph.createVertex(`v${index}`, { vector: [1, 0] });
  graph.createVertex("mean", { vector: [1, 0.5] });
  const before = graph.getVertex("mean").vector;
  const errorMessage = "the vector of 'mean' is not of 0 and 1: precision binary would lose it";
  assert.throws(
    () => graph.setVectorSettings({ precision: "binary" }),
    (error: Error) => error instanceof ValueError && error.message === errorMessage,
  );
  assert.is(graph.vectorSettings.precision, "int8");
  graph.createVertex("mean", { vector: [] });
  graph.setVectorSettings({ precision: "binary" });
  const steps = convertVectors(store);
  steps.next();
  graph.setVectorSettings({ precision: "int8" });
  graph.createVertex("v39", { vector: before });
  assert.throws(() => graph.setVectorSettings({ precision: "binary" }), /of 'v39' is not of 0/);
  for (const _ of convertVectors(store));
  assert.equal(graph.getVertex("v39").vector, before);
  checkStore(store);
});

test("an unnoticed vector from before a precision change ends the conversion", () => {
  const store = loggedStore();
  const graph = openStore(store);
  graph.createVertex("mean", { vector: [1, 0.5] });
  graph.createVertex("other", { vector: [1, 1] });
  const { vectors } = store;
  const get = vectors.get.bind(vectors);
  // As if another thread had set it after the test of all vectors.
  vectors.get = () => get(store.ids.find("other"));
  graph.setVectorSettings({ precision: "binary" });
  vectors.get = get;
  assert.throws(() => [...convertVectors(store)], /the vector of 'mean' is not of 0 and 1/);
  assert.equal(graph.getVertex("mean").vector.slice(0, 1), [1]);
  checkStore(store);
});

test("kernels score bits, and an index leads to the nearest", () => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  graph.setVectorSettings({ precision: "binary", measure: "hamming" });
  const vectors = Array.from({ length: 300 }, () => bits(random, 128));
  for (const [index, vector] of vectors.entries()) graph.createVertex(`v${index}`, { vector });
  const { vectors: table, ids } = store;
  const slots = vectors.map((_, index) => table.slotOf(ids.find(`v${index}`)));
  const length = table.memory.lengthIn(slots[0]!);
  const probe = new Probe(table, parseVector(vectors[1]!, "vector"));
  for (const otherIndex of [1, 2]) {
    probe.rebind(parseVector(vectors[otherIndex]!, "vector"));
    for (const [index, slot] of slots.entries()) {
      table.memory.list[index] = table.memory.addressOf(slot);
    }
    probe.scoreList(length, slots.length);
    for (const [index, vector] of vectors.entries()) {
      const different = vector.filter(
        (bit, position) => bit !== vectors[otherIndex]![position],
      ).length;
      assert.is(Math.abs(table.memory.scores[MAX_LIST + index]!), different);
      assert.is(Math.abs(probe.similarity(ids.find(`v${index}`))), different);
    }
  }
  graph.index("vectors", { length: 128, ef: 40 });
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  const matching = vectors.slice(0, 50).filter((vector, index) => {
    return graph.nearest(vector, { hits: 1, approximate: { ef: 20 } })[0]!.id === `v${index}`;
  });
  assert.ok(matching.length > 40, `${matching.length} of 50`);
});

test("a slot with an impossible length holds no vector", () => {
  const store = loggedStore();
  const graph = openStore(store);
  graph.setVectorSettings({ precision: "binary" });
  graph.createVertex("a", { vector: [1] });
  const { memory } = store.vectors;
  const slot = store.vectors.slotOf(store.ids.find("a"));
  const known = memory.lengthIn(slot);
  assert.is(countComponents(known), 32);
  for (const components of [0, 33, 65_504, 2 ** 28]) {
    memory.words[slot + Slot.Length] = slotLength(components, false, Precision.Binary);
    assert.is(memory.lengthIn(slot), 0, `${components}`);
  }
  const last = memory.words.length - 8;
  memory.words[last + Slot.Length] = known;
  assert.is(memory.lengthIn(last), 0);
});

test("vectors of features are as in any graph", () => {
  const graph = makeGraph();
  graph.createVertex("a", { vector: [["red", 1]] });
  graph.setVectorSettings({ precision: "binary" });
  graph.createVertex("b", { vector: [["red", 1]] });
  assert.is(graph.nearest([["red", 1]], { hits: 2 }).length, 2);
});

test("scores are equal with and without kernels", () => {
  const random = new Random();
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  graph.setVectorSettings({ precision: "binary", measure: "hamming" });
  const vectors = Array.from({ length: 20 }, () => bits(random, 300));
  const search = () => [300, 200].map((length) => graph.nearest(vectors[3]!.slice(0, length)));
  const before = graph.batch(() => {
    for (const [index, vector] of vectors.entries()) graph.createVertex(`v${index}`, { vector });
    return search();
  });
  graph.createVertex("other");
  assert.equal(search(), before);
  assert.is(before[1]!.length, 10);
});

test.run();
