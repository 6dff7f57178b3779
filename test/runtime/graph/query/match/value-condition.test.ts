// Value conditions: their forms and matches, alone and on the properties of a vertex, where values
// are cells in memory.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../../runtime/base/float.js";
import {
  V_ANY,
  V_DYN_EQ,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../../../../runtime/graph/model/constants.js";
import { QueryError, ValueError } from "../../../../../runtime/graph/model/errors.js";
import { PropertyCondition } from "../../../../../runtime/graph/query/match/property-condition.js";
import {
  parseValueCondition,
  testNumber,
  testValue,
} from "../../../../../runtime/graph/query/match/value-condition.js";
import { UNTYPED } from "../../../../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import type { PropertyValue } from "../../../../../runtime/graph/store/property-values.js";
import { TEST_THREAD } from "../../support/make-graph.js";

const test = suite("value conditions");
const REAL = 1;

/** Condition, then values that meet it, then values that do not. */
const CASES: [unknown, PropertyValue[], PropertyValue[]][] = [
  [null, [0, "", "a", null, new Uint8Array(1), [1], { a: 1 }], []],
  [undefined, [5, "a"], []],
  [[V_ANY, 5], [4, "a", null], []],
  [5, [5, new Float(5)], [4, 5.5, "5", null, [5], Number.NaN]],
  [5.5, [5.5], [5, 6]],
  [true, [1, true], [0, "true"]],
  [false, [0, -0, false], [1, null, ""]],
  [[V_EQ, 5], [5], [6, "5"]],
  [
    [V_NEQ, 5],
    [4, Number.NaN],
    [5, null, [5]],
  ],
  [
    [V_LTE, 5],
    [5, 4.5, Number.NEGATIVE_INFINITY],
    [5.5, "4", Number.NaN],
  ],
  [[V_LT, 5], [4.5], [5, Number.NaN]],
  [
    [V_GT, 5],
    [5.5, new Float(6), Number.POSITIVE_INFINITY],
    [5, "6", Number.NaN],
  ],
  [[V_GTE, 5], [5], [4.5, Number.NaN]],
  [
    [V_RANGE, [1, 9]],
    [1, 9, 5.5],
    [0.5, 9.5, "5", Number.NaN],
  ],
  [[V_RANGE, [9, 1]], [], [1, 5, 9]],
  [
    [V_NRANGE, [1, 9]],
    [0.5, 9.5],
    [1, 9, "5", Number.NaN],
  ],
  ["Oslo", ["Oslo"], ["oslo", "Oslo ", "Os", 5, null]],
  ["Os*", ["Os", "Oslo", "Os*"], ["O", "slOs", 5]],
  ["*", ["", "a"], [5, null]],
  ["", [""], ["a", null]],
  ["Os\\*", ["Os*"], ["Oslo", "Os\\*"]],
  ["a\\**", ["a*", "a*b"], ["ab"]],
  [[V_EQ, "Os*"], ["Oslo"], ["Bergen"]],
  [
    [V_NEQ, "Oslo"],
    ["Bergen", "Os", 5],
    ["Oslo", null],
  ],
  [[V_NEQ, "Os*"], ["Bergen"], ["Oslo", "Os"]],
  [[V_GT, "a"], [], ["a", "b", 5]],
  [[V_LTE, "b*"], [], ["a", "b", 5]],
  [[V_RANGE, ["a", "c"]], [], ["a", "b", 5]],
  ["é*", ["é", "éa"], ["e"]],
];

test("match plain values", () => {
  for (const [condition, passing, failing] of CASES) {
    const parsed = parseValueCondition(condition);
    const toPlain = (value: PropertyValue): PropertyValue =>
      value instanceof Float ? value.value : value;
    const label = (value: PropertyValue): string => `${JSON.stringify(condition)} of ${value}`;
    for (const value of passing) assert.ok(testValue(parsed, toPlain(value)), label(value));
    for (const value of failing) assert.not.ok(testValue(parsed, toPlain(value)), label(value));
  }
});

test("match properties", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { properties, writer } = store;
  const vertex = writer.mutate(() => store.vertices.allocate());
  const key = writer.mutate(() => {
    store.vertices.setMeta(vertex, UNTYPED, REAL);
    return store.keys.define("key");
  });
  for (const [condition, passing, failing] of CASES) {
    if (condition === undefined) continue;
    const compiled = new PropertyCondition(store, { key: condition });
    for (const [values, isPassing] of [
      [passing, true],
      [failing, false],
    ] as const) {
      for (const value of values) {
        writer.mutate(() => properties.set(vertex, key, value));
        compiled.bind();
        const label = `${JSON.stringify(condition)} of ${value}`;
        assert.is(compiled.matches(vertex), isPassing, label);
        assert.is(compiled.matches(vertex), isPassing, `${label}, again`);
      }
    }
  }
});

test("interpret a plain number by its position", () => {
  assert.ok(testNumber(parseValueCondition(5, V_GTE), 6));
  assert.not.ok(testNumber(parseValueCondition(5, V_GTE), 4));
  assert.not.ok(testNumber(parseValueCondition([V_EQ, 5], V_GTE), 6));
});

test("reject invalid shapes", () => {
  const forms =
    "invalid condition, must be <value> or (comparison, <value>) or " +
    "(range_comparison, (<low>,<high>) )";
  const range = "range comparison requires value tuple (min, max)";
  const names = "gt, gte, lt, lte, eq, ne, between, outside, in";
  const cases: [unknown, string][] = [
    [[], "condition must be 2-tuple"],
    [[V_GT], "condition must be 2-tuple"],
    [[V_RANGE, 1, 2], "condition must be 2-tuple"],
    [[2, 5], "invalid value comparison code"],
    [[V_DYN_EQ, 5], "invalid value comparison code"],
    [[99, 5], "invalid value comparison code"],
    [["V_GT", 5], "invalid value comparison code"],
    [[null, 5], "invalid value comparison code"],
    [[V_RANGE, 5], range],
    [[V_RANGE, [1]], range],
    [[V_NRANGE, [1, 2, 3]], range],
    [[V_RANGE, [1, "b"]], forms],
    [[V_RANGE, [null, 1]], forms],
    [[V_GT, null], forms],
    [[V_GT, [1, 2]], forms],
    [{}, `invalid condition {}: exactly one of ${names}`],
    [{ above: 5 }, `invalid condition {above}: exactly one of ${names}`],
    [{ gt: { lt: 5 } }, forms],
    [() => 5, forms],
    ["a*n", "Unsupported wildcard: a*n"],
    ["**", "Unsupported wildcard: **"],
    [[V_EQ, "*a"], "Unsupported wildcard: *a"],
  ];
  for (const [condition, text] of cases) {
    assert.throws(
      () => parseValueCondition(condition),
      (error: Error) => error instanceof QueryError && error.problem === text,
      JSON.stringify(condition),
    );
  }
});

test("require all keys of a property condition", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { properties, writer } = store;
  const has = (vertex: number, condition: object): boolean =>
    new PropertyCondition(store, condition).matches(vertex);
  writer.mutate(() => {
    for (const _ of "12") store.vertices.setMeta(store.vertices.allocate(), UNTYPED, REAL);
    properties.set(1, store.keys.define("age"), 34);
    properties.set(1, store.keys.define("city"), "Oslo");
    properties.set(2, store.keys.define("age"), null);
  });
  assert.ok(has(1, {}));
  assert.ok(has(1, { age: 34, city: "Oslo" }));
  assert.ok(has(1, { age: undefined, city: null }));
  assert.not.ok(has(1, { age: 35, city: "Oslo" }));
  assert.not.ok(has(1, { age: 34, city: "Bergen" }));
  assert.not.ok(has(1, { age: 34, other: null }));
  assert.not.ok(has(1, { constructor: null }));
  assert.ok(has(2, { age: null }));
  assert.not.ok(has(2, { age: [V_NEQ, 5] }));
  assert.not.ok(has(2, { city: null }));
  assert.not.ok(has(3, { age: null }));
  assert.not.ok(has(999_999, { age: null }));
});

test("find strings created later once they are bound again", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { properties, writer, keys } = store;
  const condition = new PropertyCondition(store, { city: "Oslo" });
  writer.mutate(() => {
    store.vertices.setMeta(store.vertices.allocate(), UNTYPED, REAL);
    properties.set(1, keys.define("city"), "Oslo");
  });
  condition.bind();
  assert.ok(condition.matches(1));
  // The string is freed, and another one takes its address.
  writer.mutate(() => properties.set(1, keys.define("city"), "Bonn"));
  writer.mutate(() => properties.set(1, keys.define("city"), "Rome"));
  writer.mutate(() => properties.set(1, keys.define("city"), "Lima"));
  assert.not.ok(condition.matches(1));
  writer.mutate(() => properties.set(1, keys.define("city"), "Oslo"));
  condition.bind();
  assert.ok(condition.matches(1));
});

test("reject invalid property conditions", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  for (const condition of [null, 5, "age", ["age", 5]]) {
    assert.throws(() => new PropertyCondition(store, condition), isQueryError);
  }
  for (const key of ["", "a b", "__a", "_", "9", "*a"]) {
    assert.throws(
      () => new PropertyCondition(store, { [key]: 5 }),
      (error: Error) =>
        error instanceof ValueError && error.message.startsWith(`invalid property key: '${key}'\n`),
    );
  }
  assert.throws(() => new PropertyCondition(store, { age: [1] }), isQueryError);
});

function isQueryError(error: Error): boolean {
  return error instanceof QueryError;
}

test.run();
