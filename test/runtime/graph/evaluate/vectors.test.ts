// Vectors in expressions: arithmetic agrees with `Vector`, and a cosine with the query's vector is
// the same however it is computed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_RANK } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { F_ID, F_RANK } from "../../../../runtime/graph/model/constants.js";
import { Vector } from "../../../../runtime/graph/vectors/vector.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite<{ graph: Graph }>("vectors in expressions");
const A = [1, 0.5, -0.25];
const B = [0.5, -1, 2];
const PROBE = [1, 1];

test.before.each((context) => {
  const graph = makeGraph();
  graph.createVertex("a", { vector: A });
  graph.createVertex("b", { vector: B });
  graph.createVertex("bare");
  context.graph = graph;
});

function value(graph: Graph, text: string): unknown {
  return graph.evaluate(text, { tail: "a", head: "b", vector: PROBE });
}

test("add, subtract and scale to vectors", ({ graph }) => {
  const [a, b, probe] = [new Vector(A), new Vector(B), new Vector(PROBE)];
  const cases: readonly (readonly [string, Vector])[] = [
    ["vertex.vector + next.vector", a.add(b)],
    ["vertex.vector - next.vector", a.subtract(b)],
    ["2 * vertex.vector", a.multiply(2)],
    ["vertex.vector * 0.5", a.multiply(0.5)],
    ["vertex.vector / 4", a.multiply(0.25)],
    ["-vertex.vector", a.multiply(-1)],
    ["vector + 0.5 * vertex.vector", probe.add(a.multiply(0.5))],
    ["store(R1, next.vector); r1 + vertex.vector", b.add(a)],
    ["vertex.vector + null", a],
    ["null - vertex.vector", a.multiply(-1)],
    ["vertex.vector / null", a],
  ];
  for (const [text, expected] of cases) assert.equal(value(graph, text), expected.external, text);
});

test("multiply, compare and measure to numbers", ({ graph }) => {
  const [a, b] = [new Vector(A), new Vector(B)];
  assert.is(value(graph, "vertex.vector * next.vector"), a.dot(b));
  assert.is(value(graph, "abs(vertex.vector)"), a.magnitude);
  assert.is(value(graph, "abs(-3) + abs(null)"), 3);
  assert.is(value(graph, "vertex.vector == vertex.vector"), 1);
  assert.is(value(graph, "vertex.vector == next.vector"), 0);
  assert.is(value(graph, "vertex.vector != next.vector"), 1);
  assert.is(value(graph, "vertex.vector == 2 * vertex.vector"), 0);
  assert.is(value(graph, "cosine(vertex.vector + next.vector, vector)"), a.add(b).cosine(PROBE));
});

test("give NaN for undefined operations", ({ graph }) => {
  for (const text of [
    "vertex.vector + 1",
    "1 - vertex.vector",
    "vertex.vector % 2",
    "vertex.vector % next.vector",
    "vertex.vector * 'x'",
    "vertex.vector * inf",
    "vertex.vector * 1e39",
    "vertex.vector + 'x'",
  ]) {
    assert.ok(Number.isNaN(value(graph, text)), text);
  }
});

test("compute the cosine with the query's vector", ({ graph }) => {
  const [a, b] = [new Vector(A), new Vector(B)];
  assert.is(value(graph, "cosine(vector, next.vector)"), b.cosine(PROBE));
  assert.is(value(graph, "sim(vertex.vector, vector)"), a.cosine(PROBE));
  assert.is(graph.evaluate("cosine(vector, next.vector)", { head: "bare", vector: PROBE }), 0);
  assert.is(graph.evaluate("cosine(vector, next.vector)", { head: "b" }), 0);
  assert.is(graph.evaluate("cosine(vector, vertex.vector)", { vector: PROBE }), 0);
});

test("update ranks when vectors change, in closures and in loops", ({ graph }) => {
  const vectors = Array.from({ length: 40 }, (_, index) => [Math.cos(index), Math.sin(index), 0.1]);
  vectors.forEach((vector, index) => {
    graph.createVertex(`v${index}`, index % 7 === 0 ? {} : { vector });
    graph.connect("hub", "has", `v${index}`);
  });
  const rank = "1 + cosine(vector, next.vector)";
  for (let round = 0; round < 120; round++) {
    const changed = round % 40;
    const vertex = graph.openVertex(`v${changed}`);
    vertex.setVector([round, changed, -1]);
    vectors[changed] = [round, changed, -1];
    vertex.close();
    const probe = [1, round / 50, -0.5];
    const query = { vector: probe, rank, sortby: S_RANK, fields: F_ID | F_RANK };
    const neighbors = graph.neighborhood("hub", { ...query, result: "list" }) as [string, number][];
    assert.is(neighbors.length, 40);
    for (const [id, score] of neighbors) {
      const number = Number(id.slice(1));
      const isBare = number % 7 === 0 && number > round;
      const expected = isBare ? 1 : 1 + new Vector(vectors[number]!).cosine(probe);
      assert.is(score, expected, id);
    }
  }
});

test.run();
