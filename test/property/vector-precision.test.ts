// Exact search of graphs of larger precision against float64 arithmetic on the same float32
// numbers, on distributions that are hard for int8: outlier components, tight clusters, tiny and
// huge norms, ties. ROUNDS=n runs more, SEED=n repeats a run.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { getAccess } from "../../runtime/graph/api/graph-handle.js";
import type { VectorMeasure } from "../../runtime/graph/vectors/measures/measures.js";
import { decodeHalf, encodeHalf } from "../../runtime/graph/vectors/precision.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("precision of vectors");
const ROUNDS = rounds(1);
const COUNT = 700;
const PROBES = rounds(12);
const HITS = 10;
const MEASURES: readonly VectorMeasure[] = ["cosine", "dot", "l2"];

type Distribution = (random: Random, length: number) => () => number[];

const bell = (random: Random): number =>
  [1, 2, 3, 4].reduce((sum) => sum + random.below(1_000_003) / 1_000_003, -2);
const many = (length: number, make: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => make(index));

const DISTRIBUTIONS: { readonly [name: string]: Distribution } = {
  normal: (random, length) => () => many(length, () => bell(random)),
  outliers: (random, length) => () =>
    many(length, (index) => bell(random) * (index % 37 === 3 ? 1000 : 1)),
  clusters: (random, length) => {
    const centers = Array.from({ length: 5 }, () => many(length, () => bell(random)));
    return () => random.of(centers).map((value) => value + bell(random) * 1e-4);
  },
  "tiny norms": (random, length) => () => {
    const scale = random.of([1e-44, 1e-39, 1e-37, 1e-30, 1e-20]);
    return many(length, () => bell(random) * scale);
  },
  "huge norms": (random, length) => () => {
    const scale = random.of([1e10, 1e17, 1e20, 1e37]);
    return many(length, () => bell(random) * scale);
  },
  "mixed norms": (random, length) => () => {
    const scale = 10 ** (random.below(40) - 20);
    return many(length, () => (random.below(4) === 0 ? 0 : bell(random) * scale));
  },
  ties: (random, length) => () => many(length, () => random.below(3) - 1),
  "one component": (random, length) => () => {
    const at = random.below(length);
    return many(length, (index) => (index === at ? random.below(5) - 2 : 0));
  },
};

/** Score in float64 of float32 numbers. */
function score(measure: VectorMeasure, a: readonly number[], b: readonly number[]): number {
  let [product, ownSquares, others, distance] = [0, 0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    product += a[index]! * b[index]!;
    ownSquares += a[index]! * a[index]!;
    others += b[index]! * b[index]!;
    distance += (a[index]! - b[index]!) ** 2;
  }
  if (measure === "dot") return product;
  if (measure === "l2") return -Math.sqrt(distance);
  return ownSquares === 0 || others === 0 ? 0 : product / Math.sqrt(ownSquares) / Math.sqrt(others);
}

/** Two sums of the same numbers in another order may differ by this. */
function tolerance(measure: VectorMeasure, a: readonly number[], b: readonly number[]): number {
  if (measure === "cosine") return 1e-12;
  const norm = (v: readonly number[]): number => Math.hypot(...v);
  return 1e-12 * (measure === "dot" ? norm(a) * norm(b) : norm(a) + norm(b));
}

function fill(graph: Graph, vectors: readonly number[][]): void {
  for (const [index, vector] of vectors.entries()) graph.createVertex(`v${index}`, { vector });
}

/** Asserts that the hits are the best by float64 scores; equal scores may come in any order. */
function assertBest(
  graph: Graph,
  stored: readonly number[][],
  probe: readonly number[],
  measure: VectorMeasure,
): void {
  const hits = graph.nearest([...probe], { hits: HITS });
  const scores = stored.map((vector) => score(measure, vector, probe));
  const best = [...scores].sort((a, b) => b - a).slice(0, HITS);
  assert.is(hits.length, HITS);
  for (const [position, { id, similarity }] of hits.entries()) {
    const index = Number(id.slice(1));
    const limit = tolerance(measure, stored[index]!, probe);
    assert.ok(Math.abs(similarity - scores[index]!) <= limit, `similarity of ${id}`);
    assert.ok(scores[index]! >= best[position]! - limit, `${id} at ${position} is among the best`);
  }
}

for (const [name, distribution] of Object.entries(DISTRIBUTIONS)) {
  for (const measure of MEASURES) {
    test(`${name}: exact ${measure} search finds the best of float64 (seed ${SEED})`, () => {
      const random = new Random();
      for (let round = 0; round < ROUNDS; round++) {
        const length = random.of([32, 96, 160]);
        const next = distribution(random, length);
        const vectors = Array.from({ length: COUNT }, () => next().map(Math.fround));
        const graph = makeGraph();
        graph.setVectorSettings({ precision: "float32", measure });
        fill(graph, vectors);
        for (let query = 0; query < PROBES; query++) {
          const probe = query % 3 === 0 ? random.of(vectors) : next().map(Math.fround);
          assertBest(graph, vectors, probe, measure);
        }
        checkStore(getAccess(graph).store);
      }
    });
  }
}

for (const name of ["normal", "outliers", "clusters", "mixed norms"]) {
  test(`${name}: exact search of float16 finds the best of the stored numbers`, () => {
    const random = new Random();
    const next = DISTRIBUTIONS[name]!(random, 64);
    const graph = makeGraph();
    graph.setVectorSettings({ precision: "float16" });
    const vectors = Array.from({ length: COUNT }, () => next().map(Math.fround));
    fill(graph, vectors);
    const stored = vectors.map((vector, index) => {
      const shown = graph.getVertex(`v${index}`).vector;
      const largest = Math.max(...vector.map(Math.abs));
      for (const [position, value] of vector.entries()) {
        const limit = Math.max(Math.abs(value) * 2 ** -11, largest * 2 ** -30);
        assert.ok(
          Math.abs(shown[position]! - value) <= limit,
          `component ${position} of v${index}`,
        );
      }
      return shown;
    });
    for (let query = 0; query < PROBES; query++) {
      assertBest(graph, stored, next().map(Math.fround), "cosine");
    }
    checkStore(getAccess(graph).store);
  });
}

test("a vector of float32 is returned as it was set", () => {
  const random = new Random();
  const graph = makeGraph();
  graph.setVectorSettings({ precision: "float32" });
  for (const [name, distribution] of Object.entries(DISTRIBUTIONS)) {
    const vector = distribution(random, 64)().map(Math.fround);
    graph.createVertex(name, { vector });
    assert.equal(graph.getVertex(name).vector, vector);
  }
});

test("float16 rounds to the nearest, to even on ties, and back exactly", () => {
  for (let half = 0; half < 0x7c00; half++) {
    for (const unit of [1, 2 ** -100, 2 ** 60]) {
      const value = decodeHalf(half, unit);
      assert.is(encodeHalf(value, unit), half);
      if (half > 0) assert.is(encodeHalf(-value, unit), half | 0x8000);
    }
    if (half === 0x7bff) continue;
    const [low, high] = [decodeHalf(half, 1), decodeHalf(half + 1, 1)];
    assert.is(encodeHalf((low + high) / 2, 1), half + (half & 1));
    assert.is(encodeHalf(low + (high - low) * 0.499, 1), half);
    assert.is(encodeHalf(low + (high - low) * 0.501, 1), half + 1);
  }
});

test.run();
