// Conditions given by name mean the same as with constants, in all positions.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import * as C from "../../../../runtime/graph/model/constants.js";
import type { ValueCondition } from "../../../../runtime/graph/query/parse/query-options.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("named comparisons");
const graph = makeGraph();

for (let n = -3; n < 12; n++) {
  graph.createVertex(`v${n}`, { properties: { n, text: n % 2 === 0 ? "even" : `odd ${n}` } });
  graph.connect("hub", ["to", C.M_INT, n], `v${n}`);
  if (n > 0) for (let m = 0; m < n; m++) graph.connect(`v${n}`, [`r${m}`, C.M_STAT], "sink");
}

const PAIRS: readonly (readonly [ValueCondition, ValueCondition])[] = [
  [{ gt: 5 }, [C.V_GT, 5]],
  [{ gte: 5 }, [C.V_GTE, 5]],
  [{ lt: 5 }, [C.V_LT, 5]],
  [{ lte: 5 }, [C.V_LTE, 5]],
  [{ eq: 5 }, [C.V_EQ, 5]],
  [{ ne: 5 }, [C.V_NEQ, 5]],
  [{ between: [2, 5] }, [C.V_RANGE, [2, 5]]],
  [{ outside: [2, 5] }, [C.V_NRANGE, [2, 5]]],
];

test("work for properties, degrees and arcs", () => {
  const ids = (condition: object) => graph.vertices({ condition, sortby: S_ID });
  for (const [named, coded] of PAIRS) {
    const label = JSON.stringify(named);
    assert.equal(ids({ property: { n: named } }), ids({ property: { n: coded } }), label);
    assert.equal(ids({ outdegree: named }), ids({ outdegree: coded }), label);
    assert.ok(ids({ property: { n: named } }).length > 0, label);
    const [cond, value] = coded as [number, number];
    const arc = { rel: "to", dir: "out", mod: "int", value: named } as never;
    const same = ["to", C.D_OUT, C.M_INT, cond, value];
    const around = (filter: unknown) => graph.neighborhood("hub", { arc: filter as never });
    assert.equal(around(arc), around(same), label);
    using vertex = graph.openVertex("v5", "r");
    assert.is(vertex.hasProperty("n", named), vertex.hasProperty("n", coded), label);
  }
});

test("match any of several values with `in`", () => {
  const ids = (n: ValueCondition) => graph.vertices({ condition: { property: { n } } });
  assert.equal(ids({ in: [3, 5, 99, "x"] }).sort(), ["v3", "v5"]);
  assert.equal(ids({ in: [] }), []);
  const texts = { property: { text: { in: ["even", "odd 7"] }, n: { gt: 3 } } };
  assert.equal(graph.vertices({ condition: texts }).sort(), ["v10", "v4", "v6", "v7", "v8"]);
  using vertex = graph.openVertex("v7", "r");
  assert.equal(
    [vertex.hasProperty("text", { in: ["odd 7"] }), vertex.hasProperty("n", { in: [1] })],
    [true, false],
  );
});

test("include names of directions and modifiers", () => {
  const count = (arc: unknown) => graph.degree("v5", arc as never);
  assert.is(count({ dir: "out" }), 5);
  assert.is(count({ dir: "in" }), 1);
  assert.is(count({ dir: "any" }), 6);
  assert.is(count({ rel: "to", dir: "in", mod: "M_INT" }), 1);
  assert.is(count({ dir: "out", mod: "stat" }), 5);
});

test("are rejected with the allowed names when empty or ambiguous", () => {
  for (const condition of [{}, { gt: 1, lt: 2 }, { about: 3 }, { in: 3 }, { __proto__: null }]) {
    const query = { condition: { property: { n: condition as never } } };
    assert.throws(() => graph.vertices(query), /exactly one of gt, gte, lt, lte, eq, ne, between/);
  }
  const arcs: [unknown, RegExp][] = [
    [{ relation: "to" }, /Invalid arc: 'relation' is not one of rel, dir, mod, cond, value/],
    [{ dir: "up" }, /Invalid arc direction/],
    [{ mod: "integer" }, /Invalid arc modifier/],
    [{ mod: "int", value: { in: [1] } }, /`in` compares properties only/],
    [{ cond: C.V_GT, value: 1 }, /not supported without modifier/],
    [{ value: { gt: "1" } }, /value\.gt is "1"; expected: a number/],
  ];
  for (const [arc, text] of arcs) {
    assert.throws(() => graph.neighborhood("hub", { arc: arc as never }), text);
  }
  assert.throws(() => graph.vertices({ condition: { degree: { in: [1] } } }), /Invalid degree/);
});

test("treat a plain number as equality for the value of an arc", () => {
  const arc = { rel: "to", dir: "out", mod: "int", value: 5 } as const;
  assert.equal(graph.neighborhood("hub", { arc }), ["v5"]);
});

test("compare values of all numeric modifiers without a modifier", () => {
  const mixed = makeGraph();
  const numbers = [C.M_INT, C.M_UINT, C.M_FLT, C.M_CNT, C.M_ACC, C.M_DIST];
  for (const [index, mod] of numbers.entries()) {
    for (let n = 0; n < 9; n++) mixed.connect("hub", ["to", mod, n], `${index} ${n}`);
  }
  mixed.connect("hub", ["to", C.M_FLT, 5.25], "float");
  mixed.connect("hub", ["to", C.M_INT, -7], "below");
  mixed.connect("hub", ["other", C.M_INT, 6], "other");
  // None of these has a number that a user gave it for comparison.
  mixed.connect("hub", ["to", C.M_STAT], "plain");
  mixed.connect("hub", ["to", C.M_TMC], "time");
  mixed.connect("hub", ["to", C.M_TMX, C.T_MAX], "end");
  mixed.connect("hub", ["to", C.M_LSH, 5], "bits");
  const ids = (arc: unknown) => mixed.neighborhood("hub", { arc: arc as never }).sort();
  for (const [value] of [...PAIRS, [5] as const, [{ eq: 5.25 }] as const, [{ lt: 0 }] as const]) {
    const each = numbers.flatMap((mod) => ids({ rel: "to", dir: "out", mod, value }));
    const label = JSON.stringify(value);
    assert.equal(ids({ rel: "to", dir: "out", value }), each.sort(), label);
    assert.is(mixed.degree("hub", { rel: "to", dir: "out", value } as never), each.length, label);
    const others = ids([false, { rel: "to", dir: "out", value }]);
    assert.equal([...others, ...each].sort(), ids({ dir: "out" }), label);
  }
  assert.equal(ids({ value: { gte: 8 } }).length, numbers.length);
  assert.is(mixed.disconnect("hub", { value: { gt: 7 } }), numbers.length);
  assert.equal(ids({ value: 8 }), []);
});

test.run();
