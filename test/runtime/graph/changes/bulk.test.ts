// Many vertices and arcs in one call: the same as single calls, in one transaction, or nothing.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { freezeClock, unfreezeClock } from "../../../../runtime/graph/memory/time.js";
import { M_CNT, M_INT } from "../../../../runtime/graph/model/constants.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { comparable } from "../../../property/support/comparable.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, takeUnits } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("bulk changes");

test.before.each((context) => {
  // Two graphs are compared with the seconds of their changes.
  freezeClock();
  context.store = loggedStore();
  context.graph = openStore(context.store);
});
test.after.each(({ store, graph }) => {
  unfreezeClock();
  graph.closeAll();
  checkStore(store);
});

test("create the same vertices as single calls", ({ store, graph }) => {
  const otherStore = loggedStore();
  const singly = openStore(otherStore);
  for (const target of [graph, singly]) target.connect("ann", "knows", "bob");
  singly.createVertex("bob", { type: "person" });
  singly.createVertex("tea");
  singly.createVertex("milk", { type: "drink", properties: { price: 2 } });
  takeUnits(store);
  const created = graph.createVertices([
    { id: "bob", type: "person" },
    "tea",
    { id: "milk", type: "drink", properties: { price: 2 } },
    "tea",
  ]);
  assert.is(created, 3);
  assert.is(takeUnits(store).length, 1);
  assert.equal(comparable(store), comparable(otherStore));
});

test("create the same arcs as single calls", ({ store, graph }) => {
  const otherStore = loggedStore();
  const singly = openStore(otherStore);
  singly.connect("ann", "likes", "tea");
  singly.connect("ann", ["drank", M_CNT, 2], "milk");
  singly.connect("ann", ["drank", M_CNT, 3], "milk");
  assert.is(
    graph.connectMany("ann", [
      ["likes", "tea"],
      [["drank", M_CNT, 2], "milk"],
      [["drank", M_CNT, 3], "milk"],
    ]),
    2,
  );
  assert.is(takeUnits(store).length, 1);
  assert.equal(comparable(store), comparable(otherStore));
});

test("roll back everything when one element fails", ({ store, graph }) => {
  graph.createVertex("ann", { type: "person" });
  takeUnits(store);
  const before = comparable(store);
  const invalidItems = ["bob", { id: "ann", type: "other" }];
  assert.throws(() => graph.createVertices(invalidItems), /Type mismatch/);
  const arcs = [
    [["n", M_INT, 1], "tea"],
    [["n", M_INT, Number.NaN], "milk"],
  ] as const;
  assert.throws(() => graph.connectMany("ann", arcs));
  assert.equal(comparable(store), before);
  assert.is(takeUnits(store).length, 0);
});

test("reject invalid lists and pairs", ({ graph }) => {
  const rejectedCalls: readonly [() => unknown, RegExp][] = [
    [() => graph.createVertices("ann" as never), /a list of vertices is required/],
    [() => graph.createVertices([7 as never]), /No object : '7'/],
    [() => graph.createVertices([{} as never]), /string/],
    [() => graph.connectMany("ann", null as never), /a list of pairs .* is required/],
    [() => graph.connectMany("ann", ["tea" as never]), /a pair of an arc and a terminal/],
    [() => graph.connectMany("ann", [["r", 7 as never]]), /expected a vertex or its id/],
  ];
  for (const [call, text] of rejectedCalls) assert.throws(call, text);
  assert.is(graph.order, 0);
});

test.run();
