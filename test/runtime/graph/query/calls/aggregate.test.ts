// Sums over arcs and over their heads.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  D_OUT,
  F_DEGREES,
  F_IDEG,
  M_INT,
  V_GTE,
} from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("aggregate");

test("counts degrees once per head, however many arcs lead to it", () => {
  const graph = makeGraph();
  graph.connect("a", ["one", M_INT, 1], "b");
  graph.connect("a", ["two", M_INT, 2], "b");
  graph.connect("a", ["one", M_INT, 4], "c");
  graph.connect("b", "to", "c");
  const { neighbors, arcs, degree, indegree, outdegree } = graph.aggregate("a", {
    fields: F_DEGREES,
  });
  assert.equal([neighbors, arcs], [2, 3]);
  // b has two arcs in and one out, c two in.
  assert.equal([degree, indegree, outdegree], [5, 4, 1]);
});

test("sums degrees of the level below, and values of each arc", () => {
  const graph = makeGraph();
  for (const middle of ["m", "n"]) {
    graph.connect("a", "to", middle);
    graph.connect(middle, ["has", M_INT, 5], "end");
  }
  const below = { arc: ["has", D_OUT, M_INT], collect: true } as const;
  const sums = graph.aggregate("a", {
    collect: false,
    neighbor: { traverse: below },
    fields: F_IDEG,
  });
  assert.is(sums.indegree, 2);
});

test("ignores degrees in conditions", () => {
  const graph = makeGraph();
  graph.connect("a", "to", "b");
  const sums = graph.aggregate("a", { neighbor: { indegree: [V_GTE, 1] } });
  assert.equal(sums, { neighbors: 1, arcs: 1 });
});

test.run();
