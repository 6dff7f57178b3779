// Values for the sample command: each is valid for its schema.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sampleValue } from "../../argspec/sample-value.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import { accepts, collectSchemas } from "../property/support/accepts-schema.js";
import { Random, SEED } from "../property/support/random.js";
import { randomTypes } from "../property/support/random-shapes.js";

const test = suite("sample values");

test("match their schemas, except for patterns and recursive types", () => {
  const random = new Random();
  let admitted = 0;
  for (let round = 0; round < 200; round++) {
    const types = randomTypes(random);
    const definitions = collectSchemas(types);
    for (const shape of Object.values(types)) {
      const schema = toJsonSchema(shape);
      const text = JSON.stringify(schema);
      if (/pattern|\$ref/.test(text)) continue;
      const value = sampleValue(schema, definitions);
      assert.ok(accepts({ definitions, isOpen: true }, schema, value), `seed ${SEED}: ${text}`);
      admitted++;
    }
  }
  assert.ok(admitted > 20, `seed ${SEED}`);
});

test("resolve names, and terminate", () => {
  const $defs = {
    Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
  };
  assert.equal(sampleValue({ $ref: "#/$defs/Point" }, $defs), { x: 1.5 });
  const Loop = { type: "object", properties: { l: { $ref: "#/$defs/Loop" } }, required: ["l"] };
  assert.ok(JSON.stringify(sampleValue({ $ref: "#/$defs/Loop" }, { Loop })).endsWith("null}}}}"));
});

test.run();
