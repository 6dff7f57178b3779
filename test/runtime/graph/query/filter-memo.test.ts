// Memo of a condition: vertices that it remembers, and changes that make it forget them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ExpressionSet } from "../../../../runtime/graph/evaluate/expression-set.js";
import { HitCounter } from "../../../../runtime/graph/query/hits/hit-sink.js";
import { NO_DEADLINE } from "../../../../runtime/graph/query/match/deadline.js";
import { bindTest, type VertexTest } from "../../../../runtime/graph/query/match/vertex-test.js";
import type { VertexCondition } from "../../../../runtime/graph/query/parse/query-options.js";
import { compileVertexCondition } from "../../../../runtime/graph/query/parse/vertex-condition.js";
import { FilterMemo } from "../../../../runtime/graph/query/walk/filter-memo.js";
import { Walker } from "../../../../runtime/graph/query/walk/walker.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("filter memo");
const COUNT = 100;

interface Counted {
  readonly test: VertexTest;
  tests: number;
}

/** Returns a compiled condition that counts the vertices it is tested for. */
function compile(store: GraphStore, condition: VertexCondition): Counted {
  const expressions = new ExpressionSet(store, null);
  const compiled = compileVertexCondition(store, expressions, condition, ".condition")!;
  const counted: Counted = { test: compiled, tests: 0 };
  const checks = compiled.checks.map((check) => ({
    bind: () => check.bind(),
    describe: () => check.describe(),
    passes(vertex: number) {
      counted.tests++;
      return check.passes(vertex);
    },
    filter(arcs: Uint32Array, from: number, end: number) {
      counted.tests++;
      return check.filter(arcs, from, end);
    },
  }));
  return Object.assign(counted, { test: { ...compiled, checks } });
}

function findAccepted(store: GraphStore, condition: VertexTest): string[] {
  bindTest(condition, store);
  const walker = Walker.of(store);
  walker.start(new HitCounter(), NO_DEADLINE, true);
  const memo = FilterMemo.of(store, condition, walker)!;
  const ids: string[] = [];
  for (let vertex = 1; vertex < store.vertices.end; vertex++) {
    if (memo.accepts(vertex)) ids.push(store.ids.idOf(vertex));
  }
  return ids;
}

const CONDITIONS: VertexCondition[] = [
  { property: { n: { lt: 40 } } },
  { property: { n: { lt: 40 } }, type: "odd" },
  { not: { property: { n: { lt: 40 } } } },
  { type: "odd", arc: "has", neighbor: { type: "odd" } },
];

for (const condition of CONDITIONS) {
  test(`remembers ${JSON.stringify(condition)} until the graph changes`, () => {
    const store = GraphStore.create("test", TEST_THREAD);
    const graph = openStore(store);
    for (let index = 0; index < COUNT; index++) {
      graph.createVertex(`v${index}`, {
        type: index % 2 ? "odd" : "even",
        properties: { n: index },
      });
      graph.connect(`v${index}`, "has", `v${(index * 7) % 50}`);
    }
    const expectSame = (): void => {
      assert.equal(findAccepted(store, counted.test).sort(), graph.vertices({ condition }).sort());
    };
    const counted = compile(store, condition);
    expectSame();
    const { tests } = counted;
    assert.ok(tests > 0);
    expectSame();
    assert.is(counted.tests, tests);

    graph.createVertex("v91", { type: "odd", properties: { n: 1 } });
    graph.createVertex("v3", { type: "odd", properties: { n: 99 } });
    graph.disconnect("v1", "has", "v7");
    expectSame();
    graph.deleteVertex("v5");
    for (let index = 0; index < COUNT; index++)
      graph.createVertex(`w${index}`, { properties: { n: index } });
    expectSame();
    const now = counted.tests;
    expectSame();
    assert.is(counted.tests, now);
  });
}

test("remembers nothing of a change under way, which may be rolled back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < COUNT; index++)
    graph.createVertex(`v${index}`, { properties: { n: index } });
  const { test: condition } = compile(store, { property: { n: { lt: 2 } } });
  assert.equal(findAccepted(store, condition), ["v0", "v1"]);
  const fails = (): void =>
    graph.batch(() => {
      graph.createVertex("v0", { properties: { n: 9 } });
      assert.equal(findAccepted(store, condition), ["v1"]);
      graph.createVertex("v1", { properties: { n: 9 } });
      assert.equal(findAccepted(store, condition), []);
      throw new Error("roll back");
    });
  assert.throws(fails, /roll back/);
  assert.equal(findAccepted(store, condition), ["v0", "v1"]);
});

test.run();
