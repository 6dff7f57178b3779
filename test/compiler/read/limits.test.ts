// Limits in documentation comments: where they may stand, what they are put on, and what is wrong
// with those that cannot hold.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { toJsonSchema } from "../../../compiler/emit/json-schema.js";
import { codes, marks, pluginNamed, readSource, userParams } from "../reading.js";

const test = suite("limits in comments");

function schemasOf(source: string): Readonly<Record<string, unknown>> {
  const result = readSource(source);
  assert.equal(result.diagnostics, []);
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

test("before a parameter, in the comment of the function, and of types and properties", () => {
  const schemas = schemasOf(`
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

test("text before a parameter describes it", () => {
  const result = readSource(`
/** @plugin */
export function f(request: PluginRequest, /** how many @minimum 1 */ n: int) { return n; }`);
  assert.equal(userParams(pluginNamed(result, "f"))[0]!.description, "how many");
});

test("what says no limit, fits no value, or needs more than one pass is an error", () => {
  const source = `
/** @plugin
 * @minimum other 1
 */
export function f(request: PluginRequest,
  /** @minimum many */ a: int, /** @maxLength -1 */ b: str, /** @format colour */ c: str,
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

test("defaults and examples have to be within them", () => {
  const result = readSource(`
/** @plugin
 * @example ?n=11
 */
export function f(request: PluginRequest, /** @maximum 10 */ n: int = 12) { return n; }`);
  const findings = checkPlugins(result.plugins, result.types, { executors: 1 });
  assert.equal(codes(findings).sort(), ["SVC1043", "SVC1047"]);
});

test.run();
