// Binary vectors against lists of 0 and 1: searches by scan and by index, by all measures and kinds
// of probes, and copies by log and snapshot. ROUNDS=n runs more, SEED=n repeats a run.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { convertVectors } from "../../runtime/graph/changes/vector-settings.js";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/manager/snapshot/save-graph.js";
import type { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { computeDigest } from "../../runtime/graph/store/verify-digest.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import { MEASURES, type VectorMeasure } from "../../runtime/graph/vectors/measures/measures.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { loggedStore, replayTo } from "../runtime/graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { naiveScore } from "./support/naive-score.js";
import { Random, SEED } from "./support/random.js";

const test = suite("binary vectors");
const ROUNDS = rounds(2);
/** One word, less and more than 16 bytes, and no multiple of 32. */
const LENGTHS = [20, 96, 128, 300] as const;
const VERTICES = 150;

type Model = Map<string, readonly number[]>;

function randomBits(random: Random, length: number): number[] {
  const isZero = random.below(30) === 0;
  const share = 1 + random.below(9);
  return Array.from({ length }, () => Number(!isZero && random.below(10) < share));
}

/** Sets, replaces and removes vectors of several lengths; every second has a type. */
function change(graph: Graph, model: Model, random: Random, count: number): void {
  for (let index = 0; index < count; index++) {
    const id = `v${random.below(VERTICES)}`;
    if (random.below(8) === 0) {
      graph.deleteVertex(id);
      model.delete(id);
      continue;
    }
    const vector = randomBits(random, random.of(LENGTHS));
    const type = Number(id.slice(1)) % 2 === 0 ? "even" : null;
    graph.createVertex(id, { vector, type });
    model.set(id, vector);
  }
}

function checkSearch(graph: Graph, model: Model, probe: readonly number[], options = {}): void {
  const { measure } = graph.vectorSettings;
  const isEven = "condition" in options;
  const scores = [...model]
    .filter(([id]) => !isEven || Number(id.slice(1)) % 2 === 0)
    .map(([, vector]) => naiveScore(measure, vector, probe))
    .sort((a, b) => b - a);
  const nearest = graph.nearest([...probe], { hits: 12, ...options });
  assert.is(nearest.length, Math.min(12, scores.length));
  for (const [index, { id, similarity }] of nearest.entries()) {
    const exact = naiveScore(measure, model.get(id)!, probe);
    assert.ok(Math.abs(similarity - exact) < 1e-12, `${measure} of ${id}: ${similarity}, ${exact}`);
    assert.ok(Math.abs(similarity - scores[index]!) < 1e-12, `${measure}: ${id} at ${index}`);
  }
}

function build(store: GraphStore): void {
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
}

/** Vectors by id, as components. */
function contents(graph: Graph): Map<string, readonly number[]> {
  return new Map(graph.vertices().map((id) => [id, graph.getVertex(id).vector]));
}

for (const { name } of MEASURES) {
  test(`${name}: searches find the best (seed ${SEED})`, () => {
    const random = new Random();
    const measure = name as VectorMeasure;
    for (let round = 0; round < ROUNDS; round++) {
      const store = loggedStore();
      const graph = openStore(store);
      graph.setVectorSettings({ precision: "binary", measure });
      const model: Model = new Map();
      for (const isIndexed of [false, true]) {
        change(graph, model, random, 300);
        if (isIndexed) for (const length of LENGTHS) graph.index("vectors", { length });
        build(store);
        const options = isIndexed ? { approximate: { ef: VERTICES } } : {};
        for (const length of LENGTHS) {
          const bits = randomBits(random, length);
          checkSearch(graph, model, bits, options);
          checkSearch(graph, model, bits, { ...options, condition: { type: "even" } });
          // Others than 0 and 1 are compared with the bits as they are.
          checkSearch(
            graph,
            model,
            Array.from({ length }, () => random.below(9) / 4 - 1),
          );
        }
      }
      assert.equal(new Set(graph.indexes().map(({ precision }) => precision)), new Set(["binary"]));
      checkStore(store);
    }
  });
}

test("copies by log and snapshot have the same vectors", () => {
  const random = new Random();
  const folder = mkdtempSync(join(tmpdir(), "svc-binary-"));
  try {
    const store = loggedStore();
    const graph = openStore(store);
    const copy = loggedStore();
    copy.memory.log!.isOn = false;
    const model: Model = new Map();
    for (let round = 0; round < 12; round++) {
      const precision = random.of(["binary", "binary", "int8", "float16", "float32"] as const);
      graph.setVectorSettings({ precision });
      change(graph, model, random, 15);
      if (random.below(3) === 0) for (const _ of convertVectors(store));
      replayTo(store, copy);
    }
    graph.setVectorSettings({ precision: "binary" });
    change(graph, model, random, 5);
    for (const _ of convertVectors(store));
    replayTo(store, copy);
    saveGraph(store, folder, {});
    const loadedStore = loadGraph("test", folder, TEST_THREAD, { warn: assert.unreachable })!;
    for (const each of [store, copy, loadedStore]) {
      checkStore(each);
      assert.equal(contents(openStore(each)), contents(graph));
      assert.equal(computeDigest(each), computeDigest(store));
      assert.is(openStore(each).vectorSettings.precision, "binary");
    }
    for (const [id, vector] of model) {
      const stored = graph.getVertex(id).vector;
      assert.equal(stored.slice(0, vector.length), vector);
      assert.is(graph.getVertex(id).getVector().precision, "binary");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("vectors of 0 and 1 move to bits and back without a loss, while searches find them", () => {
  const random = new Random();
  const store = loggedStore();
  const graph = openStore(store);
  graph.setVectorSettings({ measure: "hamming" });
  const model: Model = new Map();
  change(graph, model, random, 300);
  for (const length of LENGTHS) graph.index("vectors", { length });
  const before = contents(graph);
  const digest = computeDigest(store);
  for (const precision of ["binary", "float32", "binary", "float16", "binary", "int8"] as const) {
    graph.setVectorSettings({ precision });
    for (const _ of convertVectors(store)) {
      checkSearch(graph, model, randomBits(random, random.of(LENGTHS)));
    }
    assert.equal(contents(graph), before);
    build(store);
    checkStore(store);
    const states = graph.indexes();
    assert.is(states.length, LENGTHS.length);
    for (const state of states) {
      assert.is(state.precision, precision);
      assert.is(state.indexed, state.vectors);
    }
  }
  assert.equal(computeDigest(store), digest);
});

test.run();
