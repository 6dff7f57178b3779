// The four ways to declare a plugin, and similar code that declares none.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectFixture } from "../project-fixture.js";
import { codes, LINES_BEFORE, marks, pluginNamed, readSource } from "../reading.js";

const test = suite("plugin declarations");

test("accept a documentation tag on functions, arrow functions and default exports", () => {
  const result = readSource(`
/** Adds. @plugin */
export function add(request: PluginRequest, a: int) { return a; }
/** @plugin */
export const arrow = async (request: PluginRequest) => null;
/** @plugin classic */
export const old = function (request: PluginRequest) { return null; };
/** @plugin other @graph cities @readonly */
export function named(request: PluginRequest, graph: Graph) { return 1; }
function local(request: PluginRequest) { return 1; }
/** @plugin */
function later(request: PluginRequest) { return 1; }
export { later as renamed };
/** @plugin main */
export default function (request: PluginRequest) { return 1; }
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, exportPath }) => [name, exportPath]),
    [
      ["add", "add"],
      ["arrow", "arrow"],
      ["classic", "old"],
      ["main", "default"],
      ["other", "named"],
      ["renamed", "renamed"],
    ],
  );
  const add = pluginNamed(result, "add");
  assert.equal(add.position, { file: "p.ts", line: LINES_BEFORE + 3, column: 17 });
  assert.equal(
    [add.module, add.role, add.graph, add.readonly, add.async],
    ["p.ts", "engine", null, false, false],
  );
  const otherRecord = pluginNamed(result, "other");
  assert.equal([otherRecord.graph, otherRecord.readonly], ["cities", true]);
  assert.is(pluginNamed(result, "arrow").async, true);
});

test("accept the wrapper under any imported name", () => {
  const result = readSource(`
import { plugin as mark } from "svc-server";
import * as svc from "svc-server";
export const plain = plugin((request: PluginRequest, n: int = 3) => n);
export const other = mark({ name: "found", graph: "g", readonly: true },
  (request, graph: Graph) => 1);
export const before = svc.plugin.pre({ name: "both" }, (request) => request);
export const after = plugin.post({ name: "both" }, (response) => response);
export const role = plugin({ role: "pre" }, (request) => 1);
function body(request: PluginRequest, q: string) { return q; }
export const indirect = plugin(body);
export default plugin({ name: "main" }, (request: PluginRequest) => 1);
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, role, graph, exportPath }) => [name, role, graph, exportPath]),
    [
      ["both", "post", null, "after"],
      ["both", "pre", null, "before"],
      ["found", "engine", "g", "other"],
      ["indirect", "engine", null, "indirect"],
      ["main", "engine", null, "default"],
      ["plain", "engine", null, "plain"],
      ["role", "pre", null, "role"],
    ],
  );
});

test("infer argument types of a wrapped function from the wrapper", () => {
  const result = readSource(`
export const lengthOf = plugin({ readonly: true }, (_request, q: str) => q.length);
export const after = plugin.post((_response) => null);
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ params }) => params.map(({ kind, name }) => `${kind} ${name}`)),
    [["reserved response"], ["reserved request", "user q"]],
  );
});

test("accept a decorator on static methods of exported classes", () => {
  const result = readSource(`
export class Shop {
  /** Buys. */
  @plugin static buy(request: PluginRequest, item: str) { return item; }
  @plugin({ name: "sold", graph: "shop" })
  static async sell(request: PluginRequest, graph: Graph) {}
}
class Inner { @plugin static list(request: PluginRequest) { return []; } }
export { Inner as Outer };
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name, exportPath, graph }) => [name, exportPath, graph]),
    [
      ["buy", "Shop.buy", null],
      ["list", "Outer.list", null],
      ["sold", "Shop.sell", "shop"],
    ],
  );
  assert.is(pluginNamed(result, "buy").summary, "Buys.");
});

test("suggest the alternative to a decorator on a plain function", () => {
  const source = `
@plugin function first(request: PluginRequest, a: int): int { return a; }
@plugin({ name: "other", graph: "g", readonly: true })
export async function second(request: PluginRequest, graph: json) { return 1; }
@plugin({ role: "post" }) function third(response: PluginResponse) { return response; }
`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    "SVC1001 @plugin",
    'SVC1001 @plugin({ name: "other", graph: "g", readonly: true })',
    'SVC1001 @plugin({ role: "post" })',
  ]);
  assert.equal(
    result.diagnostics.map(({ help }) => help),
    [
      "/** @plugin */ export function first(request: PluginRequest, a: int): int",
      "/** @plugin other @graph g @readonly */ " +
        "export async function second(request: PluginRequest, graph: json)",
      "export const third = plugin.post((response: PluginResponse) => { ... })",
    ],
  );
});

test("suggest the alternative also for a decorator without an import, and on a const", () => {
  const others = {
    "bare.ts": `import type { PluginRequest } from "svc-server";
@plugin
export function bare(request: PluginRequest) { return 1; }
@plugin.pre
export const before = async (request: PluginRequest): Promise<int> => 1;
`,
  };
  const project = new ProjectFixture(others);
  const { diagnostics } = new PluginReader(project.dir, ["bare.ts"]).read();
  assert.equal(
    diagnostics.map(({ code, position, help }) => [code, position.line, help]),
    [
      ["SVC1001", 2, "/** @plugin */ export function bare(request: PluginRequest)"],
      [
        "SVC1001",
        4,
        "export const before = plugin.pre(async (request: PluginRequest): Promise<int> => { ... })",
      ],
    ],
  );
});

test("normalize line ends in documentation texts", () => {
  const source = `
/**
 * Adds two
 * numbers.
 *
 * More of it.
 *
 * @plugin
 * @param a the first
 *   of them
 * @throws RangeError when
 *   too large
 */
export function add(request: PluginRequest, a: int) { return a; }
`;
  const [unix, windows] = [source, source.replaceAll("\n", "\r\n")].map((text) =>
    pluginNamed(readSource(text), "add"),
  );
  assert.is(unix!.description, "Adds two\nnumbers.\n\nMore of it.");
  assert.equal(windows, unix);
});

test("accept legacy decorators of static methods", () => {
  const source = `
export class Shop { @plugin({ name: "sell" }) static buy(request: PluginRequest) { return 1; } }
`;
  const options = { experimentalDecorators: true, module: "nodenext" };
  const result = readSource(source, {
    "tsconfig.json": JSON.stringify({ compilerOptions: options }),
  });
  assert.equal(marks(result, source), []);
  assert.is(pluginNamed(result, "sell").exportPath, "Shop.buy");
});

test("require an export", () => {
  const source = `
/** @plugin */
function hidden(request: PluginRequest) { return 1; }
const held = plugin((request: PluginRequest) => 1);
export const table = { inner: plugin((request: PluginRequest) => 1) };
class Shop { @plugin static buy(request: PluginRequest) { return 1; } }
`;
  const result = readSource(source);
  assert.equal(result.plugins, []);
  assert.equal(marks(result, source), [
    "SVC1002 hidden",
    "SVC1002 held",
    "SVC1002 plugin((request: PluginRequest) => 1)",
    "SVC1004 Shop",
  ]);
});

test("report a tag that declares nothing at its position", () => {
  const source = `
/** @plugin */
export interface Point { x: int }
/** @plugin */
export const LIMIT = 10;
/** @plugin */
export class Shop { /** @plugin */ buy(request: PluginRequest) { return 1; } }
export function outer() {
  /** @plugin */
  function inner() {}
  return inner;
}
// @plugin
export function forgotten(request: PluginRequest) { return "@plugin"; }
/* @plugin */
export function alsoForgotten(request: PluginRequest) { return \`// @plugin\`; }
/** Not \`@plugin\`, only a word about it. */
export const text = "/** @plugin */";
`;
  const result = readSource(source);
  assert.equal(result.plugins, []);
  assert.equal(codes(result.diagnostics), [
    ...["SVC1003", "SVC1003", "SVC1003", "SVC1003", "SVC1003"],
    ...["SVC1005", "SVC1005"],
  ]);
  assert.equal(
    result.diagnostics.map(({ severity }) => severity),
    ["error", "error", "error", "error", "error", "warning", "warning"],
  );
});

test("reject misplaced decorators, missing names and unreadable functions", () => {
  const source = `
export class Shop { @plugin buy(request: PluginRequest) { return 1; } }
/** @plugin */
export default function (request: PluginRequest) { return 1; }
const fn: { readonly n: number } = null!;
export const opaque = plugin(fn);
`;
  assert.equal(
    marks(readSource(source), source).map((mark) => mark.slice(0, 7)),
    ["SVC1004", "SVC1006", "SVC1009"],
  );
});

test("require literals of known options", () => {
  const source = `
const NAME = "x";
export const a = plugin({ name: NAME }, (request) => 1);
export const b = plugin({ grph: "g" }, (request) => 1);
export const c = plugin({ role: "main" }, (request) => 1);
export const d = plugin({ ...{} }, (request) => 1);
export const e = plugin({ parameters: {} }, (request) => 1);
/** @plugin f @graph */
export function f(request: PluginRequest) { return 1; }
`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    "SVC1007 NAME",
    "SVC1008 grph",
    'SVC1008 "main"',
    "SVC1007 ...{}",
    "SVC1008 @graph ",
  ]);
  assert.match(result.diagnostics[1]!.message, "did you mean `graph`");
});

test("reject overloads and type parameters, once each", () => {
  const source = `
/** @plugin */
export function over(request: PluginRequest, a: int): int;
export function over(request: PluginRequest, a: str): str;
export function over(request: PluginRequest, a: unknown): unknown { return a; }
/** @plugin */
export function generic<T>(request: PluginRequest, a: int): T | null { return null; }
`;
  assert.equal(marks(readSource(source), source), ["SVC1010 over", "SVC1011 T"]);
});

test("report only the syntax error of a file", () => {
  const source = `
/** @plugin */
export function broken(request: PluginRequest, { return 1; }
`;
  const result = readSource(source);
  assert.equal(result.plugins, []);
  assert.ok(result.diagnostics.length > 0);
  assert.ok(result.diagnostics.every(({ code }) => code.startsWith("TS1")));
});

test("take summary, description and tags from the documentation comment", () => {
  const result = readSource(`
/**
 * Finds cities. The nearest
 * come first!
 *
 * More about it.
 *
 * @plugin find
 * Written below the tag.
 * @param q - what to look for
 * @param n how many
 * @throws {RangeError} when n is negative
 * @throws NotFound when there is none
 * @example find("Oslo")
 * @returns the nearest city
 * @deprecated use search
 */
export function search(request: PluginRequest, q: str, n: int = 1) { return q; }
`);
  const plugin = pluginNamed(result, "find");
  assert.is(plugin.summary, "Finds cities.");
  assert.is(
    plugin.description,
    "Finds cities. The nearest\ncome first!\n\nMore about it.\n\nWritten below the tag.",
  );
  assert.equal(plugin.throws, [
    { exception: "RangeError", description: "when n is negative" },
    { exception: "NotFound", description: "when there is none" },
  ]);
  assert.equal(
    plugin.examples.map(({ text }) => text),
    ['find("Oslo")'],
  );
  assert.is(plugin.deprecated, true);
  assert.is(plugin.deprecation, "use search");
  assert.is(plugin.returns, "the nearest city");
  assert.equal(
    plugin.params.map((param) => (param.kind === "user" ? param.description : null)),
    [null, "what to look for", "how many"],
  );
});

test("keep links in documentation comments, also where the parser expects a type", () => {
  const { plugins, diagnostics } = readSource(`
/**
 * Finds.
 * @plugin
 * @returns {@link City} the nearest
 * @throws {@link RangeError} when n is negative
 * @throws {@linkcode errors.NotFound | no city} - when there is none
 * @throws {@link Busy}
 * @throws errors.Gone - for ever
 * @throws when the moon is full
 * @throws
 */
export function search(request: PluginRequest, q: str) { return q; }
`);
  assert.equal(diagnostics, []);
  assert.is(plugins[0]!.returns, "{@link City} the nearest");
  assert.equal(plugins[0]!.throws, [
    { exception: "RangeError", description: "when n is negative" },
    { exception: "errors.NotFound", description: "when there is none" },
    { exception: "Busy", description: "" },
    { exception: "errors.Gone", description: "for ever" },
    { exception: "Error", description: "when the moon is full" },
  ]);
});

test("do not end the summary at an abbreviation", () => {
  const readSummary = (text: string) =>
    readSource(`/** ${text} @plugin */\nexport function find(request: PluginRequest) { return 1; }`)
      .plugins[0]!.summary;
  assert.is(readSummary("Finds cities, e.g. Oslo. More."), "Finds cities, e.g. Oslo.");
  assert.is(readSummary("The nearest, i.e. the first! More."), "The nearest, i.e. the first!");
  assert.is(readSummary("Since v1.2 too? More."), "Since v1.2 too?");
});

test.run();
