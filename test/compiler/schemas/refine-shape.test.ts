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
