// Nearest vertices that meet a condition, at many shares: exact searches against a sorted list, and
// index searches by recall, beside a writer of other vectors. SEED=n repeats a run.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { getAccess } from "../../runtime/graph/api/graph-handle.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import type { VectorMeasure } from "../../runtime/graph/vectors/measures/measures.js";
import type { VectorPrecision } from "../../runtime/graph/vectors/precision.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { Random, SEED } from "./support/random.js";

const test = suite("filtered vector search");
const COUNT = 3000;
const LENGTH = 32;
const HITS = 10;
const SHARES = [0.001, 0.005, 0.02, 0.1, 0.3, 0.5, 0.9, 1];

function fill(random: Random, precision: VectorPrecision, measure: VectorMeasure): Graph {
  const graph = makeGraph();
  graph.setVectorSettings({ precision, measure });
  graph.index("property", { key: "n" });
  const centers = Array.from({ length: 20 }, () => randomVector(random));
  for (let index = 0; index < COUNT; index++) {
    const vector = random.of(centers).map((value) => value + random.below(1000) / 2000);
    const type = index % 7 === 0 ? "seventh" : "other";
    graph.createVertex(`v${index}`, { type, vector, properties: { n: index } });
  }
  // Other lengths, which kernels do not compare together.
  for (let index = 0; index < 30; index++) {
    const vector = Array.from({ length: 40 + 20 * (index % 3) }, () => random.below(100) - 50);
    graph.createVertex(`w${index}`, { type: "seventh", vector, properties: { n: index } });
  }
  return graph;
}

function randomVector(random: Random): number[] {
  return Array.from({ length: LENGTH }, () => random.below(2001) / 1000 - 1);
}

const conditions = (limit: number): object[] => [
  { property: { n: { lt: limit } } },
  { type: "seventh", property: { n: { lt: limit } } },
  { type: "seventh" },
  { type: "none" },
];

for (const precision of ["int8", "float32"] as const) {
  for (const measure of ["cosine", "dot", "l2"] as const) {
    test(`${precision} ${measure}: exact hits are those of a sorted list (seed ${SEED})`, () => {
      const random = new Random();
      const graph = fill(random, precision, measure);
      for (const share of SHARES) {
        const limit = Math.ceil(COUNT * share);
        for (const condition of conditions(limit)) {
          const probe = randomVector(random);
          const ranking = graph.nearest(probe, { hits: -1 });
          const passing = new Set(graph.vertices({ condition }));
          const expected = ranking.filter(({ id }) => passing.has(id)).slice(0, HITS);
          const nearest = graph.nearest(probe, { hits: HITS, condition });
          assert.equal(
            nearest.map(({ similarity }) => similarity),
            expected.map(({ similarity }) => similarity),
          );
          assert.ok(nearest.every(({ id }) => passing.has(id)));
        }
      }
    });
  }
}

test("an index search finds 99 % of the best hits at every selectivity", () => {
  const random = new Random();
  const graph = fill(random, "float32", "cosine");
  graph.index("vectors", { length: LENGTH });
  const processor = new IndexProcessor(getAccess(graph).store, assert.unreachable);
  while (processor.run(1000));
  for (const share of SHARES) {
    const condition = { property: { n: { lt: Math.ceil(COUNT * share) } } };
    let [matched, expected] = [0, 0];
    for (let query = 0; query < 30; query++) {
      const probe = randomVector(random);
      const best = graph.nearest(probe, { condition }).map(({ id }) => id);
      const hits = graph.nearest(probe, { condition, approximate: true }).map(({ id }) => id);
      expected += best.length;
      matched += best.filter((id) => hits.includes(id)).length;
    }
    assert.ok(matched / expected >= 0.99, `${share * 100} %: ${matched} of ${expected}`);
  }
});

test("a vector that is set again is found at once", () => {
  const random = new Random();
  const graph = fill(random, "int8", "cosine");
  const probe = randomVector(random);
  const condition = { property: { n: { lt: 300 } } };
  const [best] = graph.nearest(probe, { condition });
  const vertex = graph.openVertex(best!.id);
  for (let round = 0; round < 50; round++) {
    vertex.setVector(round % 2 === 0 ? probe : probe.map((value) => value * 2));
    assert.is(graph.nearest(probe, { hits: 1, condition })[0]!.id, best!.id);
  }
  vertex.close();
});

test.run();
