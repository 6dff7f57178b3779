// Parameter types that a request cannot carry: rejected with the offending part.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { marks, pluginNamed, readSource } from "../reading.js";

const test = suite("rejected types");

test("are reported by parameter and path", () => {
  const source = `
class City { name = "x"; }
interface Job { when: RegExp; run(): void }
interface Endless<T> { next: Endless<T[]> }
/** @plugin */
export function f(request: PluginRequest, a: WeakSet<Job>[], b: Map<string | int, int>,
  c: { d: Set<symbol> }[],
  g: () => void, h: symbol, i: City, j: Job, k: Promise<int>,
  m: Endless<int>, graph: Graph,
) { return null; }`;
  const result = readSource(source);
  assert.ok(
    result.diagnostics.every(({ code, severity }) => code === "SVC1040" && severity === "error"),
  );
  assert.equal(
    result.diagnostics.map(({ message }) => message.replace(/^parameter /, "")),
    [
      "`a`: `a[]` is a WeakSet",
      "`b`: `b` is a Map with text and numbers as keys",
      "`c`: `c[].d[]` is a symbol",
      "`g`: `g` is a function",
      "`h`: `h` is a symbol",
      "`i`: `i` is an instance of class `City`",
      "`j`: `j.when` is a RegExp",
      "`j`: `j.run` is a function",
      "`k`: `k` is a Promise",
      `\`m\`: \`m${".next".repeat(8)}\` is an infinitely nested type`,
      "`graph`: `graph` is an instance of class `Graph`",
    ],
  );
  assert.equal(marks(result, source)[2], "SVC1040 { d: Set<symbol> }[]");
  assert.match(result.diagnostics.at(-1)!.help, "@graph");
});

test("include an unbound graph, with a hint how to bind it, also with a schema", () => {
  const source = `
import type { TypedGraph } from "svc-server";
interface Shop { vertices: { person: { age: number } }; relationships: "knows" }
/** @plugin */
export function f(request: PluginRequest, graph: TypedGraph<Shop>,
  other: TypedGraph<Shop> | null) {
  return null;
}
/** @plugin @graph shop */
export function g(request: PluginRequest, graph: TypedGraph<Shop>,
  shop: TypedGraph<Shop>) { return null; }
export const h = plugin({}, (request: PluginRequest, graph: TypedGraph<Shop>): int => 1);`;
  const result = readSource(source);
  assert.equal(
    result.diagnostics.map(({ code, message, help }) => [code, message, help.slice(0, 15)]),
    [
      ["graph", "`@graph name` a"],
      ["other", "`@graph name` a"],
      ["shop", "`graph: Graph`"],
      ["graph", "`@graph name` a"],
    ].map(([name, help]) => [
      "SVC1040",
      `parameter \`${name}\`: \`${name}\` is an instance of class \`Graph\``,
      help,
    ]),
  );
});

test("include types without values, and bytes mixed with other types", () => {
  const source = `
/** @plugin */
export function f(request: PluginRequest, a: never, b: void, c: undefined, d: bytes | string,
  e: bytes | null, g: { kind: "x"; never?: never },
) { return null; }`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    "SVC1040 never",
    "SVC1040 void",
    "SVC1040 undefined",
    "SVC1040 bytes | string",
  ]);
});

test("include texts of one case, and index signatures that accept different values", () => {
  const source = `
/** @maxLength 3 */
type Short = str;
/** @plugin */
export function f(request: PluginRequest, a: Uppercase<string>, b: { x: \`\${Lowercase<str>}-\` }[],
  c: Uppercase<"a">, d: { [key: \`a\${string}\`]: int; [key: \`b\${string}\`]: str },
  e: { [key: string]: unknown; [key: number]: int },
  g: { [key: \`a\${string}\`]: int; [key: \`b\${Uppercase<string>}\`]: int },
  h: { [key: \`a\${string}\`]: int; [key: Short]: int },
): { [key: string]: unknown; [key: number]: Capitalize<str> } { return {}; }`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    "SVC1040 Uppercase<string>",
    "SVC1040 { x: `${Lowercase<str>}-` }[]",
    "SVC1040 { [key: `a${string}`]: int; [key: `b${string}`]: str }",
    "SVC1040 { [key: string]: unknown; [key: number]: int }",
    "SVC1040 { [key: `a${string}`]: int; [key: `b${Uppercase<string>}`]: int }",
    "SVC1040 { [key: `a${string}`]: int; [key: Short]: int }",
  ]);
  assert.equal(pluginNamed(result, "f").result.kind, "value");
});

test("include a type with unlimited branching, which is rejected at once", () => {
  const source = `
interface Endless<T> { left?: Endless<T[]>; right?: Endless<[T]>; up: { deep: Endless<{ t: T }> } }
interface Page<T> { items: T[] }
/** @plugin */
export function f(request: PluginRequest, a: Endless<int>, b: Page<Page<Page<Page<int>>>>,
  c: int[][][][][][][][][][],
) { return null; }`;
  const result = readSource(source);
  assert.ok(result.diagnostics.length > 0 && result.diagnostics.length <= 3);
  assert.ok(result.diagnostics.every(({ message }) => /infinitely nested type$/.test(message)));
  assert.equal(new Set(marks(result, source)), new Set(["SVC1040 Endless<int>"]));
});

test("include tuples that contain themselves, also beside a named type that contains them", () => {
  const source = `
type Tree = [n: int, more?: More, next?: Tree] | undefined;
interface More { tree?: Tree }
type List<T> = null | [T, NonNullable<List<T>> | Box<T>];
interface Box<T> { list?: NonNullable<List<T>> }
type Rest = null | [n: int, rest: Rest];
/** @plugin */
export function f(request: PluginRequest, a: { tree?: Tree }, b: Box<int>,
  c: { of: { it: { tree?: Tree; rest?: Rest } } }, d: { rest?: Rest },
) { return null; }`;
  const result = readSource(source);
  assert.equal(
    new Set(marks(result, source)),
    new Set([
      ...["SVC1040 { tree?: Tree }", "SVC1040 Box<int>"],
      "SVC1040 { of: { it: { tree?: Tree; rest?: Rest } } }",
    ]),
  );
  assert.ok(result.diagnostics.every(({ message }) => message.includes("a type within itself")));
});

test("produce few diagnostics per type", () => {
  const members = Array.from({ length: 30 }, (_, index) => `m${index}(): void;`).join(" ");
  const source = `
interface Wide { ${members} }
/** @plugin */
export function f(request: PluginRequest, a: Wide) { return null; }
/** @plugin */
export function g(request: PluginRequest): Wide { return null!; }`;
  const result = readSource(source);
  assert.equal(marks(result, source), [
    ...["SVC1040 Wide", "SVC1040 Wide", "SVC1040 Wide"],
    ...["SVC1041 Wide", "SVC1041 Wide", "SVC1041 Wide"],
  ]);
});

test("include enums with values unknown to the checker", () => {
  const source = `
enum Known { A = 1 << 2, B = A | 1, C = "x" }
enum Computed { A = "xy".length, B = 7 }
/** @plugin */
export function f(request: PluginRequest, a: Known, b: Computed, c: { of: Computed.A }[]) {
  return null;
}
/** @plugin */
export function g(request: PluginRequest): Computed { return Computed.B; }`;
  const result = readSource(source);
  assert.equal(
    result.diagnostics.map(({ code, message }) => `${code} ${message}`),
    [
      "SVC1040 parameter `b`: `b` is an enum with a computed member",
      "SVC1040 parameter `c`: `c[].of` is an enum with a computed member",
    ],
  );
});

test("include a property that no converter can set", () => {
  const source = `
/** @plugin */
export function f(request: PluginRequest, a: { __proto__: int; constructor: int }) { return 1; }`;
  const result = readSource(source);
  assert.equal(
    result.diagnostics.map(({ message }) => message),
    ["parameter `a`: `a.__proto__` is a name reserved by JavaScript"],
  );
});

test.run();
