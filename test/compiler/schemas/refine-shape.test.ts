// Shapes refined by the JSON Schema of a library, and its ignored parts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { refineShape } from "../../../compiler/schemas/refine-shape.js";

const test = suite("refined shapes");

const TEXT: TypeShape = { kind: "str" };
const NUMBER: TypeShape = { kind: "float" };
const limited = (base: TypeShape, limits: object) => ({ kind: "limited", base, limits });

test("apply constraints to their type; integral numbers become integers", () => {
  assert.equal(refineShape(TEXT, { minLength: 2, minimum: 1 }), limited(TEXT, { minLength: 2 }));
  const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  assert.equal(refineShape(NUMBER, { type: "integer", ...safe }), { kind: "int" });
  const either: TypeShape = { kind: "union", members: [TEXT, NUMBER, { kind: "null" }] };
  const anyOf = [
    { type: "string", maxLength: 3 },
    { type: "number", minimum: 1 },
    { type: "null" },
  ];
  assert.equal(refineShape(either, { anyOf }), {
    kind: "union",
    members: [limited(TEXT, { maxLength: 3 }), limited(NUMBER, { minimum: 1 }), { kind: "null" }],
  });
});

test("apply constraints to keys and values of records, and to items of tuples", () => {
  const record: TypeShape = { kind: "object", properties: [], additional: NUMBER };
  const propertyNames = { type: "string", pattern: "^[a-z]+$" };
  const schema = { type: "object", propertyNames, additionalProperties: { minimum: 1 } };
  const refined = { ...record, additional: limited(NUMBER, { minimum: 1 }) };
  assert.equal(refineShape(record, schema), { ...refined, keyLimits: { pattern: "^[a-z]+$" } });
  assert.equal(refineShape({ ...record, additional: null }, schema), {
    ...record,
    additional: null,
  });
  const tuple: TypeShape = { kind: "tuple", items: [TEXT, NUMBER], required: 1, rest: TEXT };
  const prefixItems = [{ minLength: 1 }, { type: "integer" }];
  assert.equal(refineShape(tuple, { prefixItems, items: { maxLength: 3 } }), {
    ...tuple,
    items: [limited(TEXT, { minLength: 1 }), { kind: "int" }],
    rest: limited(TEXT, { maxLength: 3 }),
  });
  assert.equal(refineShape({ ...tuple, rest: null }, {}), { ...tuple, rest: null });
});

test("tell the objects of a union apart by their literals", () => {
  const of = (kind: string, shape: TypeShape) => {
    const literal = { name: "kind", shape: { kind: "literal", value: kind } } as const;
    const properties = [literal, { name: "n", shape }].map((property) => {
      return { ...property, optional: false, description: "" };
    });
    return { kind: "object", properties, additional: null } satisfies TypeShape;
  };
  const schemaOf = (kind: string, minimum: number) => {
    return { type: "object", properties: { kind: { const: kind }, n: { minimum } } };
  };
  const union: TypeShape = { kind: "union", members: [of("a", NUMBER), of("b", NUMBER)] };
  const refined = [
    of("a", limited(NUMBER, { minimum: 1 }) as TypeShape),
    of("b", limited(NUMBER, { minimum: 2 }) as TypeShape),
  ];
  const oneOf = [schemaOf("b", 2), schemaOf("a", 1)];
  assert.equal(refineShape(union, { oneOf }), { kind: "union", members: refined });
  const kind = { enum: ["b"] };
  const anyOf = [{ type: "object", properties: { kind, n: { minimum: 2 } } }, { type: "string" }];
  const mixed: TypeShape = { kind: "union", members: [of("b", NUMBER), TEXT] };
  assert.equal(refineShape(mixed, { anyOf }), { kind: "union", members: [refined[1], TEXT] });
  assert.equal(refineShape(union, { oneOf: [schemaOf("c", 1)] }), union);
});

test("resolve references to definitions only", () => {
  const node = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { maxLength: 1 } } };
  assert.equal(refineShape(TEXT, node), limited(TEXT, { maxLength: 1 }));
  const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  assert.equal(refineShape(TEXT, circle), TEXT);
  assert.equal(refineShape(TEXT, { $ref: "#/$defs/__proto__", $defs: {} }), TEXT);
});

test("ignore slow patterns, unknown formats and invalid schemas", () => {
  for (const schema of [{ pattern: "(?=a)b" }, { format: "cuid" }, null, [], "x", 7]) {
    assert.equal(refineShape(TEXT, schema), TEXT);
  }
});

test.run();
