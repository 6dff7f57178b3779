// The generated check of a type, its JSON Schema and the rule for defaults and examples must accept
// the same values: clients believe the schema, the server obeys the check, readers copy examples.
// Random types, random values; the seed is printed when they differ and repeats the run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../argspec/argspec.js";
import { ShapeRule } from "../../compiler/check/shape-rule.js";
import { CheckFunctions } from "../../compiler/emit/check-functions.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { TypeShape, TypeTable } from "../../compiler/record/type-shape.js";
import { clip } from "../../runtime/plugin/clip.js";
import { isObject, own, remembered, type ShapeCheck } from "../../runtime/plugin/shape-check.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = 60;
const VALUES = 150;
const test = suite("checks and schemas");

test("accept the same values", () => {
  const random = new Random();
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    for (const [name, shape] of Object.entries(types)) {
      const check = compile(types, { kind: "ref", name });
      const rule = new ShapeRule(types, "open");
      for (let n = 0; n < VALUES; n++) {
        const value = randomValue(random, types, shape, 5);
        const fault = check(value);
        const isAccepted = accepts(types, toJsonSchema(shape), value);
        const what = `seed ${SEED}: ${JSON.stringify({ fault, shape, value, types })}`;
        assert.is(fault === null, isAccepted, what);
        assert.is(rule.fault(shape, value) === null, isAccepted, what);
        accepted += Number(isAccepted);
      }
    }
  }
  assert.ok(accepted > 1000, `seed ${SEED}: only ${accepted} values were right`);
});

function compile(types: TypeTable, shape: TypeShape): ShapeCheck {
  const checks = new CheckFunctions(types);
  const name = checks.functionFor(shape);
  const helpers = { isObject, own, clip, remembered };
  const make = new Function(...Object.keys(helpers), `${checks.emit()}\nreturn ${name};`);
  return make(...Object.values(helpers)) as ShapeCheck;
}

/** As much of JSON Schema 2020-12 as the compiler writes; closed objects count as open. */
function accepts(types: TypeTable, schema: JsonSchema | false, value: unknown): boolean {
  if (schema === false) return false;
  const { $ref, anyOf, type, pattern } = schema;
  if (typeof $ref === "string") {
    return accepts(types, toJsonSchema(types[$ref.replace("#/$defs/", "")]!), value);
  }
  if (Array.isArray(anyOf)) return anyOf.some((part: JsonSchema) => accepts(types, part, value));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if ("const" in schema) return value === schema.const;
  switch (type) {
    case undefined:
      return true;
    case "integer":
      return Number.isSafeInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value) && acceptsItems(types, schema, value);
    case "object":
      return isObject(value) && acceptsProperties(types, schema, value);
    case "string":
      return typeof value === "string" && new RegExp(String(pattern ?? ""), "u").test(value);
    default:
      return typeof value === type;
  }
}

function acceptsItems(types: TypeTable, schema: JsonSchema, values: readonly unknown[]): boolean {
  const first = (schema.prefixItems ?? []) as JsonSchema[];
  const least = (schema.minItems ?? 0) as number;
  const others = schema.items as JsonSchema | false;
  return (
    values.length >= least &&
    values.every((value, index) => accepts(types, first[index] ?? others, value))
  );
}

function acceptsProperties(
  types: TypeTable,
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): boolean {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const required = (schema.required ?? []) as string[];
  const others = schema.additionalProperties as JsonSchema | false;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, part]) => {
      const known = Object.hasOwn(properties, name);
      return known
        ? accepts(types, properties[name]!, part)
        : !others || accepts(types, others, part);
    })
  );
}

test.run();
