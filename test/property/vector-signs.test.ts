// Indexes of signs against a naive model: recall on clustered vectors, scores in the precision of
// the graph, and every change, by which signs may lag behind. ROUNDS=n runs more, SEED=n repeats a
// run.
// limit: 60 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PRECISIONS } from "../../runtime/base/precisions.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { convertVectors } from "../../runtime/graph/changes/vector-settings.js";
import { findVectors } from "../../runtime/graph/changes/vectors.js";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/manager/snapshot/save-graph.js";
import type { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { computeDigest } from "../../runtime/graph/store/verify-digest.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import type { VectorMeasure } from "../../runtime/graph/vectors/measures/measures.js";
import { NearestTopK } from "../../runtime/graph/vectors/nearest-top-k.js";
import type { VectorPrecision } from "../../runtime/graph/vectors/precision.js";
import { Probe } from "../../runtime/graph/vectors/probe.js";
import { scanVectors } from "../../runtime/graph/vectors/scan-vectors.js";
import { parseVector } from "../../runtime/graph/vectors/vector.js";
import { Space } from "../../runtime/graph/vectors/vector-layout.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { loggedStore, replayTo } from "../runtime/graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { naiveScore } from "./support/naive-score.js";
import { Random, SEED } from "./support/random.js";

const test = suite("sign indexes");
const ROUNDS = rounds(1);
const LENGTH = 96;
const VERTICES = 360;
const HITS = 10;

type Model = Map<string, readonly number[]>;

/**
 * Returns a generator of vectors around few centers, far from the origin, and with a few components
 * that are much larger than the others: signs of the components alone would tell little of them.
 */
function clusters(random: Random): () => number[] {
  const bell = (): number => (random.below(1001) + random.below(1001)) / 500 - 2;
  const far = Array.from({ length: LENGTH }, () => 2 * bell());
  const factors = far.map((_, index) => (index % 31 === 3 ? 12 : 1));
  const centers = Array.from({ length: 12 }, () => far.map(bell));
  return () => {
    const center = random.of(centers);
    return far.map((value, index) =>
      Math.fround((value + center[index]! + bell() / 2) * factors[index]!),
    );
  };
}

function change(graph: Graph, model: Model, random: Random, next: () => number[], count: number) {
  for (let index = 0; index < count; index++) {
    const id = `v${random.below(VERTICES)}`;
    if (random.below(8) === 0) {
      graph.deleteVertex(id);
      model.delete(id);
      continue;
    }
    const vector = next();
    graph.createVertex(id, { vector, type: Number(id.slice(1)) % 2 === 0 ? "even" : null });
    model.set(id, vector);
  }
}

interface Search {
  readonly name?: string;
  /** Only vertices with an even number. */
  readonly isEven?: boolean;
  /** Share of those, if the search is to walk over the others. */
  readonly over?: number;
  /** False before the index is complete, or while the precision moves (default: true). */
  readonly isBuilt?: boolean;
}

/** Returns the share of the true best that searches find; checks scores, and what they read. */
function recall(
  store: GraphStore,
  model: Model,
  probes: readonly number[][],
  { name = "", isEven = false, over = 1, isBuilt = true }: Search = {},
): number {
  const table = findVectors(store, name)!;
  const measure = table.measure.name;
  const precision = PRECISIONS[table.precision]!;
  const isWanted = (id: string): boolean => !isEven || Number(id.slice(1)) % 2 === 0;
  const accepts = (vertex: number): boolean => isWanted(store.ids.idOf(vertex));
  let [matched, total] = [0, 0];
  for (const numbers of probes) {
    const exact = new Map(
      [...model]
        .filter(([id]) => isWanted(id))
        .map(([id, vector]) => [id, naiveScore(measure, vector, numbers)]),
    );
    const best = [...exact].sort(([, a], [, b]) => b - a).slice(0, HITS);
    const probe = new Probe(table, parseVector(numbers, "probe"));
    const results = new NearestTopK(HITS);
    const filter = isEven ? { accepts, serial: 0 } : null;
    let compared = 0;
    const poll = (count: number): void => {
      compared += count;
    };
    scanVectors({ table, probe, best: results, accepts, filter, poll }, 120, over);
    if (isBuilt && !isEven) assert.is(compared, 120, "only candidates of the index are compared");
    const tolerance = { float32: 1e-9, float16: 2e-3, int8: 3e-2, binary: 0 }[precision];
    for (const { vertex, score: similarity } of results.sorted()) {
      const id = store.ids.idOf(vertex);
      const expected = exact.get(id)!;
      const isClose = Math.abs(similarity - expected) <= tolerance * (Math.abs(expected) + 1);
      assert.ok(isClose, `${measure} of ${id}: ${similarity}, not ${expected}`);
      if (best.some(([bestId]) => bestId === id)) matched++;
    }
    assert.is(results.count, best.length);
    total += best.length;
  }
  return matched / total;
}

function build(store: GraphStore): void {
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
}

for (const [measure, precision, minRecall] of [
  ["cosine", "float32", 0.95],
  ["l2", "float16", 0.95],
  ["dot", "int8", 0.9],
] as const satisfies readonly (readonly [VectorMeasure, VectorPrecision, number])[]) {
  test(`${measure}, ${precision}: find the best among changes (seed ${SEED})`, () => {
    const random = new Random();
    for (let round = 0; round < ROUNDS; round++) {
      const next = clusters(random);
      const probes = Array.from({ length: 12 }, next);
      const store = loggedStore();
      const graph = openStore(store);
      const model: Model = new Map();
      graph.setVectorSettings({ precision, measure });
      graph.index("vectors", { length: LENGTH, signs: true });
      build(store);
      for (let part = 0; part < 4; part++) {
        change(graph, model, random, next, part === 0 ? 1200 : 60);
        // Before and after the signs of the last changes are computed.
        for (const isBuilt of [false, true]) {
          if (isBuilt) build(store);
          const isComplete = isBuilt || part > 0;
          const share = recall(store, model, probes, { isBuilt: isComplete });
          assert.ok(share >= minRecall, `${part}, built: ${isBuilt}`);
        }
        const [state] = graph.indexes();
        assert.equal([state!.signs, state!.indexed], [true, model.size]);
      }
      for (const over of [1, 0.5]) {
        const share = recall(store, model, probes, { isEven: true, over });
        assert.ok(share >= minRecall, `with a condition, ${over}`);
      }
      checkStore(store);
    }
  });
}

test(`survive precision changes, copies, drops and new requests (seed ${SEED})`, () => {
  const random = new Random();
  const next = clusters(random);
  const probes = Array.from({ length: 8 }, next);
  const folder = mkdtempSync(join(tmpdir(), "svc-signs-"));
  try {
    const store = loggedStore();
    const graph = openStore(store);
    const copy = loggedStore();
    copy.memory.log!.isOn = false;
    const model: Model = new Map();
    for (const name of ["", "title"]) graph.setVectorSettings({ precision: "float32" }, name);
    change(graph, model, random, next, 1200);
    for (const [id, vector] of model) graph.createVertex(id, { vectors: { title: vector } });
    const options = { length: LENGTH, signs: true };
    graph.index("vectors", options);
    graph.index("vectors", { ...options, name: "title" });
    build(store);
    for (const precision of ["float16", "int8"] as const) {
      graph.setVectorSettings({ precision });
      for (const _ of convertVectors(store)) assert.is(graph.indexes().length, 2);
      assert.ok(recall(store, model, probes.slice(0, 2)) >= 0.7);
      build(store);
    }
    replayTo(store, copy);
    saveGraph(store, folder, {});
    const loadedStore = loadGraph("test", folder, TEST_THREAD, { warn: assert.unreachable })!;
    build(copy);
    for (const each of [store, copy, loadedStore]) {
      assert.ok(recall(each, model, probes, { name: "title" }) >= 0.95);
      assert.equal(openStore(each).indexes(), graph.indexes());
      assert.equal(computeDigest(each), computeDigest(store));
    }
    checkStore(loadedStore);
    for (const name of ["", "title"]) {
      assert.ok(graph.dropIndex("vectors", { length: LENGTH, ...(name !== "" && { name }) }));
    }
    assert.is(graph.dropIndex("vectors", { length: LENGTH }), false);
    graph.index("vectors", { ...options, name: "title" });
    build(store);
    checkStore(store);
    assert.equal(
      graph.indexes().map(({ name, indexed }) => [name, indexed]),
      [["title", model.size]],
    );
    graph.index("vectors", { length: LENGTH });
    build(store);
    assert.ok(recall(store, model, probes) >= 0.9, "by an index without signs");
    const dropped = store.vectorFields.findSigns(0, LENGTH)!;
    assert.equal(
      [dropped.hasCenter, dropped.table.readSpace(dropped.space, Space.Slots)],
      [false, 0],
    );
    graph.truncate();
    build(store);
    assert.equal([graph.indexes(), store.vectorFields.allSigns()], [[], []]);
    checkStore(store);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test(`are removed with their vectors, and after a drop has ended a build (seed ${SEED})`, () => {
  const random = new Random();
  const next = clusters(random);
  const store = loggedStore();
  const graph = openStore(store);
  const model: Model = new Map();
  change(graph, model, random, next, 1200);
  const options = { length: LENGTH, signs: true };
  graph.index("vectors", options);
  const signs = store.vectorFields.findSigns(0, LENGTH)!;
  const previousProcessor = new IndexProcessor(store, assert.unreachable);
  while (signs.table.count < 50) previousProcessor.run(0);
  const removed = [...model.keys()].find((id) => signs.table.has(store.ids.find(id)))!;
  graph.deleteVertex(removed);
  model.delete(removed);
  const processor = new IndexProcessor(store, assert.unreachable);
  while (graph.indexes()[0]!.indexed < 100) processor.run(0);
  assert.is(signs.table.count, model.size, "not of a vector removed meanwhile");
  graph.dropIndex("vectors", { length: LENGTH });
  while (processor.run(1000));
  checkStore(store);
  build(store);
  checkStore(store);
  assert.equal([signs.hasCenter, signs.table.readSpace(signs.space, Space.Slots)], [false, 0]);
  graph.index("vectors", options);
  build(store);
  assert.is(graph.indexes()[0]!.indexed, model.size);
  checkStore(store);
});

test("reject vectors that have no signs, and a second form", () => {
  const store = loggedStore();
  const graph = openStore(store);
  const options = { length: LENGTH, signs: true };
  graph.setVectorSettings({ precision: "binary" }, "bits");
  assert.throws(() => graph.index("vectors", { ...options, name: "bits" }), /of 0 and 1 have none/);
  const hamming = { ...options, name: "h", measure: "hamming" } as const;
  assert.throws(() => graph.index("vectors", hamming), /of 0 and 1 have none/);
  assert.ok(findVectors(store, "h") === null, "a refused index changes no measure");
  graph.index("vectors", { length: LENGTH });
  assert.throws(() => graph.index("vectors", options), /have an index without signs: drop it/);
  graph.dropIndex("vectors", { length: LENGTH });
  graph.index("vectors", options);
  assert.throws(() => graph.index("vectors", { length: LENGTH }), /a sign index: drop it/);
  assert.throws(() => graph.setVectorSettings({ precision: "binary" }), /drop the sign indexes/);
  assert.throws(() => graph.setVectorSettings({ measure: "l2" }), /drop their indexes first/);
  assert.throws(() => graph.index("vectors", { ...options, signs: 1 as never }), TypeError);
  for (let length = 32; graph.indexes().length < 16; length += 32) {
    graph.index("vectors", { length, signs: true });
  }
  const further = { length: 3200, signs: true };
  assert.throws(() => graph.index("vectors", further), /at most 16 sign indexes/);
  graph.dropIndex("vectors", { length: LENGTH });
  build(store);
  assert.throws(() => graph.index("vectors", further), /dropped ones among them/);
  graph.index("vectors", options);
  checkStore(store);
});

test.run();
