// Searches over several names of vectors against scores of all vertices, with conditions, measures
// and weights; vertices may lack any vector. ROUNDS=n runs more, SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getAccess } from "../../runtime/graph/api/graph-handle.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import type { VectorMeasure } from "../../runtime/graph/vectors/measures/measures.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("searches over several vectors");
const ROUNDS = rounds(2);
const COUNT = 1200;
const LENGTH = 32;
const NAMES = ["title", "image", "sound"];
const MEASURES: readonly VectorMeasure[] = ["cosine", "dot", "l2"];

const vector = (random: Random): number[] =>
  Array.from({ length: LENGTH }, () => random.below(2001) / 1000 - 1);

function score(measure: VectorMeasure, a: readonly number[], b: readonly number[]): number {
  const dot = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, value, index) => sum + value * right[index]!, 0);
  if (measure === "dot") return dot(a, b);
  if (measure === "l2")
    return -Math.sqrt(a.reduce((sum, x, index) => sum + (x - b[index]!) ** 2, 0));
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

for (const measure of MEASURES) {
  test(`find the best sums of ${measure} (seed ${SEED})`, () => {
    const random = new Random();
    for (let round = 0; round < ROUNDS; round++) {
      const graph = makeGraph();
      for (const name of NAMES) graph.setVectorSettings({ precision: "float32", measure }, name);
      const items: { n: number; vectors: Record<string, number[]> }[] = [];
      for (let n = 0; n < COUNT; n++) {
        const has = NAMES.filter(() => random.below(8) > 0);
        const vectors = Object.fromEntries(
          has.map((name) => [name, vector(random).map(Math.fround)]),
        );
        items.push({ n, vectors });
        graph.createVertex(`v${n}`, { vectors, properties: { n } });
      }
      for (let query = 0; query < 8; query++) {
        const names = NAMES.slice(0, 2 + random.below(2));
        const probe = Object.fromEntries(
          names.map((name) => [name, vector(random).map(Math.fround)]),
        );
        const weights = Object.fromEntries(names.map((name) => [name, 1 + random.below(50) / 10]));
        const start = random.of([0, 0, COUNT / 2, COUNT - 30]);
        const condition = { property: { n: { gte: start } } };
        const hits = random.of([1, 10, 40]);
        const expected = items
          .filter(({ n, vectors }) => n >= start && names.every((name) => vectors[name]))
          .map(({ vectors }) =>
            names.reduce(
              (sum, name) => sum + weights[name]! * score(measure, probe[name]!, vectors[name]!),
              0,
            ),
          )
          .sort((a, b) => b - a)
          .slice(0, hits);
        const nearest = graph.nearest(probe, { hits, weights, condition });
        assert.is(nearest.length, expected.length);
        for (const [index, { similarity }] of nearest.entries()) {
          assert.ok(Math.abs(similarity - expected[index]!) < 1e-9, `hit ${index} of ${hits}`);
        }
      }
      checkStore(getAccess(graph).store);
    }
  });
}

test(`find most of the best by indexes (seed ${SEED})`, () => {
  const random = new Random();
  const graph = makeGraph();
  for (let n = 0; n < COUNT; n++) {
    graph.createVertex(`v${n}`, { vectors: { title: vector(random), image: vector(random) } });
  }
  for (const name of ["title", "image"]) graph.index("vectors", { length: LENGTH, name });
  const processor = new IndexProcessor(getAccess(graph).store, assert.unreachable);
  while (processor.run(1000));
  let matched = 0;
  for (let query = 0; query < 20; query++) {
    const probe = { title: vector(random), image: vector(random) };
    const exact = graph.nearest(probe).map(({ id }) => id);
    const near = graph.nearest(probe, { approximate: true }).map(({ id }) => id);
    matched += near.filter((id) => exact.includes(id)).length;
  }
  assert.ok(matched >= 190, `${matched} of 200`);
});

test.run();
