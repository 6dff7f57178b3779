// Properties that searches require of every measure: scores are symmetric and bounded below, and
// kernels agree with them as far as `kernelThreshold` allows. SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PRECISIONS } from "../../../../../runtime/base/precisions.js";
import { getAccess } from "../../../../../runtime/graph/api/graph-handle.js";
import { SEQUENCE_WORDS } from "../../../../../runtime/graph/memory/layout.js";
import { HAMMING } from "../../../../../runtime/graph/vectors/measures/hamming.js";
import type { Measure } from "../../../../../runtime/graph/vectors/measures/measure.js";
import {
  compareVectors,
  MEASURES,
} from "../../../../../runtime/graph/vectors/measures/measures.js";
import { roundDown, roundUp } from "../../../../../runtime/graph/vectors/measures/score-bound.js";
import type { VectorPrecision } from "../../../../../runtime/graph/vectors/precision.js";
import { Probe } from "../../../../../runtime/graph/vectors/probe.js";
import { scoreBatch } from "../../../../../runtime/graph/vectors/score-batch.js";
import { parseVector } from "../../../../../runtime/graph/vectors/vector.js";
import {
  SLAB_WORDS,
  SLOT_WORDS,
  Slab,
  Slot,
  Space,
} from "../../../../../runtime/graph/vectors/vector-layout.js";
import { MAX_LIST } from "../../../../../runtime/graph/vectors/vector-memory.js";
import { S_SIM } from "../../../../../runtime/index.js";
import { Random, SEED } from "../../../../property/support/random.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("vector measures");
const COUNT = 200;
const LENGTH = 96;

/** A graph of a measure with random vectors of many magnitudes, one of them zero. */
function fill(measure: Measure, precision: VectorPrecision = "int8") {
  const random = new Random(SEED);
  const graph = makeGraph();
  graph.setVectorSettings({ measure: measure.name as "cosine", precision });
  const { store } = getAccess(graph);
  const parts = Array.from({ length: COUNT }, (_, index) => {
    const scale = index === 0 ? 0 : 10 ** (random.below(600) / 100 - 3);
    const numbers = Array.from({ length: LENGTH }, () =>
      measure === HAMMING ? random.below(2) : (random.below(2001) / 1000 - 1) * scale,
    );
    graph.createVertex(`v${index}`, { vector: numbers });
    return parseVector(numbers, "vector");
  });
  const { vectors: table } = store;
  const slots = parts.map((_, index) => table.slotOf(store.ids.find(`v${index}`)));
  const probe = (index: number): Probe => new Probe(table, parts[index]!);
  const score = (a: number, b: number): number => compareVectors(measure, parts[a]!, parts[b]!);
  return { graph, store, table, slots, probe, score };
}

test("a vertex that changes during a batch is scored separately", () => {
  const { graph, store, table, slots, probe } = fill(MEASURES[0]!);
  const vertices = slots.map((slot) => table.memory.words[slot]!);
  const heads = Uint32Array.from(vertices.flatMap((vertex) => [vertex, 0, 0]));
  const { ints } = store.memory.sequence;
  const held = vertices[2]! * SEQUENCE_WORDS;
  const kernel = table.memory.kernel!;
  const dots: typeof kernel.dots = (...args) => {
    graph.createVertex("v1", { vector: [1, 2, 3] });
    kernel.dots(...args);
  };
  table.memory.kernel = { ...kernel, dots };
  Atomics.add(ints, held, 1);
  probe(3).prepare(heads, 0, heads.length);
  Atomics.sub(ints, held, 1);
  const known = vertices.filter((vertex) => scoreBatch.find(vertex) >= 0);
  assert.equal(known, [vertices[0], ...vertices.slice(3)]);
  scoreBatch.clear();
});

test("slots that would end beyond the memory are not scored in a batch", () => {
  const { store, table, slots, probe } = fill(MEASURES[0]!);
  const { words } = table.memory;
  const vertices = slots.slice(0, 3).map((slot) => words[slot]!);
  // Torn reads can return them: the last offset that holds a vector, the next, and one far beyond.
  const last = words.length - SLOT_WORDS - LENGTH / 4;
  const torn = [last, last + 1, 0xffff_fff0];
  for (const [index, slot] of torn.entries()) {
    store.memory.vectorSlots.words[vertices[index]!] = slot;
    if (index < 2) words[slot + Slot.Length] = LENGTH;
  }
  const heads = Uint32Array.from(vertices.flatMap((vertex) => [vertex, 0, 0]));
  probe(3).prepare(heads, 0, heads.length);
  assert.equal([...scoreBatch.vertices.subarray(0, scoreBatch.length)], [vertices[0]]);
  scoreBatch.clear();
});

for (const measure of MEASURES) {
  test(`${measure.name}: scores are symmetric and bounded below`, () => {
    const { score } = fill(measure);
    for (let index = 1; index < COUNT; index++) {
      assert.is(score(index, index - 1), score(index - 1, index));
      assert.ok(score(index, index - 1) >= measure.lowest);
    }
  });

  test(`${measure.name}: a vector in the graph is compared like its copy outside`, () => {
    const { table, slots, probe, score } = fill(measure);
    for (const index of [0, 1, 2, 3]) {
      const compared = probe(index);
      for (let otherIndex = 0; otherIndex < COUNT; otherIndex++) {
        const vertex = table.memory.words[slots[otherIndex]!]!;
        assert.is(compared.similarity(vertex), score(index, otherIndex));
      }
    }
  });

  test(`${measure.name}: vectors scored together have the scores of single ones`, () => {
    const { graph, store, table, slots, probe } = fill(measure);
    graph.createVertex("short", { vector: [1, 1, 0] });
    graph.createVertex("bare");
    const others = ["short", "bare"].map((id) => store.ids.find(id));
    const vertices = [...slots.map((slot) => table.memory.words[slot]!), ...others, 2 ** 20];
    const heads = Uint32Array.from(vertices.flatMap((vertex) => [vertex, 0, 0]));
    for (const index of [0, 1, 2, 3]) {
      const compared = probe(index);
      const single = vertices.map((vertex) => compared.similarity(vertex, Number.NaN));
      compared.prepare(heads, 0, heads.length);
      assert.is(scoreBatch.length, COUNT);
      for (const vertex of vertices) {
        assert.is(scoreBatch.find(vertex) >= 0, vertices.indexOf(vertex) < COUNT);
      }
      const together = vertices.map((vertex) => compared.similarity(vertex, Number.NaN));
      assert.equal(together, single);
      compared.forget();
      for (const vertex of vertices) assert.is(scoreBatch.find(vertex), -1);
    }
  });

  test(`${measure.name}: kernel scores reach the kernel threshold of the score`, () => {
    const { table, slots, probe, score } = fill(measure);
    const { memory } = table;
    const { list, scores } = memory;
    for (const at of [0, 1, 2, 3]) {
      const compared = probe(at);
      for (const [index, slot] of slots.entries()) list[index] = memory.addressOf(slot);
      const terms = compared.terms(LENGTH);
      compared.scoreList(LENGTH, COUNT);
      for (let otherIndex = 0; otherIndex < COUNT; otherIndex++) {
        const kernelMinimum = measure.kernelThreshold(score(at, otherIndex), terms);
        assert.ok(scores[MAX_LIST + otherIndex]! >= kernelMinimum, `slot ${otherIndex}`);
      }
    }
  });

  for (const precision of ["int8", "float16", "float32"] as const) {
    test(`${measure.name}: slots of ${precision} scored together have their exact scores`, () => {
      const { table, slots, probe } = fill(measure, precision);
      const length = table.memory.words[slots[0]! + Slot.Length]!;
      const scores = new Float64Array(COUNT);
      for (const index of [0, 1, 2, 3]) {
        const compared = probe(index);
        const exact = slots.map((slot) => compared.similarity(table.memory.words[slot]!));
        compared.scoreSlots(length, Uint32Array.from(slots), COUNT, scores);
        assert.equal([...scores], exact);
      }
    });
  }

  test(`${measure.name}: a scan finds every slot that reaches the threshold`, () => {
    const { table, slots, probe, score } = fill(measure);
    const { memory } = table;
    const compared = probe(5);
    const terms = compared.terms(LENGTH);
    const exact = slots.map((_, index) => score(5, index));
    const threshold = exact.toSorted((a, b) => b - a)[20]!;
    const slotsFound = new Set<number>();
    const [space] = table.spaces();
    let slab = table.readSpace(space!, Space.FirstSlab);
    for (; slab !== 0; slab = memory.words[slab + Slab.Next]!) {
      const first = memory.addressOf(slab + SLAB_WORDS);
      const used = memory.words[slab + Slab.Used]!;
      const kernelMinimum = measure.kernelThreshold(threshold, terms);
      const count = compared.scanSlots(LENGTH, first, used, kernelMinimum);
      for (let index = 0; index < count; index++)
        slotsFound.add(memory.wordAt(memory.list[2 * index]!));
    }
    for (const [index, slot] of slots.entries()) {
      if (exact[index]! >= threshold) assert.ok(slotsFound.has(slot), `slot ${index}`);
    }
    assert.ok(slotsFound.size >= 21 && slotsFound.size < COUNT);
  });
}

for (const precision of PRECISIONS) {
  test(`hamming: nearest ${precision} vectors have the fewest different components`, () => {
    const random = new Random(SEED);
    const graph = makeGraph();
    graph.setVectorSettings({ measure: "hamming", precision });
    const vectors = Array.from({ length: COUNT }, (_, index) =>
      Array.from({ length: LENGTH }, () => (index === 0 ? 0 : random.below(2))),
    );
    for (const [index, vector] of vectors.entries()) graph.createVertex(`v${index}`, { vector });
    for (const probe of vectors.slice(0, 3)) {
      const different = vectors.map(
        (vector) => vector.filter((bit, index) => bit !== probe[index]).length,
      );
      const nearest = graph.nearest(probe, { hits: 20 });
      const best = different.toSorted((a, b) => a - b).slice(0, 20);
      assert.equal(
        nearest.map(({ similarity }) => Math.abs(similarity)),
        best,
      );
      for (const { id, similarity } of nearest) {
        assert.is(Math.abs(similarity), different[Number(id.slice(1))]);
      }
      const [first] = graph.vertices({ vector: probe, sortby: S_SIM, hits: 1 });
      assert.is(different[Number(String(first).slice(1))], 0);
    }
  });
}

test("hamming: rejects vectors with components other than 0 and 1", () => {
  const graph = makeGraph();
  graph.setVectorSettings({ measure: "hamming" });
  const errorPattern = /^vector: the measure hamming compares vectors of 0 and 1$/;
  for (const vector of [
    [0.5, 0],
    [1, 0.5],
    [2, 0],
    [-1, 1],
  ]) {
    assert.throws(() => graph.createVertex("v", { vector }), errorPattern);
  }
  graph.setVectorSettings({ measure: "hamming", precision: "float32" }, "bits");
  const [close, same] = [{ bits: [1, 0.999] }, { bits: [1, 1] }];
  assert.throws(() => graph.createVertex("v", { vectors: close }), /^bits: the measure/);
  graph.createVertex("v", { vector: [0, 0, 1], vectors: same });
  assert.is(graph.nearest([1, 0, 1])[0]!.similarity, -1);
});

test("rounding keeps bounds of infinite thresholds", () => {
  assert.is(roundDown(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  assert.is(roundDown(Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY);
  assert.ok(roundDown(1 / 3) < 1 / 3 && roundUp(1 / 3) > 1 / 3);
});

test.run();
