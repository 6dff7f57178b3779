// The fast path of adjacency without a query plan, compared with the planned one.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_FWDONLY,
  M_INT,
  M_STAT,
  V_GT,
} from "../../../../../runtime/graph/model/constants.js";
import { runChange } from "../../../../property/support/make-change.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite<{ graph: Graph }>("adjacent");
const IDS = ["a", "b", "c", "*", "b*", "nobody", ""];
const FILTERS = [
  ...[undefined, null, "to", "from", "never", ["to"], ["to", D_OUT], ["to", D_IN]],
  ...[
    ["to", D_ANY],
    ["to", D_BOTH],
    ["to", D_OUT, M_INT],
    ["to", D_OUT, M_STAT],
    ["to", null],
  ],
  ...[["to", D_OUT, M_INT, V_GT, 5], ["to", D_OUT, 99], ["to", 9], [], 7, D_IN, { not: "to" }, "*"],
] as never[];

test.before((context) => {
  const graph = makeGraph();
  graph.connect("a", ["to", M_INT, 7], "b");
  graph.connect("a", "from", "c");
  graph.connect("b", ["to", M_STAT | M_FWDONLY], "d");
  graph.connect("c", ["to", M_INT, 3], "a");
  graph.connect("a", "to", "b*");
  graph.createVertex("*");
  // Long enough for an index.
  for (let index = 0; index < 100; index++) graph.connect("c", ["to", M_INT, index], `v${index}`);
  context.graph = graph;
});

test("returns the same result with and without a plan", ({ graph }) => {
  const fields = ["internalid"] as const;
  const [internal] = graph.neighborhood("a", { arc: "from", fields, result: "simple" });
  const names = [...IDS, "d", "v7", "b\\*", "\\", String(internal)];
  let pairs = 0;
  for (const from of [...IDS, "d"]) {
    for (const to of names) {
      for (const arc of FILTERS) {
        const plainOutcome = runChange(() => graph.adjacent(from, arc, to));
        assert.equal(
          plainOutcome,
          runChange(() => graph.adjacent(from, arc, to, {})),
          `${from} ${arc} ${to}`,
        );
        if (plainOutcome === true) pairs++;
      }
    }
  }
  assert.ok(pairs > 50, `${pairs} were found`);
});

test("does not find a name whose code was reused", ({ graph }) => {
  graph.connect("a", "gone", "c");
  assert.is(graph.adjacent("a", "gone", "c"), true);
  graph.disconnect("a", "gone", "c");
  assert.is(graph.adjacent("a", "gone", "c"), false);
  graph.connect("a", "next", "c");
  assert.is(graph.adjacent("a", "gone", "c"), false);
  assert.is(graph.adjacent("a", "next", "c"), true);
});

test.run();
