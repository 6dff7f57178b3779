// Values of classes in signatures: Date, URL, bigint, bytes, Map, Set, and classes with `fromJSON`.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { toJsonSchema } from "../../../compiler/emit/json-schema.js";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { marks, pluginNamed, readSource, readTypes, userParam } from "../reading.js";

const test = suite("values of classes");
const DATE: TypeShape = textValue("Date", { format: "date-time" });
const BYTES: TypeShape = textValue("Uint8Array", {});
const BIGINT: TypeShape = textValue("bigint", { pattern: "^-?\\d+$", maxLength: 1000 });

function textValue(valueClass: string, limits: object): TypeShape {
  return { kind: "limited", base: { kind: "str" }, limits, valueClass } as TypeShape;
}

test("are parameters of the query, as text or as JSON", () => {
  const { shapes } = readTypes(
    {
      ...{ at: "Date", until: "Date | null", size: "bigint", raw: "bytes", days: "Date[]" },
      ...{ tags: "Set<str>", page: "URL", exact: "-7n" },
    },
    "declare class URL { readonly searchParams: object }",
  );
  assert.equal(shapes, {
    at: ["str", DATE],
    until: ["str", { kind: "union", members: [{ kind: "null" }, DATE] }],
    size: ["str", BIGINT],
    raw: ["bytes", { kind: "bytes" }],
    days: ["json", { kind: "array", items: DATE }],
    tags: ["json", { kind: "array", items: { kind: "str" }, valueClass: "Set" }],
    page: ["str", textValue("URL", { format: "uri" })],
    exact: ["str", textValue("bigint", { pattern: "^-7$" })],
  });
});

test("of Temporal are strings with a format, for clients and in results", () => {
  const result = readSource(`
declare namespace Temporal {
  interface PlainDate { readonly year: number; toJSON(): string }
  interface Duration { readonly days: number; toJSON(): string }
  interface ZonedDateTime { readonly year: number; toJSON(): string }
}
interface PlainDate { readonly year: int }
interface Stay { from: Temporal.PlainDate; lasts: Temporal.Duration | null }
/** @plugin */
export function f(request: PluginRequest, day: Temporal.PlainDate, own: PlainDate,
  content: Stay, at?: Temporal.ZonedDateTime): Stay { return content; }`);
  assert.equal(result.diagnostics, []);
  const plugin = pluginNamed(result, "f");
  const day = { kind: "limited", base: { kind: "str" }, limits: { format: "date" } };
  const { shape, wire } = userParam(plugin, "day")!;
  assert.equal([shape, wire], [{ ...day, temporal: "PlainDate" }, "str"]);
  assert.equal(toJsonSchema(shape!), { type: "string", format: "date" });
  assert.is(userParam(plugin, "own")!.shape?.kind, "ref");
  assert.equal(Object.keys(result.types), ["PlainDate", "Stay"]);
  const { Stay } = result.types;
  assert.ok(Stay?.kind === "object" && Stay.properties[1]!.shape.kind === "union");
});

test("are found within arguments and results", () => {
  const result = readSource(`interface Buffer extends Uint8Array { equals(other: Buffer): boolean }
type All = {
  at: Date | null; counts: Map<str, int>; rows: ReadonlyMap<number, Date>; words: Map<"a" | "b", 1>;
  tags: ReadonlySet<bigint>; pairs: Map<{ n: int }, bytes>; data: Buffer;
};
/** @plugin */
export function f(request: PluginRequest, content: All): All { return content; }`);
  assert.equal(result.diagnostics, []);
  const { params, result: returned } = pluginNamed(result, "f");
  const type = result.types.All!;
  const content = params[1]!;
  assert.equal(content.kind === "reserved" && content.form, "json");
  assert.equal([content.shape, returned.shape], [{ kind: "ref", name: "All" }, content.shape]);
  assert.ok(type.kind === "object");
  const [pointShape, counts, rows, words, tags, pairs, data] = type.properties.map(
    ({ shape }) => shape,
  );
  assert.equal(pointShape, { kind: "union", members: [{ kind: "null" }, DATE] });
  const map = { kind: "object", properties: [], valueClass: "Map" };
  assert.equal(counts, { ...map, additional: { kind: "int" } });
  assert.ok(rows?.kind === "object" && rows.keys !== undefined && rows.hasNumberKeys);
  assert.equal(rows.additional, DATE);
  assert.ok(words?.kind === "object");
  assert.equal([words.keys, words.hasNumberKeys], ["^(?:a|b)$", undefined]);
  assert.equal(tags, { kind: "array", items: BIGINT, valueClass: "Set" });
  assert.ok(pairs?.kind === "array" && pairs.items.kind === "tuple");
  assert.equal([pairs.valueClass, pairs.items.items[1]], ["Map", BYTES]);
  assert.equal(data, { ...BYTES, isBuffer: true });
});

test("are bytes where a Buffer or a Uint8Array can be passed", () => {
  const { plugins, types, diagnostics } = readSource(`
interface Buffer extends Uint8Array { equals(other: Buffer): boolean }
/** @plugin */
export function f(request: PluginRequest, content: Buffer | Uint8Array, raw?: Buffer | bytes) {}
/** @plugin */
export function g(request: PluginRequest, content: { data: (Uint8Array | Buffer | null)[] }) {}`);
  const [content] = plugins[0]!.params.slice(1);
  assert.is(content!.kind === "reserved" && content!.form, "bytes");
  assert.equal([...diagnostics, ...checkPlugins(plugins, types, { executors: 1 })], []);
});

test("of a class with fromJSON accept what that method accepts", () => {
  const source = `
class Money { static fromJSON(of: { cents: int; day?: Date }): Money { return new Money(); } }
export class Odd { static fromJSON(of: str): int { return 1; } }
/** @plugin */
export function f(request: PluginRequest, one: Money, many: { of: Money[] } | null, odd?: Odd) {}`;
  const result = readSource(source);
  assert.equal(marks(result, source), ["SVC1040 Odd"]);
  const [single, many] = ["one", "many"].map((name) => userParam(pluginNamed(result, "f"), name));
  const maker = { module: "p.ts", exportPath: "svc$Money" };
  assert.equal([single!.makers, many!.makers, single!.wire], [[maker], [maker], "json"]);
  const { Money } = result.types;
  assert.ok(Money?.kind === "limited" && Money.base.kind === "object");
  assert.equal(Money.maker, maker);
});

test("give named types two forms only where arguments and results differ", () => {
  const { plugins, types } = readSource(`
class Money { static fromJSON(of: str): Money { return new Money(); } toJSON(): int { return 1; } }
interface Plain { at: Date } interface Line { price: Money }
interface Order { lines: Line[]; as: Plain }
/** @plugin */
export function f(request: PluginRequest, content: Order): Order { return content; }`);
  const { params, result } = plugins[0]!;
  assert.equal(Object.keys(types), ["Line", "Line_2", "Money", "Order", "Order_2", "Plain"]);
  assert.equal(
    [params[1]!.shape, result.shape],
    [
      ...[
        { kind: "ref", name: "Order" },
        { kind: "ref", name: "Order_2" },
      ],
    ],
  );
  const prices = ["Line", "Line_2"].map((name) => {
    const shape = types[name]!;
    return shape.kind === "object" && shape.properties[0]!.shape;
  });
  assert.equal(prices, [{ kind: "ref", name: "Money" }, { kind: "int" }]);
});

test("are reported where another member of a union looks the same in JSON", () => {
  const source = `
declare class URL { readonly searchParams: object }
type A = { when: Date }; type B = { when: string }; type T = { kind: "t"; of: A };
type Deep = { next: Deep | null; of: A | B };
/** @plugin */
export function f(request: PluginRequest, a: Date | string, b: (Date | URL)[], c: Set<int> | int[],
  d: A | B, e: T | { kind: "u"; of: B }, g: A | { other: str }, h: Deep, i: bigint | number,
  j: Map<str, int> | { a: int }) {}`;
  const { plugins, types, diagnostics } = readSource(source);
  assert.equal(diagnostics, []);
  const findings = checkPlugins(plugins, types, { executors: 1 }).filter(
    ({ severity }) => severity === "error",
  );
  assert.equal(
    findings.map(({ code, message }) => `${code} ${message.replace(/^.*: (.*), which.*/, "$1")}`),
    [
      "SVC1040 `a` can be `Date` or something else",
      "SVC1040 `b[]` can be `Date` and `URL`",
      "SVC1040 `c` can be `Set` or something else",
      "SVC1040 `d.when` can be `Date` or something else",
      "SVC1040 `h.of.when` can be `Date` or something else",
      "SVC1040 `j` can be `Map` or something else",
    ],
  );
});

test("keep a mapped Date, URL, Map or Set, but not a subset of its members", () => {
  const { shapes } = readTypes(
    {
      ...{ a: "Deep<{ at: Date }>", b: "Deep<{ at: Map<string, int> }>", c: "Partial<Set<str>>" },
      ...{ d: "Pick<Map<string, int>, 'size'>", e: "Deep<{ at: Own.Map }>" },
      ...{ f: "Deep<{ at: URL }>", g: "Pick<URL, 'href'>" },
    },
    `type Deep<T> = T extends object ? { [K in keyof T]?: Deep<T[K]> } : T;
declare class URL { readonly searchParams: object; readonly href: string }
namespace Own { export interface Map { forEach: int } }`,
  );
  const shapeAt = (name: string) => {
    const shape = shapes[name]![1] as Extract<TypeShape, { kind: "object" }>;
    return shape.properties[0]!.shape as { readonly kind: string; readonly valueClass?: string };
  };
  assert.equal(
    ["a", "b", "d", "e", "f", "g"].map((name) => shapeAt(name).valueClass ?? shapeAt(name).kind),
    [...["Date", "Map", "float", "object", "URL", "str"]],
  );
  assert.equal(shapes.c![1], { kind: "array", items: { kind: "str" }, valueClass: "Set" });
});

test.run();
