// Reuse of cached query plans, which must notice options changed by the caller, redefined names,
// and the time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_HAM, S_RANK, S_SIM, S_VAL } from "../../../../../runtime/base/sort-constants.js";
import {
  D_OUT,
  F_SIM,
  M_INT,
  M_TMX,
  R_LIST,
  V_GT,
  V_LTE,
} from "../../../../../runtime/graph/model/constants.js";
import { planCache } from "../../../../../runtime/graph/query/calls/plan-cache.js";
import type { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("plan cache");

/** Number of plans for a list of options. */
function countPlans(...queries: object[]): number {
  let created = 0;
  const cachedPlan = planCache("neighborhood", (_store: GraphStore, _options: object) => ++created);
  const store = {} as GraphStore;
  for (const options of queries) cachedPlan(store, options);
  return created;
}

const EXAMPLE = () => ({
  arc: ["likes", D_OUT, M_INT, V_GT, 5],
  sortby: S_VAL,
  hits: 10,
  neighbor: { property: { price: { between: [1, 2] } } },
});

test("reuses the plan of equal options", () => {
  assert.is(countPlans(EXAMPLE(), EXAMPLE(), EXAMPLE()), 1);
  assert.is(countPlans({}, {}), 1);
  assert.is(countPlans({ filter: ".arc.value > 5" }, { filter: ".arc.value > 5" }), 1);
});

test("plans again when anything differs", () => {
  const pairs: [object, object][] = [
    [{ hits: 10 }, { hits: 11 }],
    [{ hits: 10 }, {}],
    [{}, { hits: 10 }],
    [{ hits: 10 }, { hits: "10" }],
    [{ offset: 0 }, { offset: -0 }],
    [{ hits: 10 }, { offset: 10 }],
    [{ arc: null }, { arc: undefined }],
    [{ arc: ["a"] }, { arc: "a" }],
    [{ arc: ["a"] }, { arc: { 0: "a" } }],
    [{ arc: ["a"] }, { arc: ["a", D_OUT] }],
    [{ neighbor: { property: { a: 1 } } }, { neighbor: { property: { b: 1 } } }],
    [{ neighbor: {} }, { neighbor: null }],
  ];
  for (const [first, second] of pairs) assert.is(countPlans(first, second, first, second), 2);
  assert.is(countPlans({ neighbor: {} }, { neighbor: new Map() }, { neighbor: {} }), 2);
});

test("does not cache plans of long options, class instances and named definitions", () => {
  class Reference {
    readonly id = "a";
  }
  const each: object[] = [
    { neighbor: new Reference() },
    { vector: new Float32Array([1]) },
    { vector: Array.from({ length: 1000 }, (_, index) => index) },
    { filter: "near" },
    { neighbor: { filter: " near " } },
    { rank: "near" },
    { hits: 10n },
    { neighbor: ["a", () => "b"] },
    { neighbor: Object.assign(["a"], { more: 1 }) },
  ];
  for (const options of each)
    assert.is(countPlans(options, options), 2, JSON.stringify(options.constructor.name));
});

test("keeps a few plans, the most recently used ones", () => {
  const many = Array.from({ length: 9 }, (_, hits) => ({ hits }));
  assert.is(countPlans(...many, ...many.slice(1)), 9);
  assert.is(countPlans(...many, many[0]!), 10);
});

test("plans relative times again in another second", () => {
  const graph = makeGraph();
  const { now } = Date;
  let second = 10 ** 9;
  Date.now = () => second * 1000;
  try {
    graph.connect("a", ["to", M_TMX, second + 5], "b");
    const query = () => graph.neighborhood("a", { arc: ["to", D_OUT, M_TMX, V_LTE, -5] });
    assert.equal(query(), ["b"]);
    second--;
    assert.equal(query(), []);
    second++;
    assert.equal(query(), ["b"]);
  } finally {
    Date.now = now;
  }
});

test("notices changed members of an options object", () => {
  const graph = makeGraph();
  for (const value of [1, 5, 9]) graph.connect("a", ["to", M_INT, value], `v${value}`);
  const arc: [string, number, number, number, number] = ["to", D_OUT, M_INT, V_GT, 0];
  const options = { arc, sortby: S_VAL };
  assert.equal(graph.neighborhood("a", options), ["v9", "v5", "v1"]);
  arc[4] = 4;
  assert.equal(graph.neighborhood("a", options), ["v9", "v5"]);
  graph.connect("a", ["to", M_INT, 7], "v7");
  assert.equal(graph.neighborhood("a", options), ["v9", "v7", "v5"]);
});

test("reuses plans for other probe vectors", () => {
  const probes: unknown[] = [];
  const cachedPlan = planCache("global", (_store: GraphStore, _options: object) => ({
    rebind: (vector: unknown) => probes.push(vector) < 3,
  }));
  const store = {} as GraphStore;
  const [probe, sameProbe] = [new Float32Array(64), new Float32Array(64)];
  const [first, second, third, last] = [probe, [1, 2], sameProbe, probe].map(
    (vector) => cachedPlan(store, { vector, hits: 3 } as object).plan,
  );
  assert.ok(second === first && third === first && last !== first);
  assert.ok(cachedPlan(store, { vector: probe } as object).plan !== last);
  assert.ok(cachedPlan(store, { vector: null, hits: 3 } as object).plan !== last);
  assert.equal(probes, [[1, 2], sameProbe, probe]);
});

test("compares with the vector and by the measure of each query", () => {
  const graph = makeGraph();
  const vectors = { a: [1, 0], b: [0, 2], c: [-2, -2] };
  for (const [id, vector] of Object.entries(vectors)) {
    graph.createVertex(id, { vector });
    graph.connect("root", "to", id);
  }
  const rank = "1 + cosine(vector, next.vector)";
  for (const [id, vector] of [...Object.entries(vectors), ...Object.entries(vectors)]) {
    for (const probe of [vector, Float32Array.from(vector)]) {
      assert.is(graph.vertices({ vector: probe, sortby: S_SIM, hits: 1 })[0], id);
      assert.is(graph.vertices({ vector: probe, sortby: S_HAM, hits: 1 })[0], id);
      const ranked = graph.neighborhood("root", { vector: probe, rank, sortby: S_RANK, hits: 1 });
      assert.is(ranked[0], id);
    }
  }
  const query = () => graph.vertices({ vector: [1, 0.9], sortby: S_SIM, hits: 1 });
  assert.equal(query(), ["a"]);
  const long = (first: number): number[] => [first, 3, ...Array(40).fill(0), 7];
  for (const first of [4, 3]) {
    const entry = graph.vertices({
      ...{ vector: long(first), sortby: S_SIM, hits: 1, condition: "a" },
      ...{ fields: F_SIM, result: R_LIST },
    });
    assert.ok(Math.abs(Number(entry[0]) - first / Math.hypot(first, 3)) < 0.01, String(entry));
  }
  graph.setVectorSettings({ measure: "dot" });
  assert.equal(query(), ["b"]);
  assert.throws(() => graph.vertices({ vector: ["x"] as never, sortby: S_SIM, hits: 1 }));
  assert.equal(query(), ["b"]);
});

test("finds names defined after the plan was made", () => {
  const graph = makeGraph();
  graph.connect("a", "to", "b");
  const query = () => graph.neighborhood("a", { neighbor: { type: "late" } });
  assert.equal(query(), []);
  graph.createVertex("c", "late");
  graph.connect("a", "to", "c");
  assert.equal(query(), ["c"]);
});

test("sums what was added after the plan was made", () => {
  const graph = makeGraph();
  const query = () =>
    graph.aggregate("a", { arc: ["to", D_OUT, M_INT], neighbor: { type: "late" } });
  graph.connect("a", ["to", M_INT, 1], "b");
  assert.equal(query(), { neighbors: 0, arcs: 0, predicator_value: 0 });
  graph.createVertex("c", "late");
  graph.connect("a", ["to", M_INT, 4], "c");
  assert.equal(query(), { neighbors: 1, arcs: 1, predicator_value: 4 });
});

test.run();
