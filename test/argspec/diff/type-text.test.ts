// Readable texts of types of any content.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../../argspec/argspec.js";
import { propertyPath, typeText, valueText } from "../../../argspec/diff/type-text.js";
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

const test = suite("type texts");

const TEXTS: readonly (readonly [JsonSchema, string])[] = [
  [{}, "any"],
  [INTEGER, "integer"],
  [{ type: "boolean" }, "boolean"],
  [anyOf(STRING, NULL, STRING), "string | null"],
  [{ enum: ["a", 1, true] }, '"a" | 1 | true'],
  [{ const: "a" }, '"a"'],
  [{ type: "string", pattern: "^v\\d$" }, "/^v\\\\d$/"],
  [refTo("City"), "City"],
  [arraySchema(refTo("City")), "City[]"],
  [arraySchema(anyOf(STRING, NULL)), "(string | null)[]"],
  [{ type: "array" }, "any[]"],
  [tupleSchema([]), "[]"],
  [tupleSchema([INTEGER, STRING], 1), "[integer, string?]"],
  [tupleSchema([INTEGER], 1, STRING), "[integer, ...string[]]"],
  [objectSchema({}), "{}"],
  [objectSchema({ x: NUMBER, "y?": STRING }), "{ x: number; y?: string }"],
  [objectSchema({ "odd key": NUMBER }, STRING), '{ "odd key": number; [key]: string }'],
  [{ type: "object" }, "{ [key]: any }"],
  [arraySchema(arraySchema(arraySchema(arraySchema(NULL)))), "…[][][][]"],
];

for (const [schema, text] of TEXTS) {
  test(text, () => assert.is(typeText(schema), text));
}

test("limit their cost to the printed part", () => {
  let looks = 0;
  const counting = {
    get type() {
      looks++;
      return "null";
    },
  };
  const many = Array(1000).fill(counting);
  const properties = Object.fromEntries(many.map((part, n) => [`p${n}`, part]));
  for (const schema of [{ type: "object", properties }, anyOf(...many), tupleSchema(many)]) {
    looks = 0;
    typeText(schema);
    assert.ok(looks > 0 && looks <= 60, `${looks} of 1000`);
  }
});

test("are short and free of control characters", () => {
  const many = objectSchema(
    Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, NUMBER])),
  );
  assert.is(typeText(many).length, 60);
  assert.is(typeText({ const: "x".repeat(1e6) }).length, 60);
  for (const hostile of ["\u001b[31m", "\u009b31m", "a\nb", "\u2028", "\u007f"]) {
    const texts = [
      ...[valueText(hostile), propertyPath(hostile), typeText({ const: hostile })],
      ...[
        typeText(objectSchema({ [hostile]: NULL })),
        typeText({ type: "string", pattern: hostile }),
      ],
    ];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    for (const text of texts) assert.not.match(text, /[\0-\x1f\x7f-\x9f\u2028\u2029]/);
  }
});

test.run();
