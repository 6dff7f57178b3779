// Types inferred from schema values: recognition, the export under which a build finds the schema,
// and schemas that cannot be run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { codes, pluginNamed, readSource, userParam } from "../reading.js";

const test = suite("schema types");

const LIBRARY = `
export interface Schema<I, O> { "~standard": {
  validate(value: unknown): { value: O };
  types?: { input: I; output: O } | undefined } }
export type Output<S extends Schema<any, any>> = NonNullable<S["~standard"]["types"]>["output"];
export type Input<S extends Schema<any, any>> = NonNullable<S["~standard"]["types"]>["input"];
export declare function schema<I, O = I>(): Schema<I, O> & { infer: O };
export const Shared = schema<string, Date>();
export type Shared = Output<typeof Shared>;
`;
const HEAD = `import { schema, Shared } from "./lib.js";
import type { Input, Output } from "./lib.js";
import * as lib from "./lib.js";
const Day = schema<string, Date>();
const Many = schema<int | undefined, int>();
const all = { Day };
`;

function read(params: string, head = HEAD) {
  return readSource(
    `${head}/** @plugin */ export function f(request: PluginRequest, ${params}) { return null; }`,
    { "lib.ts": LIBRARY },
  );
}

/** Module and name of each schema, with its path. */
function listPlaces(params: string) {
  const result = read(params);
  assert.equal(codes(result.diagnostics), []);
  return pluginNamed(result, "f").params.flatMap(({ schemas = [] }) =>
    schemas.map(({ path, schema }) => [path, `${schema.module}#${schema.exportPath}`]),
  );
}

test("find the schema in any notation, and use its input type", () => {
  const types = ["Output<typeof Day>", "typeof Day.infer", '(typeof Day)["infer"]'];
  for (const type of types) {
    assert.equal(listPlaces(`a: ${type}`), [[[], "p.ts#svc$Day"]], type);
    const param = userParam(pluginNamed(read(`a: ${type}`), "f"), "a");
    assert.equal([param.wire, param.shape, param.required], ["str", { kind: "str" }, true]);
  }
  assert.equal(listPlaces("a: Shared"), [[[], "lib.ts#svc$Shared"]]);
  assert.equal(listPlaces("a: Output<typeof Shared>"), [[[], "p.ts#svc$Shared"]]);
  assert.equal(listPlaces("a: Output<typeof lib.Shared>"), [[[], "p.ts#svc$lib.Shared"]]);
  assert.equal(listPlaces("a: Output<typeof all.Day>"), [[[], "p.ts#svc$all.Day"]]);
  // The type of the input is a type like any other.
  assert.equal(listPlaces("a: Input<typeof Day>"), []);
});

test("make values optional that have a default in the schema", () => {
  const result = read("a: Output<typeof Many>, b?: Output<typeof Day>, c: Date = new Date(0)");
  const plugin = pluginNamed(result, "f");
  assert.is(userParam(plugin, "a").required, false);
  assert.is(userParam(plugin, "a").schemas?.[0]?.schema.acceptsAbsence, true);
  assert.is(userParam(plugin, "b").required, false);
  assert.is(userParam(plugin, "b").schemas?.[0]?.schema.acceptsAbsence, false);
});

test("apply in properties and lists", () => {
  const type = "{ days: Output<typeof Day>[]; at?: { day: Output<typeof Day> } }";
  assert.equal(listPlaces(`a: ${type}`), [
    [["days", null], "p.ts#svc$Day"],
    [["at", "day"], "p.ts#svc$Day"],
  ]);
  assert.equal(listPlaces(`content: readonly Output<typeof Day>[]`), [[[null], "p.ts#svc$Day"]]);
});

test("report schemas that cannot be run or reached", () => {
  const errorCodes = (params: string, head = HEAD) => codes(read(params, head).diagnostics);
  assert.ok(errorCodes("a: Output<typeof Day> | null").includes("SVC1272"));
  assert.ok(errorCodes("a: Record<string, Output<typeof Many>>").includes("SVC1272"));
  const node = "interface Node { many: Output<typeof Many>; next?: Node }\n";
  assert.ok(errorCodes("a: Node", HEAD + node).includes("SVC1272"));
  const asType = HEAD.replace("import { schema, Shared }", "import { schema, type Shared }");
  assert.ok(errorCodes("a: Output<typeof Shared>", asType).includes("SVC1271"));
});

test.run();
