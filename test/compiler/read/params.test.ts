// Parameters: defaults, requiredness, reserved arguments and their types.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectFixture } from "../project-fixture.js";
import { codes, marks, pluginNamed, readSource, userParam, userParams } from "../reading.js";

const test = suite("plugin parameters");

test("evaluate constant defaults", () => {
  const result = readSource(`
const LIMIT = 10;
enum Mode { Fast = "fast" }
/** @plugin */
export function f(request: PluginRequest,
  a: int, b?: int, c: int = 1, d: float = -2.5, e: str = "x", g: boolean = true,
  h: string | null = null,
  i: int[] = [1, 2], j: { x: int } = { x: 1 }, k: int = LIMIT, l: Mode = Mode.Fast,
  m: int = LIMIT * 2,
  n: float = Math.random(), o: str | undefined = undefined, p: bytes = new Uint8Array(), q = LIMIT,
  r: int[] = [LIMIT], s: int | undefined, t: json = { __proto__: 1 },
) { return null; }`);
  assert.equal(result.diagnostics, []);
  const params = userParams(pluginNamed(result, "f"));
  assert.equal(
    Object.fromEntries(
      params.map(({ name, required, default: value }) => [name, [required, value]]),
    ),
    {
      a: [true, null],
      b: [false, null],
      c: [false, { kind: "value", value: 1 }],
      d: [false, { kind: "value", value: -2.5 }],
      e: [false, { kind: "value", value: "x" }],
      g: [false, { kind: "value", value: true }],
      h: [false, { kind: "value", value: null }],
      i: [false, { kind: "value", value: [1, 2] }],
      j: [false, { kind: "value", value: { x: 1 } }],
      k: [false, { kind: "value", value: 10 }],
      l: [false, { kind: "value", value: "fast" }],
      m: [false, { kind: "expression" }],
      n: [false, { kind: "expression" }],
      o: [false, null],
      p: [false, { kind: "expression" }],
      q: [false, { kind: "value", value: 10 }],
      r: [false, { kind: "value", value: [10] }],
      s: [false, null],
      t: [false, { kind: "expression" }],
    },
  );
});

test("infer the type from the default, or default to text", () => {
  const source = `
export const f = plugin((request, a = 2.5, b = "x", c = true, d: int = 1) => a + b + c + d);
/** @plugin */
export function g(request: PluginRequest, bare, any: any, some: unknown, full: {}) { return null; }
`;
  const result = readSource(source);
  const f = pluginNamed(result, "f");
  assert.equal(
    userParams(f).map(({ name, wire, typeText }) => [name, wire, typeText]),
    [
      ["a", "float", "number"],
      ["b", "str", "string"],
      ["c", "json", "boolean"],
      ["d", "int", "int"],
    ],
  );
  const g = pluginNamed(result, "g");
  assert.equal([userParam(g, "bare").wire, userParam(g, "bare").typeText], ["str", "*"]);
  assert.equal([userParam(g, "any").wire, userParam(g, "any").typeText], ["str", "any"]);
  assert.equal(
    marks(result, source),
    ["bare", "any", "some", "full"].map((name) => `SVC1042 ${name}`),
  );
  assert.ok(result.diagnostics.every(({ severity }) => severity === "warning"));
});

test("proposes a comment for parameters without type in JavaScript", () => {
  const text = "/** @plugin */\nexport function f(request, bare) { return bare; }\n";
  const tsconfig = `{ "compilerOptions": { "allowJs": true } }`;
  const project = new ProjectFixture({ "p.js": text, "tsconfig.json": tsconfig });
  const { diagnostics } = new PluginReader(project.dir, ["p.js"]).read();
  assert.equal(
    diagnostics.map(({ code, help }) => [code, help]),
    [["SVC1042", '`@param {import("svc-server").str} bare`']],
  );
});

test("have the types of comments in JavaScript", () => {
  const text = `/**
 * @plugin
 * @param {import("svc-server").PluginRequest} request
 * @param {import("svc-server").int} n how many
 * @param {string | null} s
 * @param {number} [size] of all
 * @param {{ a: number }} [o]
 * @param {import("svc-server").json} content
 * @minimum n 1
 */
export function f(request, n, s, size, o, content) { return n; }
`;
  const tsconfig = `{ "compilerOptions": { "allowJs": true, "strict": true } }`;
  const project = new ProjectFixture({ "p.js": text, "tsconfig.json": tsconfig });
  const { diagnostics, plugins } = new PluginReader(project.dir, ["p.js"]).read();
  assert.equal(diagnostics, []);
  assert.equal(
    userParams(plugins[0]!).map(({ name, wire, required, shape }) => [
      ...[name, wire, required, shape.kind],
    ]),
    [
      ["n", "int", true, "limited"],
      ["s", "str", true, "union"],
      ["size", "float", false, "float"],
      ["o", "json", false, "object"],
    ],
  );
  const content = plugins[0]!.params.find(({ name }) => name === "content");
  assert.is(content?.kind === "reserved" && content.form, "json");
});

test("recognize reserved arguments by role, name and binding", () => {
  const result = readSource(`
/** @plugin */
export function f(request: PluginRequest, graph: str, method: str, headers: bytes,
  content: str, response: int) { return 1; }
/** @plugin @graph g */
export function bound({ params }: PluginRequest, graph: Graph) { return params; }
/** @plugin */
export function renamed(_r: PluginRequest, method: "GET" | "POST") { return 1; }
export const post = plugin.post({ graph: "g" }, (res: PluginResponse, graph: Graph) => res);
`);
  assert.equal(result.diagnostics, []);
  const kinds = (name: string) =>
    pluginNamed(result, name).params.map((param) => `${param.kind} ${param.name}`);
  assert.equal(kinds("f"), [
    ...["reserved request", "user graph", "reserved method", "reserved headers"],
    ...["reserved content", "user response"],
  ]);
  assert.equal(kinds("bound"), ["reserved request", "reserved graph"]);
  assert.equal(kinds("renamed"), ["reserved request", "reserved method"]);
  assert.equal(kinds("post"), ["reserved response", "reserved graph"]);
});

test("accept the declared types of headers and content", () => {
  const headers = [
    "bytes",
    "Uint8Array",
    "str",
    "Record<string, string>",
    "[string, string][]",
    "string[][]",
    "{ [k: string]: string }",
  ];
  const content = ["bytes | null", "str", "json", "Batch", "int[]", "Batch | null", "unknown"];
  const functions = headers.map(
    (form, index) => `
/** @plugin */
export function f${index}(request: PluginRequest, headers: ${form}, content: ${content[index]}) {}`,
  );
  const result = readSource(`interface Batch { items: int[] }${functions.join("")}
/** @plugin */
export function bare(request: PluginRequest, headers, content) { return 1; }`);
  assert.equal(result.diagnostics, []);
  const forms = (name: string) =>
    pluginNamed(result, name).params.map((param) => (param.kind === "reserved" ? param.form : ""));
  assert.equal(
    headers.map((_, index) => forms(`f${index}`).slice(1)),
    [
      ["bytes", "bytes"],
      ["bytes", "str"],
      ["str", "json"],
      ["dict", "json"],
      ["list", "json"],
      ["list", "json"],
      ["dict", "bytes"],
    ],
  );
  assert.equal(forms("bare"), [null, "bytes", "bytes"]);
  const batch = pluginNamed(result, "f3").params[2]!;
  assert.equal(batch.shape, { kind: "ref", name: "Batch" });
});

test("reject reserved arguments of other types, and with defaults", () => {
  const source = `
/** @plugin */
export function a(request: string, method: int) { return 1; }
/** @plugin */
export function b(request: PluginRequest, headers: int, content: bytes | str) { return 1; }
/** @plugin */
export function c(request: PluginRequest, method: str = "GET", content: Date = new Date()) {}
/** @plugin @graph g */
export function d(request: PluginRequest, graph: PluginResponse) {}
`;
  assert.equal(marks(readSource(source), source), [
    "SVC1034 string",
    "SVC1034 int",
    "SVC1034 int",
    "SVC1034 bytes | str",
    'SVC1032 method: str = "GET"',
    "SVC1032 content: Date = new Date()",
    "SVC1034 PluginResponse",
  ]);
});

test("accept a graph type with its contents", () => {
  const source = `
import type { TypedGraph } from "svc-server";
interface Shop { vertices: { person: { age: number } }; relationships: "knows" }
/** @plugin @graph shop */
export function old(request: PluginRequest, graph: TypedGraph<Shop>, age: int) {
  const condition = { type: "person", property: { age } } as const;
  return graph.vertices({ condition });
}
export const made = plugin({ graph: "shop" }, (request: PluginRequest, graph: TypedGraph<Shop>) =>
  graph.vertices({ condition: { type: "person" } }));
`;
  const result = readSource(source);
  assert.equal(marks(result, source), []);
  for (const name of ["old", "made"]) {
    const reserved = pluginNamed(result, name).params[1]!;
    assert.equal([reserved.kind, reserved.name], ["reserved", "graph"]);
  }
  const declarations = `
class TypedGraph {}
/** @plugin @graph g */
export function f(request: PluginRequest, graph: TypedGraph) { return 1; }
`;
  assert.equal(marks(readSource(declarations), declarations), ["SVC1034 TypedGraph"]);
});

test("leave unresolved types to TypeScript", () => {
  const source = `
import type { Request, Shape } from "not-installed";
/** @plugin */
export function f(_r: Request, a: Shape = 2.5, b: Unheard = "x") { return null; }
export const g = plugin.post((r: Request) => r);
`;
  const result = readSource(source);
  const rules = checkPlugins(result.plugins, result.types, { executors: 1 });
  assert.equal([...result.diagnostics, ...rules], []);
  assert.is(userParam(pluginNamed(result, "f"), "a").wire, "json");
});

test("validate reserved arguments of Node types", () => {
  const source = `
import type { IncomingHttpHeaders } from "node:http";
/** @plugin */
export function f(request: PluginRequest, headers: IncomingHttpHeaders, content: Buffer) {}
/** @plugin */
export function g(first: Buffer) {}
`;
  const node = `declare module "node:http" { interface IncomingHttpHeaders { size: number } }
interface Buffer extends Uint8Array { equals(other: Uint8Array): boolean }`;
  const result = readSource(source, {
    "node_modules/@types/node/index.d.ts": node,
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "types": ["node"] } }',
  });
  assert.equal(marks(result, source), ["SVC1034 IncomingHttpHeaders"]);
  const { params } = pluginNamed(result, "f");
  assert.equal(params[2]!.kind === "reserved" && params[2]!.form, "bytes");
  assert.is(userParam(pluginNamed(result, "g"), "first").isBuffer, true);
});

test("reject parameters that a query cannot express", () => {
  const source = `
/** @plugin */
export function f(request: PluginRequest, { x }: { x: int }, [y]: int[], ...rest: str[]) {}
/** @plugin */
export function g(this: Date, request: PluginRequest) { return 1; }
/** @plugin */
export function h(this: void, request: PluginRequest) { return 1; }
`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    "SVC1013 { x }",
    "SVC1013 [y]",
    "SVC1012 ...rest: str[]",
    "SVC1014 this: Date",
  ]);
});

test("warn about blocking calls and busy waits in plugin bodies only", () => {
  const source = `
import { readFileSync as slurp, existsSync } from "node:fs";
import * as cp from "node:child_process";
import fs from "fs";
const readFileSync = (x: string) => x;
const other = { fooSync() {} };
slurp("at load");
/** @plugin */
export async function f(request: PluginRequest) {
  slurp("x"); cp.execSync("ls"); fs.statSync("."); Atomics.wait(new Int32Array(1), 0, 0);
  readFileSync("mine"); other.fooSync();
  while (Date.now() < 5) {}
  for (let i = 0; i < 3; i++) {}
  return [1].map(() => existsSync("y"));
}
`;
  const result = readSource(source, {
    "node.d.ts": `declare module "node:fs" {
  export function readFileSync(p: string): string;
  export function existsSync(p: string): boolean;
}
declare module "fs" { const fs: { statSync(p: string): unknown }; export default fs }
declare module "node:child_process" { export function execSync(c: string): string }`,
  });
  assert.equal(marks(result, source), [
    "SVC1050 slurp",
    "SVC1050 cp.execSync",
    "SVC1050 fs.statSync",
    "SVC1050 Atomics.wait",
    "SVC1050 Date.now() < 5",
    "SVC1050 existsSync",
  ]);
  assert.ok(result.diagnostics.every(({ severity }) => severity === "warning"));
});

test("record module variables that functions change", () => {
  const result = readSource(`
let counter = 0;
let label = "x"; label = "y";
const cache = new Map<string, number>();
const list: number[] = [];
const table: Record<string, { n: number }> = {};
const fixed = [1, 2].sort();
const shadow = 1;
/** @plugin */
export function f(request: PluginRequest, q: str) {
  counter++;
  cache.set(q, counter);
  table[q]!.n = fixed.length;
  let shadow = 2;
  shadow = 3;
  return shadow + label.length;
}
function helper() { list.push(1); }
`);
  assert.equal(codes(result.diagnostics), []);
  assert.equal(
    result.moduleState.map(({ name }) => name),
    ["counter", "cache", "list", "table"],
  );
});

test.run();
