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
  arraySchema,
  INTEGER,
  NULL,
  NUMBER,
  objectSchema,
  refTo,
  STRING,
  tupleSchema,
} from "./contracts.js";

const test = suite("type compatibility");

const BOOLEAN: JsonSchema = { type: "boolean" };
const pattern = (pattern: string): JsonSchema => ({ type: "string", pattern });
const enumSchema = (...values: readonly unknown[]): JsonSchema => ({ enum: values });
const tree = (leaf: JsonSchema): JsonSchema =>
  anyOf(leaf, objectSchema({ left: refTo("Tree"), "right?": refTo("Tree") }));
const DEFINITIONS = {
  Tree: tree(NUMBER),
  Point: objectSchema({ x: NUMBER, y: NUMBER }),
  // The same list, each unrolled to another length.
  One: objectSchema({ "next?": refTo("One") }),
  Two: objectSchema({ "next?": objectSchema({ "next?": refTo("Two") }) }),
  // Compatible with One except for its second item.
  Odd: objectSchema({ "next?": objectSchema({ "next?": refTo("Odd"), "more?": NUMBER }) }),
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
  [enumSchema("a"), enumSchema("a", "b")],
  [enumSchema("a", 1), anyOf(STRING, INTEGER)],
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
  [enumSchema("ab", "c"), { ...STRING, maxLength: 2 }],
  [
    { ...STRING, maxLength: 2, pattern: "a" },
    { ...STRING, maxLength: 3 },
  ],
  [{ ...STRING, format: "uuid" }, anyOf(NULL, STRING)],
  [
    { ...arraySchema(INTEGER), maxItems: 2 },
    { ...arraySchema(INTEGER), maxItems: 3 },
  ],
  [{ ...arraySchema(INTEGER), minItems: 2 }, arraySchema(INTEGER)],
  [tupleSchema([INTEGER, INTEGER]), { ...arraySchema(INTEGER), maxItems: 2 }],
  [{ ...arraySchema(INTEGER), uniqueItems: true }, arraySchema(NUMBER)],
  [arraySchema(INTEGER), arraySchema(NUMBER)],
  [tupleSchema([INTEGER]), arraySchema(INTEGER)],
  [tupleSchema([INTEGER, STRING]), tupleSchema([INTEGER, STRING], 1)],
  [tupleSchema([INTEGER]), tupleSchema([INTEGER], 1, STRING)],
  [tupleSchema([INTEGER, STRING, STRING]), tupleSchema([INTEGER], 1, STRING)],
  [tupleSchema([INTEGER], 1, INTEGER), tupleSchema([INTEGER], 1, NUMBER)],
  [objectSchema({ x: INTEGER }), objectSchema({ x: NUMBER })],
  [objectSchema({ x: NUMBER }), objectSchema({ "x?": NUMBER })],
  [objectSchema({ x: NUMBER }), objectSchema({ x: NUMBER, "y?": NUMBER })],
  [objectSchema({ x: NUMBER }), objectSchema({ x: NUMBER }, STRING)],
  [objectSchema({ x: NUMBER }), objectSchema({}, NUMBER)],
  [objectSchema({}, INTEGER), objectSchema({}, NUMBER)],
  [objectSchema({ x: NUMBER }, STRING), objectSchema({}, anyOf(NUMBER, STRING))],
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
  [refTo("Point"), objectSchema({ y: NUMBER, x: NUMBER })],
  [anyOf(STRING, NULL), anyOf(NULL, anyOf(STRING, STRING))],
  [enumSchema(true, false), BOOLEAN],
  [enumSchema("a", "b"), anyOf({ const: "b" }, { const: "a" })],
  [anyOf(INTEGER, NUMBER), NUMBER],
  [{ ...STRING, description: "a name", default: "" }, STRING],
  [arraySchema({}), { type: "array" }],
  [objectSchema({}, {}), { type: "object", additionalProperties: true }],
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
    for (const source of [INTEGER, arraySchema(STRING), STRING, pattern("^a$"), {}]) {
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
  const incompatiblePath = (source: JsonSchema, target: JsonSchema, reading?: CompareDirection) => {
    const reason = incompatibility(source, target, reading);
    return reason === null ? null : [reason.path, reason.source, reason.target];
  };
  const city = (place: JsonSchema) =>
    objectSchema({ name: STRING, at: place, "odd key?": arraySchema(place) });
  assert.equal(incompatiblePath(city(NUMBER), city(INTEGER)), [".at", "number", "integer"]);
  assert.equal(
    incompatiblePath(objectSchema({ "odd key": NUMBER }), objectSchema({ "odd key": INTEGER })),
    ['["odd key"]', "number", "integer"],
  );
  assert.equal(incompatiblePath(arraySchema(city(STRING)), arraySchema(city(NULL))), [
    "[].at",
    "string",
    "null",
  ]);
  assert.equal(incompatiblePath(tupleSchema([NUMBER]), tupleSchema([NUMBER, STRING])), [
    "[1]",
    "absent",
    "string",
  ]);
  assert.equal(incompatiblePath(tupleSchema([NUMBER], 0), tupleSchema([NUMBER])), [
    "[0]",
    "optional number",
    "number",
  ]);
  assert.equal(incompatiblePath(objectSchema({}, NUMBER), objectSchema({}, STRING)), [
    "[key]",
    "number",
    "string",
  ]);
  assert.equal(incompatiblePath(objectSchema({}), objectSchema({ x: NUMBER })), [
    ".x",
    "absent",
    "number",
  ]);
  // For a union only if there is a single candidate.
  const [a, b] = [objectSchema({ x: NUMBER }), objectSchema({ y: NUMBER })];
  assert.equal(incompatiblePath(a, anyOf(NULL, b)), [".y", "absent", "number"]);
  assert.equal(incompatiblePath(a, anyOf(b, objectSchema({ z: NUMBER }))), [
    "",
    "{ x: number }",
    "{ y: number } | { z: number }",
  ]);
});

test("ignores additional properties in tolerant mode", () => {
  const [small, large] = [
    objectSchema({ x: NUMBER }),
    objectSchema({ x: NUMBER, y: NUMBER }, STRING),
  ];
  assert.is.not(incompatibility(large, small), null);
  assert.is(incompatibility(large, small, "tolerant"), null);
  assert.is(incompatibility(arraySchema(large), arraySchema(small), "tolerant"), null);
  assert.is.not(incompatibility(small, large, "tolerant"), null);
  // Declared ones must have their type in any case.
  assert.is.not(
    incompatibility(objectSchema({}, STRING), objectSchema({ "x?": NUMBER }), "tolerant"),
    null,
  );
  assert.is.not(
    incompatibility(tupleSchema([NUMBER, NUMBER]), tupleSchema([NUMBER]), "tolerant"),
    null,
  );
});

test("distinguishes inherited names from properties", () => {
  const target = objectSchema({ "toString?": NUMBER });
  assert.is(incompatibility(objectSchema({}), target), null);
  assert.is.not(
    incompatibility(objectSchema({ constructor: STRING }), objectSchema({ x: STRING })),
    null,
  );
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
    Array.from({ length: 20_000 }, (_, index) => [
      `T${index}`,
      arraySchema(refTo(`T${index + 1}`)),
    ]),
  );
  const type = { schema: refTo("T0"), definitions: { ...chain, T20000: NULL } };
  assert.is.not(findIncompatibility(type, type, "strict"), null);
  const aliases = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`T${index}`, refTo(`T${index + 1}`)]),
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
    City: objectSchema({ way: refTo("Way"), size: NUMBER }),
    Way: objectSchema({ "to?": refTo("City") }),
    Town: objectSchema({ way: refTo("WayTo"), size: STRING }),
    WayTo: objectSchema({ "to?": refTo("Town") }),
  };
  const source = objectSchema({ city: refTo("City"), way: refTo("Way") });
  const target = objectSchema({
    city: anyOf(refTo("Town"), objectSchema({}, {})),
    way: refTo("WayTo"),
  });
  const reason = findIncompatibility(
    { schema: source, definitions },
    { schema: target, definitions },
    "strict",
  );
  assert.is(reason?.path, ".way.to.size");
});

test("compares each pair of types once", () => {
  // Without memoization: 2 to the power of 40 comparisons.
  const ladder = (end: JsonSchema) => {
    const steps = Array.from({ length: 40 }, (_, index): [string, JsonSchema] => {
      const next = refTo(`T${index + 1}`);
      return [`T${index}`, objectSchema({ a: next, b: next })];
    });
    return { schema: refTo("T0"), definitions: { ...Object.fromEntries(steps), T40: end } };
  };
  assert.is(findIncompatibility(ladder(INTEGER), ladder(NUMBER), "strict"), null);
  const reason = findIncompatibility(ladder(NUMBER), ladder(INTEGER), "strict");
  assert.is(reason?.path, ".a".repeat(40));
  const forks = (end: JsonSchema) => {
    const steps = Array.from({ length: 40 }, (_, index): [string, JsonSchema] => {
      const next = refTo(`T${index + 1}`);
      return [`T${index}`, anyOf(objectSchema({ a: next }), objectSchema({ a: next, "b?": next }))];
    });
    return { schema: refTo("T0"), definitions: { ...Object.fromEntries(steps), T40: end } };
  };
  assert.is(findIncompatibility(forks(INTEGER), forks(NUMBER), "strict"), null);
  const { definitions } = forks(INTEGER);
  const target = { schema: anyOf(refTo("T0"), objectSchema({}, {})), definitions };
  assert.is(findIncompatibility(forks(NUMBER), target, "strict"), null);
});

test.run();
