// What JSON Schema of a library adds to a shape, and what of it is left out.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { toldShape } from "../../../compiler/schemas/told-shape.js";

const test = suite("shapes with what schemas say");

const TEXT: TypeShape = { kind: "str" };
const NUMBER: TypeShape = { kind: "float" };
const limited = (base: TypeShape, limits: object) => ({ kind: "limited", base, limits });

test("limits go to the kind that they are of; whole numbers are integers", () => {
  assert.equal(toldShape(TEXT, { minLength: 2, minimum: 1 }), limited(TEXT, { minLength: 2 }));
  const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
  assert.equal(toldShape(NUMBER, { type: "integer", ...safe }), { kind: "int" });
  const either: TypeShape = { kind: "union", members: [TEXT, NUMBER, { kind: "null" }] };
  const anyOf = [
    { type: "string", maxLength: 3 },
    { type: "number", minimum: 1 },
    { type: "null" },
  ];
  assert.equal(toldShape(either, { anyOf }), {
    kind: "union",
    members: [limited(TEXT, { maxLength: 3 }), limited(NUMBER, { minimum: 1 }), { kind: "null" }],
  });
});

test("references lead to definitions, and nowhere else", () => {
  const node = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { maxLength: 1 } } };
  assert.equal(toldShape(TEXT, node), limited(TEXT, { maxLength: 1 }));
  const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  assert.equal(toldShape(TEXT, circle), TEXT);
  assert.equal(toldShape(TEXT, { $ref: "#/$defs/__proto__", $defs: {} }), TEXT);
});

test("patterns that take long, unknown formats and what is no schema say nothing", () => {
  for (const schema of [{ pattern: "(?=a)b" }, { format: "cuid" }, null, [], "x", 7]) {
    assert.equal(toldShape(TEXT, schema), TEXT);
  }
});

test.run();
