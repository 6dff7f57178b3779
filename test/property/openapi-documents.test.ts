// Documents of random services are valid OpenAPI, and their schemas accept the same values as the
// server's checks. The seed is printed on a difference and repeats the run as SEED=n.
// limit: 60 s

import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  ARGSPEC_VERSION,
  type Argspec,
  type PluginSpec,
  type ResultSpec,
} from "../../argspec/argspec.js";
import { limitCheck } from "../../argspec/limits/limits.js";
import { openapiDocument } from "../../argspec/openapi/document.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { CheckFunctions } from "../../compiler/emit/check-functions.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { TypeTable } from "../../compiler/record/type-shape.js";
import {
  isObject,
  memoizedCheck,
  ownProperty,
  type ShapeCheck,
} from "../../runtime/plugin/contract/shape-check.js";
import { truncateForMessage } from "../../runtime/plugin/contract/truncate-for-message.js";
import { validateDocument } from "../argspec/openapi/valid-document.js";
import { plugin as samplePlugin } from "../argspec/sample-argspec.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = rounds(25);
const VALUES = 100;
const NAMES = ["a", "aPost", "b", "ping", "toString", "__proto__", "constructor", "del"];

const test = suite("OpenAPI documents of random services");

test("are valid, and accept what servers accept", async () => {
  const random = new Random();
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    const jsonParams = random.of(["content", "string"] as const);
    const argspec = randomArgspec(random, types);
    const label = `seed ${SEED}, round ${round}`;
    const document = await validateDocument(openapiDocument(argspec, { jsonParams }), label);
    const ajv = new Ajv2020({
      ...{ strict: false, ownProperties: true, validateFormats: true },
      formats: { "double-int": { type: "number", validate: Number.isSafeInteger }, binary: true },
    });
    ajv.addSchema(document, "openapi.json");
    for (const [name, shape] of Object.entries(types)) {
      const check = compileCheck(types, name);
      const validate = ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` });
      for (let n = 0; n < VALUES; n++) {
        const value = randomValue(random, types, shape, 5);
        const isTaken = check(value) === null;
        const text = `${label}: ${JSON.stringify({ value, shape, types })}`;
        assert.is(validate(value), isTaken, text);
        accepted += Number(isTaken);
      }
    }
  }
  assert.ok(accepted > 10 * ROUNDS, `seed ${SEED}: only ${accepted} values were right`);
});

function randomArgspec(random: Random, types: TypeTable): Argspec {
  const $defs = Object.fromEntries(
    Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]),
  );
  const names = NAMES.filter(() => random.below(2) === 0);
  return readArgspec({
    argspec: ARGSPEC_VERSION,
    service: { name: null, prefix: random.of([null, "/shop"]) },
    hash: "0".repeat(64),
    plugins: [...names.flatMap((name) => randomPlugins(random, name, types)), usingAll(types)],
    $defs,
  });
}

/** Documents omit unreferenced types. */
function usingAll(types: TypeTable): PluginSpec {
  const refs = Object.keys(types).map((name) => ({ $ref: `#/$defs/${name}` }));
  return samplePlugin("usingAll", { result: { kind: "value", schema: { anyOf: refs } } });
}

/** An engine, processors, or all of them. */
function randomPlugins(random: Random, name: string, types: TypeTable): PluginSpec[] {
  const schema = () => ({ $ref: `#/$defs/${random.of(Object.keys(types))}` });
  const choices = [random.below(4) > 0, random.below(3) === 0, random.below(3) === 0];
  const roles = (["engine", "pre", "post"] as const).filter((_, index) => choices[index]);
  return roles.map((role) => ({
    name,
    path: `/svc/plugin/${name}`,
    role,
    graph: random.of([null, "g"]),
    readonly: false,
    summary: random.of(["", "Does."]),
    description: random.of(["", "Does.", "Does.\n\nMore *of* it."]),
    deprecated: random.below(5) === 0,
    source: random.of([null, { file: "plugins/shop.ts", line: 1, column: 1 }]),
    params: role === "post" ? [] : randomParams(random, schema),
    reserved: [],
    result: randomResult(random, role, schema),
    errors: random.list(1, () => ({ exception: "Error", description: "now and then" })),
    examples: random.list(2, () => ({ query: { a: [1], content: "x" }, text: "?a=[1]" })),
  }));
}

function randomParams(random: Random, schema: () => object): PluginSpec["params"] {
  const params = random.list(3, (index) => ({
    name: NAMES[(index * 3) % NAMES.length]!,
    in: "query" as const,
    wire: random.of(["int", "float", "str", "bytes", "json"] as const),
    required: random.below(2) === 0,
    ...(random.below(2) === 0 && { default: random.of([null, 1, "x", ["y"]]) }),
    schema: schema() as Readonly<Record<string, unknown>>,
  }));
  const body = {
    name: "content",
    in: "body" as const,
    wire: random.of(["str", "bytes", "json"] as const),
    required: random.below(2) === 0,
    schema: schema() as Readonly<Record<string, unknown>>,
  };
  return random.below(2) === 0 ? [...params, body] : params;
}

function randomResult(random: Random, role: string, schema: () => object): ResultSpec {
  const [first, second] = [schema(), schema()] as Readonly<Record<string, unknown>>[];
  const result: ResultSpec[] = [
    { kind: "value", schema: first! },
    { kind: "union", schema: {} },
    { kind: "response", sortkey: first!, item: second!, meta: true },
  ];
  return role === "pre" && random.below(2) === 0 ? { kind: "request" } : random.of(result);
}

function compileCheck(types: TypeTable, name: string): ShapeCheck {
  const checks = new CheckFunctions(types);
  const check = checks.functionFor({ kind: "ref", name });
  const helpers = {
    isObject,
    ownProperty,
    truncateForMessage,
    limitCheck,
    memoizedCheck,
  };
  const make = new Function(...Object.keys(helpers), `${checks.emit()}\nreturn ${check};`);
  return make(...Object.values(helpers)) as ShapeCheck;
}

test.run();
