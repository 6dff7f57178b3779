// TypeScript for each form of schema.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema } from "../../../argspec/argspec.js";
import { declareTypes } from "../../../argspec/typescript/declare-types.js";
import { SchemaLowering } from "../../../argspec/typescript/lower-schema.js";
import { INTEGER, list, object, ref, STRING, tuple } from "../sample-argspec.js";

const test = suite("declare types");

const NULL: JsonSchema = { type: "null" };
const NAMES = new Map([
  ["City", "City"],
  ["Client", "Client_"],
]);

/** Schemas by the text of their types. */
const TABLE: Readonly<Record<string, JsonSchema>> = {
  string: STRING,
  number: INTEGER,
  boolean: { type: "boolean" },
  null: NULL,
  unknown: {},
  City: ref("City"),
  Client_: ref("Client"),
  '"a"': { const: "a" },
  false: { const: false },
  '"a" | -1 | 2.5 | true | null': { enum: ["a", -1, 2.5, true, null] },
  "string | null": { anyOf: [STRING, NULL] },
  "string | City | City[]": { anyOf: [STRING, ref("City"), list(ref("City"))] },
  "string[][]": list(list(STRING)),
  '("a" | "b")[]': list({ enum: ["a", "b"] }),
  "(string | null)[]": list({ anyOf: [STRING, NULL] }),
  "unknown[]": list({ anyOf: [STRING, {}] }),
  "[number, string]": tuple([INTEGER, STRING]),
  "[]": { type: "array", minItems: 0, items: false },
  "[number, ...(string)[]]": tuple([INTEGER], 1, STRING),
  "[] | [number] | [number, string]": tuple([INTEGER, STRING], 0),
  "([number] | [number, string, ...(unknown)[]])": tuple([INTEGER, STRING], 1, {}),
  "([number] | [number, string])[]": list(tuple([INTEGER, STRING], 1)),
  "{ [key: string]: never }": object({}),
  "{ [key: string]: never }[]": list(object({})),
};

/** The same for types declared as interfaces. */
const INTERFACES: Readonly<Record<string, JsonSchema>> = {
  "a: string;\nb?: number;": object({ a: STRING, b: INTEGER }, ["a"]),
  '"odd key": string;\n__proto__: string;\nconstructor: string;': object(
    // A literal would set the prototype.
    Object.fromEntries(["odd key", "__proto__", "constructor"].map((key) => [key, STRING])),
  ),
  "hasOwnProperty?: string;\nhasOwn: {\n  hasOwnProperty: number;\n};": object(
    { hasOwnProperty: STRING, hasOwn: object({ hasOwnProperty: INTEGER }, ["hasOwnProperty"]) },
    ["hasOwn"],
  ),
  "[k: string]: unknown;": object({}, [], {}),
  "a: string;\n[k: string]: number | string;": object({ a: STRING }, ["a"], INTEGER),
  "a: ({\n  b: {\n    c: string;\n  }[];\n} | {\n  d: string;\n});": object({
    a: { anyOf: [object({ b: list(object({ c: STRING })) }), object({ d: STRING })] },
  }),
  "/** of it */\na: City;": object({ a: { ...ref("City"), description: "of it" } }),
  "/** @deprecated */\na: City;": object({ a: { ...ref("City"), deprecated: true } }),
  "/**\n * of it\n * @deprecated\n */\na: string;": object({
    a: { ...STRING, description: "of it", deprecated: true },
  }),
  "/**\n * one\n *\n * two\n */\na: unknown;": object({ a: { description: "one\n\ntwo" } }),
  '"a\\"*/\\n": "*/ export type D0 = {" | "}";': object({
    'a"*/\n': { enum: ["*/ export type D0 = {", "}"] },
  }),
};

async function generateTypes(schemas: readonly JsonSchema[]): Promise<readonly string[]> {
  const lowering = new SchemaLowering(NAMES);
  const requests = schemas.map((schema, index) => {
    return { name: `T${index}`, schema: lowering.lower(schema), comment: "" };
  });
  return declareTypes(requests);
}

test("declares a type for each form of schema", async () => {
  const printed = await generateTypes(Object.values(TABLE));
  const texts = Object.keys(TABLE).map((text, index) => `export type T${index} = ${text};\n`);
  assert.equal(printed, texts);
});

test("declares indented interfaces for objects", async () => {
  const printed = await generateTypes(Object.values(INTERFACES));
  const texts = Object.keys(INTERFACES).map((text, index) => {
    return `export interface T${index} {\n${text.replace(/^/gm, "  ")}\n}\n`;
  });
  assert.equal(printed, texts);
});

test("ignores keywords that an argspec does not use", async () => {
  const foreign = [
    { type: "string", tsType: "import('x')", title: "Foreign", $id: "x" },
    { $ref: "https://127.0.0.1:1/x.json" },
    { $ref: "#/$defs/Unknown" },
    { allOf: [STRING], tsEnumNames: ["a"] },
  ];
  const printed = await generateTypes(foreign as readonly JsonSchema[]);
  const types = ["string", "unknown", "unknown", "unknown"];
  assert.equal(
    printed,
    types.map((type, index) => `export type T${index} = ${type};\n`),
  );
});

test("keeps nested tuples with many optional items short", async () => {
  const items = Array.from({ length: 200 }, () => INTEGER);
  let nested: JsonSchema = INTEGER;
  for (let depth = 0; depth < 30; depth++) nested = tuple([nested, STRING], 0);
  const [wide, deep] = await generateTypes([tuple(items, 0), tuple([nested], 0)]);
  assert.is(wide, "export type T0 = number[];\n");
  assert.ok(deep!.length < 1e6, `${deep!.length}`);
});

test("puts comments above types, and arguments within generic ones", async () => {
  const schema = new SchemaLowering(NAMES).lower(tuple([INTEGER, ref("City")]));
  const request = { name: "T", schema, comment: "/** Found. */\n", generic: "PluginResponse" };
  const text = "/** Found. */\nexport type T = PluginResponse<number, City>;\n";
  assert.equal(await declareTypes([request]), [text]);
});

test.run();
