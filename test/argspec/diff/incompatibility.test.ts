// Assignability of types in every form of schema, and the first position of a mismatch.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../../argspec/argspec.js";
import {
  type CompareDirection,
  findIncompatibility,
} from "../../../argspec/diff/incompatibility.js";
import {
  anyOf,
  INTEGER,
  listOf,
  NULL,
  NUMBER,
  objectOf,
  refTo,
  STRING,
  tupleOf,
} from "./contracts.js";

const test = suite("type compatibility");

const BOOLEAN: JsonSchema = { type: "boolean" };
const pattern = (pattern: string): JsonSchema => ({ type: "string", pattern });
const oneOf = (...values: readonly unknown[]): JsonSchema => ({ enum: values });
const tree = (leaf: JsonSchema): JsonSchema =>
  anyOf(leaf, objectOf({ left: refTo("Tree"), "right?": refTo("Tree") }));
const DEFINITIONS = {
  Tree: tree(NUMBER),
  Point: objectOf({ x: NUMBER, y: NUMBER }),
  // The same list, each unrolled to another length.
  One: objectOf({ "next?": refTo("One") }),
  Two: objectOf({ "next?": objectOf({ "next?": refTo("Two") }) }),
  // Compatible with One except for its second item.
  Odd: objectOf({ "next?": objectOf({ "next?": refTo("Odd"), "more?": NUMBER }) }),
};

function incompatibility(
  source: JsonSchema,
  target: JsonSchema,
  reading: CompareDirection = "strict",
) {
  const definitions = DEFINITIONS;
  return findIncompatibility(
    { schema: source, definitions },
    { schema: target, definitions },
    reading,
  );
}

/** Source, target: each value of the source is one of the target, but not vice versa. */
const NARROW_AND_WIDE: readonly (readonly [JsonSchema, JsonSchema])[] = [
  [STRING, {}],
  [INTEGER, NUMBER],
  [{ const: 7 }, INTEGER],
  [{ const: 2.5 }, NUMBER],
  [{ const: 2 ** 53 }, NUMBER],
  [{ const: "a" }, STRING],
  [oneOf("a"), oneOf("a", "b")],
  [oneOf("a", 1), anyOf(STRING, INTEGER)],
  [{ const: true }, BOOLEAN],
  [NULL, anyOf(NULL, STRING)],
  [pattern("^a$"), STRING],
  [INTEGER, anyOf(STRING, NUMBER)],
  [{ ...INTEGER, minimum: 1 }, INTEGER],
  [
    { ...INTEGER, minimum: 1 },
    { ...NUMBER, minimum: 1 },
  ],
  [
    { ...NUMBER, minimum: 2 },
    { ...NUMBER, exclusiveMinimum: 1 },
  ],
  [{ const: 2 }, { ...INTEGER, minimum: 1 }],
  [oneOf("ab", "c"), { ...STRING, maxLength: 2 }],
  [
    { ...STRING, maxLength: 2, pattern: "a" },
    { ...STRING, maxLength: 3 },
  ],
  [{ ...STRING, format: "uuid" }, anyOf(NULL, STRING)],
  [
    { ...listOf(INTEGER), maxItems: 2 },
    { ...listOf(INTEGER), maxItems: 3 },
  ],
  [{ ...listOf(INTEGER), minItems: 2 }, listOf(INTEGER)],
  [tupleOf([INTEGER, INTEGER]), { ...listOf(INTEGER), maxItems: 2 }],
  [{ ...listOf(INTEGER), uniqueItems: true }, listOf(NUMBER)],
  [listOf(INTEGER), listOf(NUMBER)],
  [tupleOf([INTEGER]), listOf(INTEGER)],
  [tupleOf([INTEGER, STRING]), tupleOf([INTEGER, STRING], 1)],
  [tupleOf([INTEGER]), tupleOf([INTEGER], 1, STRING)],
  [tupleOf([INTEGER, STRING, STRING]), tupleOf([INTEGER], 1, STRING)],
  [tupleOf([INTEGER], 1, INTEGER), tupleOf([INTEGER], 1, NUMBER)],
  [objectOf({ x: INTEGER }), objectOf({ x: NUMBER })],
  [objectOf({ x: NUMBER }), objectOf({ "x?": NUMBER })],
  [objectOf({ x: NUMBER }), objectOf({ x: NUMBER, "y?": NUMBER })],
  [objectOf({ x: NUMBER }), objectOf({ x: NUMBER }, STRING)],
  [objectOf({ x: NUMBER }), objectOf({}, NUMBER)],
  [objectOf({}, INTEGER), objectOf({}, NUMBER)],
  [objectOf({ x: NUMBER }, STRING), objectOf({}, anyOf(NUMBER, STRING))],
  [tree(INTEGER), anyOf(refTo("Tree"), NULL)],
  [refTo("One"), refTo("Odd")],
];

for (const [index, [narrow, wide]] of NARROW_AND_WIDE.entries()) {
  test(`is one-way (${index})`, () => {
    assert.is(incompatibility(narrow, wide), null);
    assert.is.not(incompatibility(wide, narrow), null);
  });
}

/** Different notations of the same values. */
const EQUAL: readonly (readonly [JsonSchema, JsonSchema])[] = [
  [refTo("Point"), objectOf({ y: NUMBER, x: NUMBER })],
  [anyOf(STRING, NULL), anyOf(NULL, anyOf(STRING, STRING))],
  [oneOf(true, false), BOOLEAN],
  [oneOf("a", "b"), anyOf({ const: "b" }, { const: "a" })],
  [anyOf(INTEGER, NUMBER), NUMBER],
  [{ ...STRING, description: "a name", default: "" }, STRING],
  [listOf({}), { type: "array" }],
  [objectOf({}, {}), { type: "object", additionalProperties: true }],
  [refTo("One"), refTo("Two")],
  [pattern("^a$"), pattern("^a$")],
  [
    { type: "array", maxItems: 3 },
    { type: "array", maxItems: 3 },
  ],
];

for (const [index, [left, right]] of EQUAL.entries()) {
  test(`is mutual (${index})`, () => {
    assert.is(incompatibility(left, right), null);
    assert.is(incompatibility(right, left), null);
  });
}

test("rejects unknown schemas", () => {
  const unknown: readonly JsonSchema[] = [
    { type: "integer", minimum: 3 },
    { type: "array", items: STRING, maxItems: 3 },
    { $ref: "#/$defs/Missing" },
    { $ref: "#/$defs/toString" },
    { anyOf: [STRING], type: "string" },
    { minItems: 1 },
    { const: { x: 1 } },
    pattern("^a+$"),
  ];
  for (const target of unknown) {
    for (const source of [INTEGER, listOf(STRING), STRING, pattern("^a$"), {}]) {
      assert.is.not(incompatibility(source, target), null, JSON.stringify([source, target]));
    }
  }
  assert.is.not(
    incompatibility({ const: 2 ** 53 }, INTEGER),
    null,
    "servers refuse what is not safe",
  );
  // A reference means another type on each side.
  const opaque = { type: "array", items: refTo("Point"), minContains: 3 };
  assert.is.not(incompatibility(opaque, opaque), null);
});

test("reports the first mismatch", () => {
  const pathOf = (source: JsonSchema, target: JsonSchema, reading?: CompareDirection) => {
    const found = incompatibility(source, target, reading);
    return found === null ? null : [found.path, found.source, found.target];
  };
  const city = (at: JsonSchema) => objectOf({ name: STRING, at, "odd key?": listOf(at) });
  assert.equal(pathOf(city(NUMBER), city(INTEGER)), [".at", "number", "integer"]);
  assert.equal(pathOf(objectOf({ "odd key": NUMBER }), objectOf({ "odd key": INTEGER })), [
    '["odd key"]',
    "number",
    "integer",
  ]);
  assert.equal(pathOf(listOf(city(STRING)), listOf(city(NULL))), ["[].at", "string", "null"]);
  assert.equal(pathOf(tupleOf([NUMBER]), tupleOf([NUMBER, STRING])), ["[1]", "absent", "string"]);
  assert.equal(pathOf(tupleOf([NUMBER], 0), tupleOf([NUMBER])), [
    "[0]",
    "optional number",
    "number",
  ]);
  assert.equal(pathOf(objectOf({}, NUMBER), objectOf({}, STRING)), ["[key]", "number", "string"]);
  assert.equal(pathOf(objectOf({}), objectOf({ x: NUMBER })), [".x", "absent", "number"]);
  // For a union only if there is a single candidate.
  const [a, b] = [objectOf({ x: NUMBER }), objectOf({ y: NUMBER })];
  assert.equal(pathOf(a, anyOf(NULL, b)), [".y", "absent", "number"]);
  assert.equal(pathOf(a, anyOf(b, objectOf({ z: NUMBER }))), [
    "",
    "{ x: number }",
    "{ y: number } | { z: number }",
  ]);
});

test("ignores additional properties in tolerant mode", () => {
  const [small, large] = [objectOf({ x: NUMBER }), objectOf({ x: NUMBER, y: NUMBER }, STRING)];
  assert.is.not(incompatibility(large, small), null);
  assert.is(incompatibility(large, small, "tolerant"), null);
  assert.is(incompatibility(listOf(large), listOf(small), "tolerant"), null);
  assert.is.not(incompatibility(small, large, "tolerant"), null);
  // Declared ones must have their type in any case.
  assert.is.not(
    incompatibility(objectOf({}, STRING), objectOf({ "x?": NUMBER }), "tolerant"),
    null,
  );
  assert.is.not(incompatibility(tupleOf([NUMBER, NUMBER]), tupleOf([NUMBER]), "tolerant"), null);
});

test("distinguishes inherited names from properties", () => {
  const target = objectOf({ "toString?": NUMBER });
  assert.is(incompatibility(objectOf({}), target), null);
  assert.is.not(incompatibility(objectOf({ constructor: STRING }), objectOf({ x: STRING })), null);
  const proto = JSON.parse(
    '{ "type": "object", "properties": { "__proto__": { "type": "null" } } }',
  );
  assert.equal(incompatibility(proto, { ...proto, properties: {}, additionalProperties: false }), {
    path: ".__proto__",
    source: "null",
    target: "absent",
  });
});

test("stops comparing at a maximum depth of types", () => {
  const chain = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`T${at}`, listOf(refTo(`T${at + 1}`))]),
  );
  const type = { schema: refTo("T0"), definitions: { ...chain, T20000: NULL } };
  assert.is.not(findIncompatibility(type, type, "strict"), null);
  const aliases = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`T${at}`, refTo(`T${at + 1}`)]),
  );
  const alias = { schema: refTo("T0"), definitions: { ...aliases, T20000: NULL } };
  assert.is(findIncompatibility(alias, alias, "strict"), null);
  const circle = { schema: refTo("A"), definitions: { A: anyOf(refTo("B")), B: refTo("A") } };
  assert.is(
    findIncompatibility(circle, { schema: NULL, definitions: {} }, "strict"),
    null,
    "has no values",
  );
});

test("discards assumptions that prove wrong", () => {
  // `Way` matches `WayTo` while `City` is assumed to match `Town`, which `size` disproves.
  const definitions = {
    City: objectOf({ way: refTo("Way"), size: NUMBER }),
    Way: objectOf({ "to?": refTo("City") }),
    Town: objectOf({ way: refTo("WayTo"), size: STRING }),
    WayTo: objectOf({ "to?": refTo("Town") }),
  };
  const source = objectOf({ city: refTo("City"), way: refTo("Way") });
  const target = objectOf({ city: anyOf(refTo("Town"), objectOf({}, {})), way: refTo("WayTo") });
  const found = findIncompatibility(
    { schema: source, definitions },
    { schema: target, definitions },
    "strict",
  );
  assert.is(found?.path, ".way.to.size");
});

test("compares each pair of types once", () => {
  // Without memoization: 2 to the power of 40 comparisons.
  const ladder = (end: JsonSchema) => {
    const steps = Array.from({ length: 40 }, (_, at): [string, JsonSchema] => {
      const next = refTo(`T${at + 1}`);
      return [`T${at}`, objectOf({ a: next, b: next })];
    });
    return { schema: refTo("T0"), definitions: { ...Object.fromEntries(steps), T40: end } };
  };
  assert.is(findIncompatibility(ladder(INTEGER), ladder(NUMBER), "strict"), null);
  const found = findIncompatibility(ladder(NUMBER), ladder(INTEGER), "strict");
  assert.is(found?.path, ".a".repeat(40));
  const forks = (end: JsonSchema) => {
    const steps = Array.from({ length: 40 }, (_, at): [string, JsonSchema] => {
      const next = refTo(`T${at + 1}`);
      return [`T${at}`, anyOf(objectOf({ a: next }), objectOf({ a: next, "b?": next }))];
    });
    return { schema: refTo("T0"), definitions: { ...Object.fromEntries(steps), T40: end } };
  };
  assert.is(findIncompatibility(forks(INTEGER), forks(NUMBER), "strict"), null);
  const { definitions } = forks(INTEGER);
  const target = { schema: anyOf(refTo("T0"), objectOf({}, {})), definitions };
  assert.is(findIncompatibility(forks(NUMBER), target, "strict"), null);
});

test.run();
