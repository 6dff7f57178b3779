// Constraints in documentation comments: valid positions, their targets, and errors of impossible
// ones.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { emitConverters } from "../../../compiler/emit/converters.js";
import { toJsonSchema } from "../../../compiler/emit/json-schema.js";
import { codes, marks, pluginNamed, readSource, readTypes, userParams } from "../reading.js";

const test = suite("constraints in comments");

function readSchemas(source: string): Readonly<Record<string, unknown>> {
  const result = readSource(source);
  const findings = result.diagnostics.filter(({ message }) => !message.includes("no plugin takes"));
  assert.equal(findings, []);
  const params = userParams(pluginNamed(result, "f"));
  return {
    ...Object.fromEntries(params.map(({ name, shape }) => [name, toJsonSchema(shape)])),
    ...Object.fromEntries(
      Object.entries(result.types).map(([name, shape]) => [name, toJsonSchema(shape)]),
    ),
  };
}

const TAGS = { type: "array", items: { type: "string" }, minItems: 1 };
const INTEGER = { type: "integer", "x-svc-range": "safe" };

test("apply before a parameter, in the function comment, and on types and properties", () => {
  const schemas = readSchemas(`
/** Years. @minimum 0 */
type Age = int;
/** @maximum 150 */
type HumanAge = Age;
/** @minItems 1 */
type Tags = string[];
interface Person {
  /** As written. @minLength 1 @maxLength 80 */
  name: str;
  age?: HumanAge;
  /** @uniqueItems */
  tags: Tags | null;
  ages: readonly Age[];
}
/**
 * @plugin
 * @minimum page 1
 * @param page which
 * @pattern slug ^[a-z]{1,3}(-\\d+)*$
 */
export function f(request: PluginRequest, page: int, slug: str | null,
  /** how many @maximum 10 @multipleOf 0.5 */ share: float = 1,
  age: Age | null, ages: Array<HumanAge>, person: Person,
  /** @maxItems 3 */ tags: Tags, /** @format uuid */ id: int | str) { return page; }
`);
  assert.equal(schemas.page, { ...INTEGER, minimum: 1 });
  const slug = { type: "string", pattern: "^[a-z]{1,3}(-\\d+)*$" };
  assert.equal(schemas.slug, { anyOf: [{ type: "null" }, slug] });
  assert.equal(schemas.share, { type: "number", maximum: 10, multipleOf: 0.5 });
  assert.equal(schemas.age, { anyOf: [{ type: "null" }, { ...INTEGER, minimum: 0 }] });
  assert.equal(schemas.ages, {
    type: "array",
    items: { ...INTEGER, minimum: 0, maximum: 150 },
  });
  assert.equal(schemas.tags, { ...TAGS, maxItems: 3 });
  assert.equal(schemas.id, { anyOf: [{ type: "string", format: "uuid" }, INTEGER] });
  const person = schemas.Person as { readonly properties: Readonly<Record<string, unknown>> };
  assert.equal(person.properties, {
    name: { type: "string", minLength: 1, maxLength: 80, description: "As written." },
    age: { ...INTEGER, minimum: 0, maximum: 150 },
    tags: { anyOf: [{ type: "null" }, { ...TAGS, uniqueItems: true }] },
    ages: { type: "array", items: { ...INTEGER, minimum: 0 } },
  });
});

test("apply to the following element when written on the line before it", () => {
  const schemas = readSchemas(`
interface Sale { /** Price. @minimum 0 */ price: float; /** @maxLength 3 */ s?: str }
interface Opened { /** @maximum 9 */
  count: int;
}
/** @plugin */ export function f(request: PluginRequest, sale: Sale, opened: Opened,
  inline: { /** @minimum 1 */ n: int }) { return null; }`);
  const properties = (name: string) =>
    (schemas[name] as { readonly properties: Readonly<Record<string, unknown>> }).properties;
  assert.equal(properties("Sale"), {
    price: { type: "number", minimum: 0, description: "Price." },
    s: { type: "string", maxLength: 3 },
  });
  assert.equal(properties("Opened"), { count: { ...INTEGER, maximum: 9 } });
  assert.equal(properties("inline"), { n: { ...INTEGER, minimum: 1 } });
});

/** Declarations of two constrained scalars and a constrained list. */
const SMALL = `
/** @minimum 1 */ type Small = int;
/** @maxLength 3 */ type Short = str | null;
/** @maxItems 2 */ type Few<T> = T[];
interface Box<T> { readonly value: T; }
`;
const AT_LEAST_1 = { ...INTEGER, minimum: 1 };

/** Schemas of types as parameters, by their texts. */
function schemasOfTypes(types: readonly string[], declarations = SMALL) {
  const parameters = types.map((type, index) => `p${index}: ${type}`).join(", ");
  const schemas = readSchemas(`${declarations}
/** @plugin */ export function f(request: PluginRequest, ${parameters}) { return null; }`);
  return types.map((_type, index) => JSON.stringify(schemas[`p${index}`]));
}

for (const type of [
  "[Small, str]",
  "[str, ...Small[]]",
  "Record<str, Small>",
  "{ [k: str]: Small }",
  'Partial<Record<"a" | "b", Small>>',
  "NonNullable<Small | null>",
  "Small & {}",
  "Small | str",
  "Array<Small | null>",
  'Pick<{ a: Small; b: str }, "a">',
  '{ a: Small }["a"]',
  "Readonly<{ a?: Small }>",
  "Few<Small>",
]) {
  test(`apply from an alias in ${type}`, () => {
    const [schema] = schemasOfTypes([type]);
    assert.ok(schema!.includes(JSON.stringify(AT_LEAST_1)), schema);
  });
}

test("apply from an alias in generic types, and to aliases in a union", () => {
  const result = readSchemas(`${SMALL}
/** @plugin */ export function f(request: PluginRequest, box: Box<Small>, short: Short | int,
  few: Few<str>, fewer: Few<Small> | null) { return null; }`);
  assert.ok(JSON.stringify(result).includes(`{"value":${JSON.stringify(AT_LEAST_1)}}`));
  const short = { type: "string", maxLength: 3 };
  assert.equal(result.short, { anyOf: [{ type: "null" }, INTEGER, short] });
  assert.equal(result.few, { type: "array", items: { type: "string" }, maxItems: 2 });
  const fewer = { type: "array", items: AT_LEAST_1, maxItems: 2 };
  assert.equal(result.fewer, { anyOf: [{ type: "null" }, fewer] });
});

for (const type of [
  'Sized["n"]',
  "Sized[keyof Sized]",
  "Renamed<Sized>",
  "Sized extends { n: infer N } ? N : never",
  "Deep<Sized>",
]) {
  test(`apply from a property in ${type}`, () => {
    const declarations = `interface Sized { /** @minimum 1 */ n: int }
type Renamed<T> = { [K in keyof T as \`x_\${K & string}\`]: T[K] };
type Deep<T> = T extends object ? { [K in keyof T]?: Deep<T[K]> } : T;`;
    const schemas = readSchemas(`${declarations}
/** @plugin */ export function f(request: PluginRequest, a: { b: ${type} }) { return null; }`);
    assert.ok(JSON.stringify(schemas).includes(JSON.stringify(AT_LEAST_1)));
  });
}

test("apply to index signatures and their keys", () => {
  const key = '/** @maxLength 3 */ type Key = str; type Even = str & Pattern<"^..$">;';
  const [values, record, index, even] = schemasOfTypes(
    ["{ /** @minimum 1 */ [key: str]: int }", "Record<Key, int>", "{ [key: Key]: int }"].concat(
      "Record<Even, int>",
    ),
    `import type { Pattern } from "svc-server"; ${key}`,
  ).map((schema) => JSON.parse(schema!));
  assert.equal(values.additionalProperties, AT_LEAST_1);
  assert.equal(record.propertyNames, { maxLength: 3 });
  assert.equal(index, record);
  assert.equal(even.propertyNames, { pattern: "^..$" });
});

test("report limits of keys that no schema can state", () => {
  const result = readSource(`/** @maximum 3 */ type Small = int;
/** @maxLength 3 */ type Key = str;
/** @plugin */ export function f(request: PluginRequest, a: Record<Small, int>,
  b: { a: int; [key: Key]: int }) {}`);
  assert.equal(codes(result.diagnostics), ["SVC1040", "SVC1040"]);
});

test("are refused within template types, whose patterns could not state them", () => {
  const { diagnostics } = readSource(`
/** @maximum 9 */
type Digit = int;
/** @pattern ^[a-z]+$ */
type Word = str;
/** @plugin */
export function f(request: PluginRequest, a: \`v\${Digit}\`, b: \`\${Word}-\${number}\`,
  c: Record<\`k\${Digit}\`, int>, d: \`w\${int}\`, e: Digit, g: Word) { return 1; }
`);
  assert.equal(
    diagnostics.map(({ message }) => message),
    [
      "parameter `a`: `a` is a template with a limited type",
      "parameter `b`: `b` is a template with a limited type",
      "parameter `c`: `c[key]` is a template with a limited type",
    ],
  );
});

test("differ in generic types whose arguments have equal texts", () => {
  const schemas = readSchemas(`
/** @minimum 11 */ type A = int;
/** @minimum 12 */ type B = int;
interface Box<X> { readonly value: X }
/** @plugin */ export function f(request: PluginRequest, a: Box<A>, b: Box<B>, c: Box<A[]>,
  d: Box<B[]>, e: Box<{ /** @minimum 13 */ n: int }>, f: Box<{ /** @minimum 14 */ n: int }>) {}`);
  const minimums = JSON.stringify(schemas).match(/(?<="minimum":)\d+/g) ?? [];
  assert.equal(minimums.sort(), ["11", "11", "12", "12", "13", "14"]);
});

test("apply to content, which stays a text if it is one", () => {
  const result = readSource(`
/** @maxLength 3 */ type Short = str;
/** @plugin */ export function a(request: PluginRequest, /** @minItems 2 */ content: int[]) {}
/** @plugin @minimum content 1 */ export function b(request: PluginRequest, content: int) {}
/** @plugin @maxLength content 3 */ export function c(request: PluginRequest, content: str) {}
/** @plugin */ export function d(request: PluginRequest, content: Short | null) {}`);
  assert.equal(result.diagnostics, []);
  const short = { type: "string", maxLength: 3 };
  const ranges = result.plugins.map(({ params }) => {
    const content = params.find(({ name }) => name === "content");
    return content?.kind === "reserved" && [content.form, toJsonSchema(content.shape!)];
  });
  assert.equal(ranges, [
    ["json", { type: "array", items: INTEGER, minItems: 2 }],
    ["json", AT_LEAST_1],
    ["str", short],
    ["str", short],
  ]);
  const converters = emitConverters(result.plugins, result.types, { modules: "", convert: "" });
  assert.is(converters.match(/content\w+\(source, \w+\)/g)?.length, 4);
  const misplaced = readSource(`/** @plugin @maxLength method 3 @maxLength content 3 */
export function a(request: PluginRequest, method: str, content: bytes) {}`);
  assert.equal(codes(misplaced.diagnostics), ["SVC1141", "SVC1141"]);
});

test("report constraints that no plugin uses", () => {
  const source = `
interface Used { /** @minimum 1 */ n: int }
interface Unused { /** @maximum 1 */ n: int }
enum Size { /** @multipleOf 1 */ A = 1 }
function other(/** @exclusiveMinimum 1 */ n: int) { return n; }
/** @plugin */ export function f(request: PluginRequest, a: Used, b: Size,
  c: { [/** @minLength 1 */ key: str]: int }) { return other(1); }
`;
  const result = readSource(`/** @format */\nimport "node:fs";${source}`);
  assert.equal(
    result.diagnostics.map(({ severity, message }) => `${severity} ${message.split(" ")[0]}`),
    ["@maximum", "@multipleOf", "@exclusiveMinimum", "@minLength"].map(
      (tag) => `warning \`${tag}\``,
    ),
  );
});

const TAGS_IMPORT = `import type {
  ExclusiveMinimum, Format, Maximum, MaxItems, MaxLength, Minimum, MultipleOf, Pattern, UniqueItems,
} from "svc-server";`;

test("apply wherever a constrained type is used", () => {
  const [rank, code, list, share, id] = schemasOfTypes(
    [
      "Record<str, int & Minimum<1> & Maximum<9>>",
      'str & MaxLength<3> & Pattern<"^[a-z]+$">',
      "((int & Minimum<1>)[] & MaxItems<2> & UniqueItems) | null",
      "float & ExclusiveMinimum<0> & MultipleOf<0.5> & Maximum<-1>",
      '(str & Format<"uuid">) | int',
    ],
    TAGS_IMPORT,
  );
  assert.equal(JSON.parse(rank!).additionalProperties, { ...AT_LEAST_1, maximum: 9 });
  assert.equal(JSON.parse(code!), { type: "string", maxLength: 3, pattern: "^[a-z]+$" });
  const inner = { type: "array", items: AT_LEAST_1, maxItems: 2, uniqueItems: true };
  assert.equal(JSON.parse(list!), { anyOf: [{ type: "null" }, inner] });
  const numeric = { type: "number", exclusiveMinimum: 0, multipleOf: 0.5, maximum: -1 };
  assert.equal(JSON.parse(share!), numeric);
  assert.equal(JSON.parse(id!), { anyOf: [INTEGER, { type: "string", format: "uuid" }] });
});

test("report impossible constraints of a type", () => {
  const result = readSource(`${TAGS_IMPORT}
/** @plugin */ export function f(request: PluginRequest, a: str & Minimum<1>,
  b: str & Pattern<"(">, c: int & MultipleOf<0>, d: int & Minimum<number>) { return null; }`);
  assert.equal(codes(result.diagnostics), ["SVC1040", "SVC1040", "SVC1040", "SVC1040"]);
});

test("report once an alias constraint that matches none of its members", () => {
  const result = readSource(`
/** @minLength 1 */ type Count = int;
/** @minLength 1 */ type Id = int | str;
/** @plugin */ export function f(request: PluginRequest, a: Count, b: Count[], c: Id) {}`);
  assert.equal(codes(result.diagnostics), ["SVC1141"]);
});

test("keep type names readable when their arguments are constrained scalars", () => {
  const { types } = readTypes(
    { a: "Box<Small>", b: "Box<Short>", c: "Box<int>" },
    "/** @minimum 1 */ type Small = int;\n/** @maxLength 3 */ type Short = str;\n" +
      "interface Box<X> { value: X }",
  );
  assert.equal(Object.keys(types).sort(), ["Box_int_", "Box_int__2", "Box_string_"]);
});

test("report misspelled constraints and unattached comments", () => {
  const source = `
interface S {
  a: int; /** @minimum 1 */
  // @maximum 9
  b: int;
  /* @minLength 1 */ c: str;
  /** @min 1 */ d: int;
  /** @minimun 1 */ e: int;
  /** @MaxLength 1 */ f: str;
  /** @length 3 */ g: str;
}
/** @plugin
 * @param s what is kept
 */
export function f(request: PluginRequest, s: S) { return null; }
const text = "@minimum 1";
`;
  assert.equal(marks(readSource(source), source), [
    "SVC1146 @minimum",
    "SVC1146 @maximum",
    "SVC1146 @minLength",
    "SVC1147 @min",
    "SVC1147 @minimun",
    "SVC1147 @MaxLength",
    "SVC1147 @length",
  ]);
});

test("report misspelled constraints in imported modules", () => {
  const others = { "types.ts": "export interface S { /** @minimun 1 */ n: number }\n" };
  const result = readSource(
    `import type { S } from "./types.js";
/** @plugin */ export function f(request: PluginRequest, s: S) { return null; }`,
    others,
  );
  assert.equal(
    result.diagnostics.map(({ code, position }) => `${code} ${position.file}`),
    ["SVC1147 types.ts"],
  );
});

test("leave text before a parameter as its description", () => {
  const result = readSource(`
/** @plugin */
export function f(request: PluginRequest, /** how many @minimum 1 */ n: int) { return n; }`);
  assert.equal(userParams(pluginNamed(result, "f"))[0]!.description, "how many");
});

test("report invalid values, mismatching types and nonlinear patterns", () => {
  const source = `
/** @plugin
 * @minimum other 1
 */
export function f(request: PluginRequest,
  /** @minimum many */ a: int, /** @maxLength -1 */ b: str, /** @format hue */ c: str,
  /** @multipleOf 0 */ d: float, /** @minItems 1.5 */ e: int[], /** @pattern */ g: str,
  /** @maxLength 5 */ h: int, /** @minimum 1 */ i: str, /** @minItems 1 */ j: [int, int],
  /** @pattern ^(a)\\1$ */ k: str, /** @pattern ( */ l: str) { return 1; }
`;
  const result = readSource(source);
  assert.equal(
    marks(result, source).map((mark) => mark.split(" ").slice(0, 2).join(" ")),
    [
      "SVC1143 @minimum",
      "SVC1140 @minimum",
      "SVC1140 @maxLength",
      "SVC1140 @format",
      "SVC1140 @multipleOf",
      "SVC1140 @minItems",
      "SVC1140 @pattern",
      "SVC1141 @maxLength",
      "SVC1141 @minimum",
      "SVC1141 @minItems",
      "SVC1142 @pattern",
      "SVC1142 @pattern",
    ],
  );
});

test("suggest the parameter above a tag", () => {
  const { diagnostics } = readSource(`/** @plugin
 * @param n how many
 * @minimum 1
 * @param s which
 */
export function f(request: PluginRequest, n: int, s: str) { return 1; }`);
  assert.equal(
    diagnostics.map(({ code, help }) => [code, help]),
    [["SVC1143", "`@minimum n …`"]],
  );
});

test("apply to defaults and examples", () => {
  const result = readSource(`
/** @plugin
 * @example ?n=11
 */
export function f(request: PluginRequest, /** @maximum 10 */ n: int = 12) { return n; }`);
  const findings = checkPlugins(result.plugins, result.types, { executors: 1 });
  assert.equal(codes(findings).sort(), ["SVC1043", "SVC1047"]);
});

test.run();
