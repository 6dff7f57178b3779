// An arc filter written as an object is outbound unless it has a `dir`, wherever it stands; short
// forms have the direction of their position.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { D_ANY, D_IN, M_INTAGGR, V_GT } from "../../../../runtime/index.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("direction of arc filters");
const graph = makeGraph();
graph.connect("ann", "knows", "bob");
graph.connect("bob", "knows", "dan");
graph.connect("ann", { rel: "pays", mod: "int", value: 5 }, "bob");

const knows = { rel: "knows" } as const;
const back = { rel: "knows", dir: "in" } as const;

test("is out for objects in all queries and conditions", () => {
  assert.equal(graph.neighborhood("bob", { arc: knows }), ["dan"]);
  assert.is(graph.adjacent("bob", knows, "ann"), false);
  assert.is(graph.adjacent("bob", knows, "dan"), true);
  const behind = (neighbor: object) =>
    graph.neighborhood("ann", { arc: knows, collect: false, neighbor });
  assert.equal(behind({ arc: knows, collect: true }), ["dan"]);
  assert.equal(behind({ traverse: { arc: knows, collect: true } }), ["dan"]);
  const find = (condition: object) => graph.vertices({ condition }).sort();
  assert.equal(find({ adjacent: { arc: knows } }), ["ann", "bob"]);
  assert.equal(find({ has_arc: knows }), ["ann", "bob"]);
  assert.equal(find({ arc: knows }), ["ann", "bob"]);
  assert.equal(find({ not: { arc: knows } }), ["dan"]);
  assert.equal(find({ degree: [knows, 1] }), ["ann", "bob"]);
  assert.is(graph.degree("bob", knows), 1);
  assert.equal(graph.arcs({ condition: { arc: knows }, fields: ["id"] }).sort(), ["bob", "dan"]);
  assert.equal(graph.neighborhood("bob", { arc: [true, knows] }), ["dan"]);
  assert.equal(find({ adjacent: { arc: [false, knows] } }), ["ann"]);
});

test("is that of `dir`, also where others are the default", () => {
  assert.equal(graph.neighborhood("bob", { arc: back }), ["ann"]);
  const find = (condition: object) => graph.vertices({ condition }).sort();
  assert.equal(find({ arc: back }), ["bob", "dan"]);
  assert.equal(find({ arc: { ...knows, dir: "any" } }), ["ann", "bob", "dan"]);
  assert.is(graph.degree("bob", { ...knows, dir: "any" }), 2);
});

test("is that of the position where its name states one", () => {
  const find = (condition: object) => graph.vertices({ condition }).sort();
  assert.equal(find({ indegree: [knows, 1] }), ["bob", "dan"]);
  assert.equal(find({ outdegree: [knows, 1] }), ["ann", "bob"]);
  const aggregate = { mode: "sum", arc: { mod: M_INTAGGR, cond: V_GT, value: 4 } } as const;
  assert.equal(graph.neighborhood("ann", { aggregate }), ["bob"]);
});

test("of short forms is out in calls, and any in conditions", () => {
  assert.equal(graph.neighborhood("bob", { arc: "knows" }), ["dan"]);
  assert.is(graph.adjacent("bob", "knows", "ann"), false);
  const neighbor = { arc: "knows", collect: true };
  assert.equal(graph.neighborhood("ann", { arc: "knows", collect: false, neighbor }).sort(), [
    ...["ann", "dan"],
  ]);
  assert.equal(graph.vertices({ condition: { arc: ["knows", D_IN] } }).sort(), ["bob", "dan"]);
  assert.is(graph.degree("bob", "knows"), 2);
  assert.is(graph.degree("bob", ["knows", D_ANY]), 2);
});

test("of objects to disconnect is out", () => {
  const otherGraph = makeGraph();
  otherGraph.connect("a", "knows", "b");
  otherGraph.connect("b", "knows", "c");
  assert.is(otherGraph.disconnect("b", knows), 1);
  assert.is(otherGraph.adjacent("a", "knows", "b"), true);
  assert.is(otherGraph.disconnect("b", "knows"), 0);
  assert.is(otherGraph.disconnect("b", back), 1);
});

test.run();
