// An expression stays bound between evaluations: no state of the last one may remain.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("repeated evaluation");

test("uses the vertices, arc, vector and memory of each call", () => {
  const graph = makeGraph();
  graph.createVertex("a", null, { properties: { age: 1 } });
  graph.createVertex("b", null, { properties: { age: 2 } });
  const age = "next['age'] + next.arc.value";
  assert.is(graph.evaluate(age, { head: "a", arc: ["to", M_INT, 10] }), 11);
  assert.is(graph.evaluate(age, { head: "b", arc: ["to", M_INT, 20] }), 22);
  assert.is(graph.evaluate(age, { head: "b" }), 2);
  assert.is(graph.evaluate("vertex['age']", { tail: "a" }), 1);
  assert.is(graph.evaluate("vertex['age']"), null);
  assert.is(graph.evaluate("inc(R1)"), 1);
  assert.is(graph.evaluate("inc(R1)"), 1);
  const memory = graph.memory(8);
  assert.is(graph.evaluate("inc(R1)", { memory }), 1);
  assert.is(graph.evaluate("inc(R1)", { memory }), 2);
  assert.is(graph.evaluate("inc(R1)"), 1);
});

test("finds new names and changed values", () => {
  const graph = makeGraph();
  graph.createVertex("a");
  assert.is(graph.evaluate("vertex['late']", { tail: "a" }), null);
  graph.openVertex("a").setProperty("late", 5);
  assert.is(graph.evaluate("vertex['late']", { tail: "a" }), 5);
  graph.openVertex("a").setProperty("late", 6);
  assert.is(graph.evaluate("vertex['late']", { tail: "a" }), 6);
});

test("keeps graphs apart", () => {
  const [graph, copy] = [makeGraph(), makeGraph()];
  graph.createVertex("a", null, { properties: { x: 1, y: 2 } });
  copy.createVertex("a", null, { properties: { y: 3, x: 4 } });
  for (let round = 0; round < 2; round++) {
    assert.is(graph.evaluate("vertex['y']", { tail: "a" }), 2);
    assert.is(copy.evaluate("vertex['y']", { tail: "a" }), 3);
  }
});

test.run();
