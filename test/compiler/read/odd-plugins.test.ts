// Unusual plugins: each compiles to the right converters, is rejected at its position, or is no
// plugin at all; none is misread, and none crashes the compiler. UPDATE_GOLDEN=1 writes
// test/golden/odd-plugins.txt.
// limit: 60 s
// takes 4 s

import { suite } from "uvu";
import { matchesGolden } from "../../golden/golden.js";
import { LINES_BEFORE, readSource, userParams } from "../reading.js";

const test = suite("unusual plugins");

const SOURCES = [
  `enum E { A = "xy".length, B = 7 }
/** @plugin */
export function f(_r: PluginRequest, e: E): int { return e; }`,
  `/** @plugin */
export function f<T>(_r: PluginRequest, x: T): T { return x; }`,
  `export function f(_r: PluginRequest, x: int): int;
export function f(_r: PluginRequest, x: str): str;
/** @plugin */
export function f(_r: PluginRequest, x: any): any { return x; }`,
  `export namespace N { /** @plugin */
export function f(_r: PluginRequest, x: int): int { return x; } }`,
  `type Tree = { v: int; kids?: Tree[] };
/** @plugin */
export function f(_r: PluginRequest, content: Tree): Tree { return content; }`,
  `/** @plugin */
export function größe(_r: PluginRequest, länge: int): int { return länge; }`,
  `interface P { a: int } interface P { b: str }
/** @plugin */
export function f(_r: PluginRequest, p: P): P { return p; }`,
  `type M = { [K in "x" | "y"]?: int };
/** @plugin */
export function f(_r: PluginRequest, m: M): M { return m; }`,
  `type C<T> = T extends string ? int : str;
/** @plugin */
export function f(_r: PluginRequest, c: C<"a">): C<"a"> { return c; }`,
  `const enum CE { One = 1, Two }
/** @plugin */
export function f(_r: PluginRequest, e: CE): int { return e; }`,
  `enum D { A = Math.random(), B = 2 }
/** @plugin */
export function f(_r: PluginRequest, e: D): number { return e; }`,
  `declare enum Amb { A = 1, B = 2 }
/** @plugin */
export function f(_r: PluginRequest, e: Amb): number { return e; }`,
  `declare namespace N { const enum Amb { A = "a" } }
/** @plugin */
export function f(_r: PluginRequest, e: N.Amb.A | null): N.Amb | null { return e; }`,
  `/** @plugin */
export const f = (_r: PluginRequest, x: int): int => x;`,
  `/** @plugin */
export let f = function (_r: PluginRequest, x: int): int { return x; };`,
  `/** @plugin */
export function* f(_r: PluginRequest, x: int): Generator<int> { yield x; }`,
  `/** @plugin */
export function f(_r: PluginRequest, ...xs: int[]): int { return xs.length; }`,
  `/** @plugin */
export function f(_r: PluginRequest, { a, b }: { a: int; b: int }): int { return a + b; }`,
  `/** @plugin */
export function f(this: Date, _r: PluginRequest, x: int): int { return x; }`,
  `/** @plugin */
export default class { constructor(_r: PluginRequest) {} }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: Map<string, int>): int { return x.size; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: bigint): bigint { return x; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: symbol): int { return 1; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: never): int { return 1; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: Date): string { return x.toISOString(); }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: readonly [int, str?, ...float[]]): int {
  return x.length;
}`,
  `/** @plugin */
export function f(_r: PluginRequest, x: Record<"a" | "b", int>,
  y: Record<string, int>): int { return x.a; }`,
  `/** @plugin */
export function f(_r: PluginRequest,
  x: Partial<Pick<{ a: int; b: str; c: Date }, "a" | "b">>): int { return x.a ?? 0; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: \`\${"a" | "b"}-\${number}\`): string { return x; }`,
  `type K = keyof { a: 1; "b c": 2; 3: 3 };
/** @plugin */
export function f(_r: PluginRequest, x: K): string { return String(x); }`,
  `class Box { constructor(public v: int) {} get twice(): int { return this.v * 2; } }
/** @plugin */
export function f(_r: PluginRequest, x: Box): int { return x.twice; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: () => int): int { return x(); }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: { f(): int; v: int }): int { return x.v; }`,
  `/** @plugin */
export function f(_r: PluginRequest,
  x: { __proto__: int; constructor: int }): int { return x.constructor; }`,
  `/** @plugin */
export function f(_r: PluginRequest, __proto__: int): int { return __proto__; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: int = Math.random()): int { return x; }`,
  `const y = 5;
/** @plugin */
export function f(_r: PluginRequest, x: int = y): int { return x; }`,
  `/** @plugin */
export async function f(_r: PluginRequest, x: Promise<int>): Promise<int> { return x; }`,
  `type J = string | number | boolean | null | J[] | { [k: string]: J };
/** @plugin */
export function f(_r: PluginRequest, content: J): J { return content; }`,
  `type A = { k: "a"; v: int } | { k: "b"; w: str };
/** @plugin */
export function f(_r: PluginRequest, x: A): string { return x.k; }`,
  `type Deep = { a: { b: { c: { d: { e: { f: { g: [int, [str, [float]]] } } } } } } };
/** @plugin */
export function f(_r: PluginRequest, x: Deep): int { return 1; }`,
  `function dec(_t: unknown, _c: unknown): void {}
class S { @dec /** @plugin */
m(_r: PluginRequest, x: int): int { return x; } }
export { S };`,
  `/** @plugin */
export function f(_r: PluginRequest, x: int & { __brand: "id" }): int { return x; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: { a: int } & { b: str }): int { return x.a; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: unique symbol): int { return 1; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: typeof globalThis): int { return 1; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: ReadonlyArray<Set<int>>): int { return 1; }`,
  `/** @plugin */
export function f(r?: PluginRequest, x?: int): int { return x ?? 0; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: 1n | 2n): int { return 1; }`,
  `/** @plugin */
export function f(_r: PluginRequest, x: Awaited<Promise<int>>,
  y: NonNullable<int | null>, z: Exclude<"a" | "b", "b">): int { return x; }`,
  `type Inf<T> = { v: T; n: Inf<T[]> | null };
/** @plugin */
export function f(_r: PluginRequest, content: Inf<int>): int { return 1; }`,
  `/** @plugin */
export abstract class f { static run(_r: PluginRequest): int { return 1; } }`,
  `/** @plugin */
export declare function f(_r: PluginRequest, x: int): int;`,
  `/** @plugin */
function f(_r: PluginRequest, x: int): int { return x; }`,
  `const o = { /** @plugin */
f(_r: PluginRequest, x: int): int { return x; } };
export default o;`,
  `/** @plugin */
export function f(_r: PluginRequest, x: Uint8Array, y: Buffer, z: ArrayBuffer): int { return 1; }`,
];

function outcome(source: string): string {
  const { plugins, diagnostics } = readSource(source);
  const read = plugins.map((plugin) => {
    const params = userParams(plugin).map(({ name, wire, required }) => {
      return `${name}${required ? "" : "?"}: ${JSON.stringify(wire)}`;
    });
    return `=> ${plugin.name}(${params.join(", ")})`;
  });
  const findings = diagnostics.map(({ code, severity, position: { line, column }, message }) => {
    return `=> ${code} ${severity} ${line - LINES_BEFORE}:${column} ${message}`;
  });
  const messages = [...read, ...findings];
  return [source, ...(messages.length === 0 ? ["=> nothing"] : messages), ""].join("\n");
}

test("are compiled correctly or rejected at their position", () => {
  matchesGolden("odd-plugins.txt", SOURCES.map(outcome).join("\n"));
});

test.run();
