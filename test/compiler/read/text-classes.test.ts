// Classes of JavaScript in signatures: text of one format, objects and arrays.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { marks, pluginNamed, readSource, userParam } from "../reading.js";

const test = suite("classes with a form in JSON");
const DATE = { kind: "limited", base: { kind: "str" }, limits: { format: "date-time" } };

test("are parameters of the query", () => {
  const result = readSource(`/** @plugin */
export function f(request: PluginRequest, at: Date, until: Date | null, since?: Date) {
  return null;
}`);
  assert.equal(result.diagnostics, []);
  const [at, until, since] = ["at", "until", "since"].map((name) => {
    return userParam(pluginNamed(result, "f"), name);
  });
  assert.equal([at!.shape, at!.wire, at!.required, at!.textClass], [DATE, "str", true, "Date"]);
  assert.equal(until!.shape, { kind: "union", members: [{ kind: "null" }, DATE] });
  assert.equal([since!.shape, since!.required], [DATE, false]);
});

test("are results, also within others", () => {
  const result = readSource(`/** @plugin */
export function f(request: PluginRequest): {
  at: Date; counts: Map<str, int>; rows: ReadonlyMap<number, Date>; tags: Set<str>;
} { throw 0; }`);
  assert.equal(result.diagnostics, []);
  const { shape } = pluginNamed(result, "f").result;
  assert.ok(shape?.kind === "object");
  const [at, counts, rows, tags] = shape.properties.map((property) => property.shape);
  assert.equal(at, DATE);
  assert.equal(counts, { kind: "object", properties: [], additional: { kind: "int" } });
  assert.ok(rows?.kind === "object" && rows.keys !== undefined);
  assert.equal(rows.additional, DATE);
  assert.equal(tags, { kind: "array", items: { kind: "str" } });
});

test("are reported within parameters, and where keys are objects", () => {
  const source = `/** @plugin */
export function f(request: PluginRequest, at: { day: Date }): Map<{ n: int }, str> { throw 0; }`;
  assert.equal(marks(readSource(source), source), [
    "SVC1040 { day: Date }",
    "SVC1041 Map<{ n: int }, str>",
  ]);
});

test.run();
