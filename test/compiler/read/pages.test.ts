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

test.run();
