// The generated check of a type, its JSON Schema and the rule for defaults and examples must accept
// the same values: clients believe the schema, the server obeys the check, readers copy examples.
// Random types, random values; the seed is printed when they differ and repeats the run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../argspec/argspec.js";
import { ShapeRule } from "../../compiler/check/shape-rule.js";
import { CheckFunctions } from "../../compiler/emit/check-functions.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { PropertyShape, TypeShape, TypeTable } from "../../compiler/record/type-shape.js";
import { clip } from "../../runtime/plugin/clip.js";
import { isObject, own, remembered, type ShapeCheck } from "../../runtime/plugin/shape-check.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = 60;
const VALUES = 150;
const KEYS = ["a", "b", "kind", "toString", "odd key"];
const SCALARS: readonly unknown[] = [
  ...[0, 1, -1, 2.5, 2 ** 53, 1e308, true, false, null],
  ...["", "a", "b", "v1", "v-2.5e3", "ünï\n"],
];
const LEAVES: readonly TypeShape[] = [
  ...[{ kind: "int" }, { kind: "float" }, { kind: "str" }, { kind: "bool" }, { kind: "null" }],
  { kind: "json" },
  { kind: "ref", name: "Anything" },
  ...["a", "b", 1, 2.5, true].map((value) => ({ kind: "literal", value })),
  { kind: "pattern", source: "^v[+-]?\\d+$" },
] as readonly TypeShape[];

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

function randomTypes(random: Random): TypeTable {
  // Each may mention itself and the others, in places that can be empty.
  const names = ["A", "B", "C"];
  const made = names.map((name): [string, TypeShape] => [name, randomShape(random, names, 3)]);
  return { ...Object.fromEntries(made), Anything: { kind: "json" } };
}

function randomShape(random: Random, names: readonly string[], depth: number): TypeShape {
  const part = () => randomShape(random, names, depth - 1);
  switch (depth === 0 ? 0 : random.below(6)) {
    case 1:
      return { kind: "array", items: random.below(3) === 0 ? refTo(random.of(names)) : part() };
    case 2: {
      const items = random.list(2, part);
      const rest = random.below(2) === 0 ? part() : null;
      return { kind: "tuple", items, required: random.below(items.length + 1), rest };
    }
    case 3:
    case 4:
      return randomObject(random, names, part);
    case 5:
      return { kind: "union", members: [part(), part(), ...random.list(2, part)] };
    default:
      return random.of(LEAVES);
  }
}

function randomObject(random: Random, names: readonly string[], part: () => TypeShape): TypeShape {
  const properties = KEYS.filter(() => random.below(2) === 0).map((name): PropertyShape => {
    const optional = random.below(2) === 0;
    const shape = optional && random.below(3) === 0 ? refTo(random.of(names)) : part();
    return { name, optional, shape, description: "" };
  });
  return { kind: "object", properties, additional: random.below(3) === 0 ? part() : null };
}

function refTo(name: string): TypeShape {
  return { kind: "ref", name };
}

/** Most often a value of the shape, now and then something else in it. */
function randomValue(random: Random, types: TypeTable, shape: TypeShape, depth: number): unknown {
  if (random.below(25) === 0) return anything(random, 2);
  const inner = (part: TypeShape) => randomValue(random, types, part, depth - 1);
  switch (shape.kind) {
    case "literal":
      return shape.value;
    case "array":
      return depth > 0 ? random.list(3, () => inner(shape.items)) : [];
    case "tuple": {
      const rest = shape.rest !== null && depth > 0 ? random.list(2, () => shape.rest!) : [];
      return [...shape.items, ...rest].map(inner);
    }
    case "object": {
      const kept = shape.properties.filter(
        ({ optional }) => !optional || (depth > 0 && random.below(2) === 0),
      );
      const entries = kept.map(({ name, shape }): [string, unknown] => [name, inner(shape)]);
      const more = shape.additional !== null && depth > 0;
      return Object.fromEntries([...(more ? [["z", inner(shape.additional)]] : []), ...entries]);
    }
    case "union":
      return inner(random.of(shape.members));
    case "ref":
      return inner(types[shape.name]!);
    default:
      return random.of(SCALARS);
  }
}

function anything(random: Random, depth: number): unknown {
  const inner = () => anything(random, depth - 1);
  const kind = depth === 0 ? 0 : random.below(3);
  if (kind === 0) return random.of(SCALARS);
  if (kind === 1) return random.list(3, inner);
  return Object.fromEntries(random.list(3, () => [random.of(KEYS), inner()]));
}

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
