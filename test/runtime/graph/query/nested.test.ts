// Trees of arcs: each arc has its own children.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { D_ANY, D_OUT, M_INT } from "../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("nested neighborhoods");

test("do not show children of a rejected arc below its twin", () => {
  const graph = makeGraph();
  graph.connect("a", ["one", M_INT, 1], "b");
  graph.connect("a", ["two", M_INT, 2], "b");
  graph.connect("b", ["to", M_INT, 3], "c");
  // Whichever of the two comes first is rejected.
  const [entry, ...more] = graph.neighborhood("a", {
    nest: 1,
    neighbor: { traverse: { arc: ["to", D_OUT] }, post: "inc(0) > 1" },
  });
  assert.equal(more, []);
  assert.equal(entry!.next, [{ arc: ["to", 3], id: "c", next: [] }]);
});

test("separate the children of arcs in both directions between two vertices", () => {
  const graph = makeGraph();
  graph.connect("a", ["to", M_INT, 1], "b");
  graph.connect("b", ["to", M_INT, 2], "a");
  graph.connect("b", ["on", M_INT, 3], "c");
  const neighbors = graph.neighborhood("a", {
    ...{ arc: D_ANY, nest: 1, neighbor: { traverse: { arc: ["on", D_OUT] } } },
  });
  assert.is(neighbors.length, 2);
  for (const { next } of neighbors) assert.equal(next, [{ arc: ["on", 3], id: "c", next: [] }]);
});

test.run();
