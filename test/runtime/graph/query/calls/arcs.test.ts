// Arcs of a whole graph: each is returned once, as an outarc of its tail, unless a filter selects
// otherwise.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { D_ANY, D_IN, F_ANCHOR, F_ID } from "../../../../../runtime/graph/model/constants.js";
import type { VertexConditionObject as Condition } from "../../../../../runtime/index.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite<{ graph: Graph }>("arcs");
const FORM = { result: "list", fields: F_ANCHOR | F_ID } as const;

test.before((context) => {
  const graph = makeGraph();
  for (const id of ["a", "b", "c"]) graph.createVertex(id, "letter");
  graph.connect("a", "to", "b");
  graph.connect("a", "to", "c");
  graph.connect("b", "to", "c");
  context.graph = graph;
});

function listArcs(graph: Graph, condition: Condition): string[] {
  const rows = graph.arcs({ condition, ...FORM }) as string[][];
  return rows.map((row) => row.join("-")).sort();
}

const ALL = ["a-b", "a-c", "b-c"];

test("returns outarcs for a condition on heads or a rule without a filter", ({ graph }) => {
  assert.equal(listArcs(graph, {}), ALL);
  assert.equal(listArcs(graph, { traverse: { collect: true } }), ALL);
  assert.equal(listArcs(graph, { traverse: { arc: null } }), ALL);
  assert.equal(listArcs(graph, { traverse: { neighbor: { type: "letter" } } }), ALL);
  assert.equal(listArcs(graph, { traverse: { neighbor: "c" } }), ["a-c", "b-c"]);
  assert.equal(listArcs(graph, { neighbor: "c" } as Condition), ["a-c", "b-c"]);
});

test("applies the direction of a filter", ({ graph }) => {
  assert.equal(listArcs(graph, { traverse: { arc: D_IN } }), ["b-a", "c-a", "c-b"]);
  assert.is(listArcs(graph, { traverse: { arc: D_ANY } }).length, 2 * ALL.length);
});

test("matches an adjacency condition on the tail in both directions", ({ graph }) => {
  const adjacent = { neighbor: "a" };
  assert.equal(listArcs(graph, { adjacent }), ["b-c"]);
});

test("follows deeper rules in both directions, as everywhere", ({ graph }) => {
  const neighbor = { traverse: { neighbor: "a" } };
  assert.equal(listArcs(graph, { traverse: { neighbor } }), ["a-b", "a-c", "b-c"]);
});

test.run();
