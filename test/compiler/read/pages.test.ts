// Results in pages and their cursors.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitConverters } from "../../../compiler/emit/converters.js";
import { pluginNamed, readSource, userParam } from "../reading.js";

const test = suite("pages");

const source = (cursor: string, result = "Page<{ name: str }, { at: int }>") => `
import { Cursor, Page } from "svc-server";
/** @plugin */
export function list(request: PluginRequest, ${cursor}): ${result} {
  return null!;
}`;

test("have the shape of their JSON, and a cursor as text", () => {
  const reading = readSource(source("cursor?: Cursor<{ at: int }>"));
  assert.equal(reading.diagnostics, []);
  const plugin = pluginNamed(reading, "list");
  assert.is(plugin.result.isPage, true);
  const { shape } = plugin.result;
  const names = shape?.kind === "object" ? shape.properties.map(({ name }) => name) : [];
  assert.equal(names, ["items", "cursor"]);
  const { wire, textClass } = userParam(plugin, "cursor");
  assert.equal([wire, textClass], ["str", "Cursor"]);
  const code = emitConverters([plugin], reading.types, { modules: "m", convert: "c" });
  assert.match(code, 'toCursor("cursor", readStr(query, "cursor", at), "list")');
});

test("need an optional parameter cursor", () => {
  const codes = (cursor: string) => readSource(source(cursor)).diagnostics.map(({ code }) => code);
  assert.equal(codes("n: int"), ["SVC1153"]);
  assert.equal(codes("cursor: Cursor"), ["SVC1153"]);
  assert.equal(codes("cursor?: str"), ["SVC1153"]);
  assert.equal(codes("cursor: Cursor | null = null"), []);
});

test("need a cursor whose state has the type of their state, in its JSON form", () => {
  const findings = (cursor: string, state: string) =>
    readSource(source(`cursor?: Cursor<${cursor}>`, `Page<str, ${state}>`)).diagnostics;
  const codes = (cursor: string, state = cursor) => findings(cursor, state).map(({ code }) => code);
  for (const name of ["Date", "bigint", "Uint8Array", "Set<int>", "Map<str, int>"]) {
    assert.equal(codes(`{ at: int; next: [${name}] | null }`), ["SVC1155"], name);
  }
  assert.match(findings("Date", "Date")[0]!.message, "contains a `Date`");
  assert.equal(codes("{ at: int }", "{ at: str }"), ["SVC1155"]);
  assert.equal(codes("{ at: int }", "{ at: int; more: str }"), []);
  assert.equal(codes("{ at: int; last?: str }", "unknown"), []);
  assert.equal(codes("int", "5"), []);
});

test("accept what TypeScript infers for a state", () => {
  const codes = (cursor: string, body: string) => {
    const text = `
import { Cursor, Page, type PluginRequest, type int, type str } from "svc-server";
interface Place { at: int }
/** @plugin */
export function list(request: PluginRequest, cursor?: Cursor<${cursor}>) { ${body} }`;
    return readSource(text).diagnostics.map(({ code }) => code);
  };
  assert.equal(codes("{ at: int }", "return new Page([1], null);"), []);
  const early = 'if (!cursor) return new Page(["a"], null);';
  assert.equal(codes("{ at: str }", `${early} return new Page(["b"], { at: "x" });`), []);
  assert.equal(codes('{ in: "a" | "b" }', 'return new Page([1], { in: "b" });'), []);
  assert.equal(codes("{ at: [str, int] }", 'return new Page([1], { at: ["x", 1] });'), []);
  assert.equal(codes("[str, int]", 'return new Page([1], ["x", 1] as const);'), []);
  assert.equal(
    codes("Record<str, int>", "const p: Place = { at: 1 }; return new Page([1], p);"),
    [],
  );
  for (const [cursor, state] of [
    ["str[]", "[1]"],
    ["{ at: str[] }", "{ at: null }"],
    ['{ in: "a" | "b" }', '{ in: "c" as const }'],
    ["{ at: { id: str } }", "{ at: {} }"],
    ["{ at: int }", "[1]"],
    ["Record<str, int>", '{ at: "x" }'],
  ] as const) {
    assert.equal(codes(cursor, `return new Page([1], ${state});`), ["SVC1155"], cursor);
  }
});

test.run();
