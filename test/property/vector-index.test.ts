// The vector index: recall, immediate visibility of new vectors and absence of removed ones,
// consistency under replacement and removal, and conditions of any selectivity. VECTORS=n makes it
// larger, SEED=n repeats a run.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { HnswBuilder } from "../../runtime/graph/vectors/hnsw-builder.js";
import { findVectorIndex } from "../../runtime/graph/vectors/index-access.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import { NearestTopK } from "../../runtime/graph/vectors/nearest-top-k.js";
import type { Scan } from "../../runtime/graph/vectors/offer-vertices.js";
import { Probe } from "../../runtime/graph/vectors/probe.js";
import { scanVectors } from "../../runtime/graph/vectors/scan-vectors.js";
import { parseVector } from "../../runtime/graph/vectors/vector.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("vector index");
const VECTORS = Number(process.env.VECTORS ?? 4000);
const LENGTH = 40;
const CLUSTERS = 60;

/** Vectors around some centers, as in real data. */
class Vectors {
  readonly #random: Random;
  readonly #centers: number[][];

  constructor(random: Random) {
    this.#random = random;
    this.#centers = Array.from({ length: CLUSTERS }, () => this.#noise(1));
  }

  next(): number[] {
    const noise = this.#noise(0.5);
    return this.#random.of(this.#centers).map((value, index) => value + noise[index]!);
  }

  #noise(size: number): number[] {
    return Array.from({ length: LENGTH }, () => {
      const four = [0, 0, 0, 0].map(() => this.#random.below(1000) / 1000);
      return size * (four.reduce((sum, value) => sum + value, 0) - 2);
    });
  }
}

interface Indexed {
  readonly store: GraphStore;
  readonly graph: Graph;
  readonly vectors: Vectors;
  readonly processor: IndexProcessor;
}

function makeIndexed(random: Random, count = VECTORS): Indexed {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const vectors = new Vectors(random);
  graph.index("vectors", { length: LENGTH });
  for (let index = 0; index < count; index++) {
    graph.createVertex(`v${index}`, { type: `t${index % 2}`, vector: vectors.next() });
  }
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  return { store, graph, vectors, processor };
}

/** Returns the ids of the best hits, exactly or by the index regardless of cost. */
function best(
  { store }: Indexed,
  probe: number[],
  ef: number,
  accepts = anyVertex,
  over = 1,
): string[] {
  const heap = new NearestTopK(10);
  const parts = parseVector(probe, "probe");
  const scan: Scan = {
    table: store.vectors,
    probe: new Probe(store.vectors, parts),
    best: heap,
    accepts,
    filter: { accepts, serial: 0 },
    poll: () => {},
  };
  scanVectors(scan, ef, over);
  return heap.sorted().map(({ vertex }) => store.ids.idOf(vertex));
}

const anyVertex = (_vertex: number): boolean => true;

function recall(
  indexed: Indexed,
  ef: number,
  probes: number,
  accepts = anyVertex,
  over = 1,
): number {
  let matched = 0;
  let nearestCount = 0;
  for (let round = 0; round < probes; round++) {
    const probe = indexed.vectors.next();
    const exact = best(indexed, probe, 0, accepts);
    const approximate = new Set(best(indexed, probe, ef, accepts, over));
    nearestCount += exact.length;
    matched += exact.filter((id) => approximate.has(id)).length;
  }
  return matched / nearestCount;
}

test(`finds nearly all of the best hits (seed ${SEED})`, () => {
  const random = new Random();
  for (let set = 0; set < rounds(2); set++) {
    const indexed = makeIndexed(random);
    const { store, graph } = indexed;
    assert.equal(graph.indexes(), [
      {
        ...{ length: 64, precision: "int8", measure: "cosine", ef: 100, signs: false },
        ...{ vectors: VECTORS, indexed: VECTORS, dead: 0 },
      },
    ]);
    assert.ok(recall(indexed, 32, 50) >= 0.98);
    assert.ok(recall(indexed, 64, 50) >= 0.99);
    for (const share of [2, 10, 100, 1000]) {
      const accepts = (vertex: number): boolean => vertex % share === 0;
      assert.ok(recall(indexed, 64, 20, accepts) >= 0.95, `share of 1/${share}`);
    }
    checkStore(store);
  }
});

test("traverses rejected vertices, unless all vertices near the probe are rejected", () => {
  const indexed = makeIndexed(new Random());
  const { store } = indexed;
  for (const share of [2, 4, 10, 20]) {
    const accepts = (vertex: number): boolean => vertex % share === 0;
    const achieved = recall(indexed, 64, 40, accepts, 1 / share);
    assert.ok(achieved >= 0.98, `share of 1/${share}: ${achieved}`);
  }
  for (let round = 0; round < 10; round++) {
    const probe = indexed.vectors.next();
    const nearer = new Set(indexed.graph.nearest(probe, { hits: VECTORS / 2 }).map(({ id }) => id));
    const accepts = (vertex: number): boolean => !nearer.has(store.ids.idOf(vertex));
    assert.equal(best(indexed, probe, 64, accepts, 0.5), best(indexed, probe, 0, accepts));
  }
});

test("finds new vectors at once, and never removed ones", () => {
  const random = new Random();
  const indexed = makeIndexed(random, 500);
  const { graph, store, vectors, processor } = indexed;
  const current = new Map<string, number[]>();
  for (let round = 0; round < 2000; round++) {
    const id = `n${random.below(400)}`;
    if (random.below(4) === 0 && current.delete(id)) graph.deleteVertex(id);
    else {
      const vector = vectors.next();
      current.set(id, vector);
      graph.createVertex(id, { vector });
      assert.is(best(indexed, vector, 32)[0], id, `round ${round}`);
    }
    if (random.below(20) === 0) processor.run(random.below(3));
    if (random.below(500) === 0) checkStore(store);
  }
  while (processor.run(1000));
  while (processor.run(1000));
  checkStore(store);
  const [state] = graph.indexes();
  assert.is(state!.indexed, 500 + current.size);
  assert.ok(state!.dead * 3 <= state!.indexed + state!.dead, "dead ones are swept");
  assert.ok(recall(indexed, 64, 50) >= 0.98);
});

test("outlives its builder, and is removed with the last vector", () => {
  const random = new Random();
  const indexed = makeIndexed(random, 300);
  const { graph, store, vectors } = indexed;
  for (let index = 0; index < 300; index++)
    graph.createVertex(`w${index}`, { vector: vectors.next() });
  const space = store.vectors.spaceOf(64);
  const builder = new HnswBuilder(store.vectors, space);
  const left = builder.addMissing();
  for (let step = 0; step < 100; step++) left.next();
  const next = new IndexProcessor(
    GraphStore.attach(store.share, TEST_THREAD + 1),
    assert.unreachable,
  );
  while (next.run(1000));
  assert.is(graph.indexes()[0]!.indexed, 600);
  checkStore(store);
  graph.truncate();
  assert.equal([builder.isFinished, graph.indexes()], [true, []]);
  left.next();
  graph.createVertex("a", { vector: vectors.next() });
  assert.is(findVectorIndex(store.vectors, store.vectors.spaceOf(64)), null);
  graph.index("vectors", { length: LENGTH, ef: 20 });
  while (next.run(1000));
  assert.is(graph.indexes()[0]!.indexed, 1);
  checkStore(store);
});

test(`can be dropped while vectors change, and built again (seed ${SEED})`, () => {
  const random = new Random();
  const indexed = makeIndexed(random, 1500);
  const { graph, store, vectors, processor } = indexed;
  const ids = Array.from({ length: 1500 }, (_, index) => `v${index}`);
  const change = (): void => {
    const id = random.of(ids);
    if (random.below(5) === 0) graph.deleteVertex(id);
    else graph.createVertex(id, { vector: vectors.next() });
  };
  for (let index = 0; index < 300; index++) change();
  assert.is(graph.dropIndex("vectors", { length: LENGTH }), true);
  assert.is(graph.dropIndex("vectors", { length: LENGTH }), false);
  assert.equal(graph.indexes(), []);
  const expectExact = (): void => {
    const probe = vectors.next();
    assert.equal(best(indexed, probe, 32), best(indexed, probe, 0));
  };
  for (let step = 0; step < 20 && processor.run(0); step++) {
    change();
    expectExact();
  }
  // Requested again before all nodes are removed: it waits for that, and starts over.
  graph.index("vectors", { length: LENGTH, ef: 50 });
  while (processor.run(1000));
  while (processor.run(1000));
  checkStore(store);
  assert.is(graph.indexes()[0]!.indexed, store.vectors.count);
  assert.ok(recall(indexed, 64, 50) >= 0.98);
  graph.dropIndex("vectors", { length: LENGTH });
  while (processor.run(1000));
  checkStore(store);
  expectExact();
});

test("rejects invalid options", () => {
  const graph = openStore(GraphStore.create("test", TEST_THREAD));
  assert.throws(() => graph.index("vectors", { length: 0 }), /length must be/);
  assert.throws(() => graph.index("vectors", { length: 70_000 }), /length must be/);
  assert.throws(() => graph.index("vectors", { length: 8, ef: 1 }), /ef must be/);
  assert.throws(() => graph.dropIndex("vectors", { length: 0 }), /length must be/);
  assert.is(graph.dropIndex("vectors", { length: 8 }), false);
  assert.throws(() => graph.index("words" as "vectors", { length: 8 }), /expected `vectors`/);
  assert.throws(() => graph.nearest([1], { approximate: { ef: 1 } }), /ef must be/);
  assert.throws(() => graph.nearest([1], { approximate: 7 as unknown as boolean }), /approximate/);
});

test.run();
