// Scores of a group of slots count only for vertices that are not written meanwhile.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getAccess } from "../../../../runtime/graph/api/graph-handle.js";
import { SEQUENCE_WORDS } from "../../../../runtime/graph/memory/layout.js";
import { NearestTopK } from "../../../../runtime/graph/vectors/nearest-top-k.js";
import { offerSlots } from "../../../../runtime/graph/vectors/offer-vertices.js";
import { Probe } from "../../../../runtime/graph/vectors/probe.js";
import { parseVector } from "../../../../runtime/graph/vectors/vector.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("offering vertices of slots");
const LENGTH = 32;
const COUNT = 6;
const vector = (number: number): number[] =>
  Array.from({ length: LENGTH }, (_, index) => Math.sin((number + 1) * (index + 1)));

test("a vertex that is written meanwhile is read again by itself", () => {
  const graph = makeGraph();
  for (let index = 0; index < COUNT; index++)
    graph.createVertex(`v${index}`, { vector: vector(index) });
  const { store } = getAccess(graph);
  const { vectors: table } = store;
  const vertices = Array.from({ length: COUNT }, (_, index) => store.ids.find(`v${index}`));
  const slots = vertices.map((vertex) => table.slotOf(vertex));
  const { memory } = table;
  const kernel = memory.kernel!;
  let scored = 0;
  const dots: typeof kernel.dots = (list, count, ...rest) => {
    scored += count;
    // After it was listed, before it is scored.
    graph.createVertex("v1", { vector: vector(50) });
    kernel.dots(list, count, ...rest);
  };
  memory.kernel = { ...kernel, dots };
  // A writer has v2 in hand, and v3 has moved to another slot.
  const { ints } = store.memory.sequence;
  Atomics.add(ints, vertices[2]! * SEQUENCE_WORDS, 1);
  graph.createVertex("v3", { vector: vector(60) });
  memory.words[slots[3]!] = vertices[3]!;
  const probe = new Probe(table, parseVector(vector(1), "probe"));
  const best = new NearestTopK(COUNT);
  const scan = { table, probe, best, filter: null, poll: () => {} };
  offerSlots({ ...scan, accepts: (vertex) => vertex !== vertices[5] }, slots, LENGTH);
  Atomics.sub(ints, vertices[2]! * SEQUENCE_WORDS, 1);
  memory.words[slots[3]!] = 0;
  memory.kernel = kernel;
  assert.is(scored, COUNT - 2, "v2 and v3 are read by themselves");
  const scores = new Map(best.sorted().map(({ vertex, score }) => [vertex, score]));
  const current = vertices.slice(0, 5).map((vertex) => [vertex, probe.similarity(vertex)] as const);
  assert.equal(scores, new Map([...current].sort((a, b) => b[1] - a[1])));
});

test.run();
