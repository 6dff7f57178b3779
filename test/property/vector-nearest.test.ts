// Nearest vertices against a sorted list: random vectors of several lengths, some replaced and
// removed, with and without a condition. ROUNDS=n runs more, SEED=n repeats a run.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { COSINE } from "../../runtime/graph/vectors/measures/cosine.js";
import { compareVectors } from "../../runtime/graph/vectors/measures/measures.js";
import { getParts, Vector } from "../../runtime/graph/vectors/vector.js";
import { makeGraph } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("nearest vertices");
const ROUNDS = rounds(6);
const VERTICES = 3000;
const TYPES = ["even", "odd"];

interface Item {
  readonly type: string;
  vector: Vector | null;
}

function randomVector(random: Random, length: number): number[] {
  return Array.from({ length }, () => random.below(2001) / 1000 - 1);
}

function fill(graph: Graph, random: Random): Map<string, Item> {
  const items = new Map<string, Item>();
  for (let index = 0; index < VERTICES; index++) {
    const type = random.of(TYPES);
    const length = random.of([16, 16, 16, 60, 300]);
    const vector = random.below(10) === 0 ? null : randomVector(random, length);
    graph.createVertex(`v${index}`, { type, vector });
    items.set(`v${index}`, { type, vector: vector === null ? null : new Vector(vector) });
  }
  for (let change = 0; change < VERTICES / 2; change++) {
    const id = `v${random.below(VERTICES)}`;
    const vertex = graph.openVertex(id);
    const vector = random.below(4) === 0 ? null : randomVector(random, random.of([16, 60]));
    if (vector === null) vertex.removeVector();
    else vertex.setVector(vector);
    items.get(id)!.vector = vector === null ? null : new Vector(vector);
    vertex.close();
  }
  return items;
}

test(`match a sorted list (seed ${SEED})`, () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const graph = makeGraph();
    const items = fill(graph, random);
    for (let query = 0; query < 20; query++) {
      const probe = new Vector(randomVector(random, random.of([8, 40, 100, 400])));
      const type = random.of([...TYPES, null]);
      const hits = random.of([0, 1, 10, 200, -1]);
      const condition = type === null ? {} : { condition: { type } };
      const nearest = graph.nearest(probe, { hits, ...condition });
      const scores = [...items]
        .filter(([, item]) => item.vector !== null && (type === null || item.type === type))
        .map(
          ([id, item]) =>
            [id, compareVectors(COSINE, getParts(item.vector!), getParts(probe))] as const,
        )
        .sort(([, a], [, b]) => b - a);
      const expected = hits < 0 ? scores : scores.slice(0, hits);
      assert.equal(
        nearest.map(({ similarity }) => similarity),
        expected.map(([, score]) => score),
      );
      const byId = new Map(scores);
      for (const { id, similarity } of nearest) assert.is(similarity, byId.get(id), id);
    }
  }
});

test.run();
