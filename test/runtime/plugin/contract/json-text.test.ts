// JSON text of every value that a plugin may return, including values that JSON.stringify distorts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { jsonText } from "../../../../runtime/plugin/contract/json-text.js";
import { PluginResponse } from "../../../../runtime/plugin/response/plugin-response.js";

const test = suite("json text");

class Point {
  constructor(
    readonly x: number,
    readonly y: number,
  ) {}
}

const CASES: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ["null", null, "null"],
  ["undefined", undefined, "null"],
  ["text", 'a"b\n', '"a\\"b\\n"'],
  ["number", 1.5, "1.5"],
  ["negative zero", -0, "0"],
  ["NaN", Number.NaN, '"NaN"'],
  ["nested infinity", { a: [Number.POSITIVE_INFINITY] }, '{"a":["Infinity"]}'],
  ["bigint as a number", { n: 2n ** 70n }, '{"n":1180591620717411303424}'],
  ["undefined property is omitted", { a: undefined, b: 1 }, '{"b":1}'],
  ["undefined property with a bigint", { a: undefined, b: 1n }, '{"b":1}'],
  ["undefined item", [undefined], "[null]"],
  ["undefined item with a bigint", [undefined, 1n], "[null,1]"],
  ["date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ["invalid date", new Date(Number.NaN), "null"],
  ["bytes as a string", { b: new Uint8Array([0xc3, 0xa9]) }, '{"b":"é"}'],
  ["Buffer", Buffer.from("x"), '"x"'],
  ["typed array", new Float64Array([1, 2.5]), "[1,2.5]"],
  [
    "map",
    new Map<unknown, unknown>([
      ["a", 1],
      [2, "b"],
    ]),
    '{"a":1,"2":"b"}',
  ],
  [
    "map: the last equal key wins",
    new Map<unknown, unknown>([
      [1, "a"],
      ["1", "b"],
    ]),
    '{"1":"b"}',
  ],
  ["set", new Set([1, "a"]), '[1,"a"]'],
  ["class instance", new Point(1, 2), '{"x":1,"y":2}'],
  ["toJSON", { at: new URL("http://a/") }, '{"at":"http://a/"}'],
  ["toJSON that returns a map", { toJSON: () => new Map([["a", 1n]]) }, '{"a":1}'],
  ["boxed", [Object(1), Object("a"), Object(true)], '[1,"a",true]'],
  ["function", () => 1, '"[Function (anonymous)]"'],
  ["symbol", { s: Symbol("x") }, '{"s":"Symbol(x)"}'],
  ["regular expression", [/a/g], '["/a/g"]'],
  ["error", [new RangeError("no")], "[\"RangeError('no')\"]"],
  ["no prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ["the same value twice is not a cycle", ((a) => [a, a, 1n])({ k: 1 }), '[{"k":1},{"k":1},1]'],
];

for (const [name, value, text] of CASES) {
  test(name, () => assert.is(jsonText(value), text));
}

test("keeps __proto__ as a key", () => {
  const value = JSON.parse('{"__proto__": {"a": 1}}');
  assert.is(jsonText(value), '{"__proto__":{"a":1}}');
  assert.is(jsonText([value, 1n]), '[{"__proto__":{"a":1}},1]');
});

test("renders a nested response as an object", () => {
  const response = new PluginResponse();
  response.append("k", 1);
  assert.is(
    jsonText({ inner: response }),
    '{"inner":{"level":0,"levelparts":1,"partials":1,"hitcount":1,' +
      '"aggregator":[0,0,0,0],"meta":null,"entries":[["k",1]]}}',
  );
});

test("throws for cycles and throwing getters", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assert.throws(() => jsonText(cycle), /cyclic|circular/);
  assert.throws(() => jsonText([1n, cycle]), /cyclic/);
  const hostile = {
    get a(): never {
      throw new Error("getter");
    },
  };
  assert.throws(() => jsonText(hostile), /getter/);
});

test("renders deep data like JSON.stringify", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 500; i++) deep = { a: [deep] };
  assert.is(jsonText(deep), JSON.stringify(deep));
});

test.run();
