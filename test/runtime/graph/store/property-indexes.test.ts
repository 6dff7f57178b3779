// Property and id indexes: lookups, maintenance, roll back and logging.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { ExpressionSet } from "../../../../runtime/graph/evaluate/expression-set.js";
import { V_GT, V_LT, V_LTE, V_NEQ, V_RANGE } from "../../../../runtime/graph/model/constants.js";
import { compileVertexCondition } from "../../../../runtime/graph/query/parse/vertex-condition.js";
import { Candidates } from "../../../../runtime/graph/query/walk/candidates.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("property indexes");

const MANY = 2000;

test.before.each((context) => {
  context.store = loggedStore();
  context.graph = openStore(context.store);
  for (let number = 0; number < MANY; number++) {
    context.graph.createVertex(`user:${number}`, {
      properties: { age: number / 10 - 50, name: `name ${number % 500}` },
    });
  }
});

/** Number of vertices that a search examines, and those found. */
function findVertices(store: GraphStore, condition: object): [looked: number, ids: string[]] {
  const test = compileVertexCondition(
    store,
    new ExpressionSet(store, null),
    condition as never,
    "",
  );
  const candidates = new Candidates(store, test, Number.POSITIVE_INFINITY);
  let looked = 0;
  for (let count = candidates.next(); count >= 0; count = candidates.next()) looked += count;
  return [
    looked,
    openStore(store)
      .vertices({ condition: condition as never })
      .sort(),
  ];
}

test("estimate how many vertices have a value", ({ store, graph }) => {
  const age = store.keys.codeOf("age");
  const estimate = (low: number, high: number): number | null =>
    store.indexes.estimate(age, { kind: "number", low, high });
  assert.is(estimate(-50, 0), null);
  graph.index("property", { key: "age" });
  // Few are counted.
  assert.equal([estimate(0, 4.95), estimate(500, 600), estimate(-50, -50)], [50, 0, 1]);
  for (const [low, high] of [
    [-50, 150],
    [0, 100],
    [-10, 25],
  ] as const) {
    const exact = (high - low) * 10;
    const estimated = estimate(low, high)!;
    assert.ok(estimated > exact / 2 && estimated < exact * 2, `${estimated} of ${exact}`);
  }
});

test("find matches among few candidates", ({ store, graph }) => {
  const conditions = [
    { property: { age: 7.5 } },
    { property: { age: [V_RANGE, [-1, 1.05]] } },
    { property: { age: [V_LT, -49.5] } },
    { property: { age: [V_LTE, -49.5] } },
    { property: { age: [V_GT, 149.5] } },
    { property: { name: "name 77" } },
    { property: { name: "name 77", age: [V_GT, 0] } },
    { id: "user:77*" },
    { property: { nothing: 1 } },
  ];
  const before = conditions.map((condition) => findVertices(store, condition));
  assert.ok(before.slice(0, -1).every(([looked]) => looked === MANY));
  graph.index("property", { key: "age" });
  graph.index("property", { key: "name" });
  graph.index("ids");
  const states = [
    { key: null, entries: MANY },
    { key: "name", entries: MANY },
    { key: "age", entries: MANY },
  ];
  assert.equal(graph.propertyIndexes(), states);
  const after = conditions.map((condition) => findVertices(store, condition));
  assert.equal(
    after.map(([, ids]) => ids),
    before.map(([, ids]) => ids),
  );
  assert.equal(
    after.map(([looked]) => looked),
    [1, 21, 6, 6, 5, 4, 4, 11, 0],
  );
});

test("are not used for conditions that they cannot answer", ({ store, graph }) => {
  graph.index("property", { key: "age" });
  graph.index("property", { key: "name" });
  for (const condition of [
    { property: { age: [V_NEQ, 1] } },
    { property: [false, { age: 1 }] },
    { not: { property: { age: 1 } } },
    { property: { age: [V_GT, 0] } },
    { property: { name: "name*" } },
    { id: "user:7*" },
  ]) {
    assert.is(findVertices(store, condition)[0], MANY, JSON.stringify(condition));
  }
});

test("follow changes and roll backs", ({ store, graph }) => {
  graph.index("property", { key: "age" });
  graph.index("ids");
  const findByAge = (age: number | string) => findVertices(store, { property: { age } })[1];
  graph.createVertex("user:3", { properties: { age: 1234 } });
  graph.createVertex("other", { properties: { age: 1234 } });
  assert.equal(findByAge(1234), ["other", "user:3"]);
  assert.equal(findByAge(0.3 - 50), []);
  graph.createVertex("user:3", { properties: { age: "text" } });
  assert.equal([findByAge(1234), findByAge("text")], [["other"], ["user:3"]]);
  const change = () => {
    graph.createVertex("user:4", { properties: { age: 1234 } });
    graph.deleteVertex("other");
    throw new RangeError("undone");
  };
  assert.throws(() => graph.batch(change), /undone/);
  assert.equal(findByAge(1234), ["other"]);
  graph.deleteVertex("other");
  assert.equal(findByAge(1234), []);
  checkStore(store);
});

test("find infinite, negative and zero numbers and floats", ({ store, graph }) => {
  graph.index("property", { key: "n" });
  const numbers = [
    Number.NEGATIVE_INFINITY,
    -1234567.25,
    -1,
    -0,
    0,
    5e-324,
    1,
    2 ** 52,
    Number.NaN,
  ];
  for (const [index, n] of numbers.entries())
    graph.createVertex(`n${index}`, { properties: { n } });
  const ids = (n: unknown) => findVertices(store, { property: { n } })[1];
  assert.equal(ids(0), ["n3", "n4"]);
  assert.equal(ids([V_LT, 0]), ["n0", "n1", "n2"]);
  assert.equal(ids([V_RANGE, [-1, 1]]), ["n2", "n3", "n4", "n5", "n6"]);
  assert.equal(ids([V_GT, 1]), ["n7"]);
  assert.is(ids(null).length, numbers.length);
  checkStore(store);
});

test("are logged, dropped, and removed with their subject", ({ store, graph }) => {
  const copy = GraphStore.create("test", TEST_THREAD);
  graph.index("property", { key: "age" });
  graph.index("ids");
  graph.index("ids");
  replayTo(store, copy);
  assert.equal(openStore(copy).propertyIndexes(), graph.propertyIndexes());
  checkStore(copy);
  assert.is(graph.dropIndex("property", { key: "age" }), true);
  assert.is(graph.dropIndex("property", { key: "age" }), false);
  assert.equal(graph.propertyIndexes(), [{ key: null, entries: MANY }]);
  assert.throws(() => graph.dropIndex("property", { key: "unknown" }), /no such property key/);
  assert.throws(() => graph.index("property", {} as never), /requires `key`/);
  assert.throws(() => graph.index("arcs" as never), /unknown index; expected/);
  graph.truncate();
  assert.equal(graph.propertyIndexes(), []);
  replayTo(store, copy);
  checkStore(copy);
  checkStore(store);
  graph.setGraphReadonly();
  assert.throws(() => graph.index("ids"), /Graph is readonly/);
});

test.run();
