// Types of parameters and results as shapes: any notation of what JSON can carry.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { TypeShape } from "../../../compiler/record/type-shape.js";
import { pluginNamed, readSource, readTypes, userParam } from "../reading.js";

const test = suite("type shapes");

const INT: TypeShape = { kind: "int" };
const FLOAT: TypeShape = { kind: "float" };
const STR: TypeShape = { kind: "str" };
const NULL: TypeShape = { kind: "null" };
const literal = (value: string | number | boolean): TypeShape => ({ kind: "literal", value });
const union = (...members: TypeShape[]): TypeShape => ({ kind: "union", members });
const array = (items: TypeShape): TypeShape => ({ kind: "array", items });
const JSON_VALUE: TypeShape = { kind: "json" };
const ref = (name: string): TypeShape => ({ kind: "ref", name });

test("support scalars and brands", () => {
  const { shapes } = readTypes(
    {
      ...{ a: "int", b: "float", c: "str", d: "bytes", e: "json" },
      ...{ f: "number", g: "string", h: "boolean", i: "Uint8Array", j: "whole" },
      ...{ k: "int | null", l: "string | null", m: 'Point["x"]', n: "string & { tag?: 1 }" },
      ...{ o: "unknown", p: "{}", q: "object", r: "int | float", s: "null", t: "boolean | null" },
    },
    `import type { int as whole } from "svc-server";
interface Point { x: int }`,
  );
  assert.equal(shapes, {
    a: ["int", INT],
    b: ["float", FLOAT],
    c: ["str", STR],
    d: ["bytes", { kind: "bytes" }],
    e: ["json", { kind: "json" }],
    f: ["float", FLOAT],
    g: ["str", STR],
    h: ["json", { kind: "bool" }],
    i: ["bytes", { kind: "bytes" }],
    j: ["int", INT],
    k: ["int", union(NULL, INT)],
    l: ["str", union(NULL, STR)],
    m: ["int", INT],
    n: ["str", STR],
    o: ["str", STR],
    p: ["str", STR],
    q: [
      "json",
      union({ kind: "object", properties: [], additional: JSON_VALUE }, array(JSON_VALUE)),
    ],
    r: ["float", FLOAT],
    s: ["json", NULL],
    t: ["json", union(NULL, { kind: "bool" })],
  });
});

const TEMPLATE = "`v${number}.${string}`";

test("support literals, enums, template literals and keyof", () => {
  const { shapes, types } = readTypes(
    {
      ...{ a: '"fast" | "exact"', b: "1 | 2", c: "1 | 2.5", d: '"a" | 3', e: "Mode" },
      ...{ f: "Color", g: "Level", h: TEMPLATE, i: "keyof Point", j: "true" },
    },
    `type Mode = "b" | "a";
enum Color { Red = "red", Blue = "blue" }
enum Level { Low, High = 5 }
interface Point { x: int; y: int }`,
  );
  assert.equal(shapes.a, ["str", union(literal("exact"), literal("fast"))]);
  assert.equal(shapes.b, ["int", union(literal(1), literal(2))]);
  assert.equal(shapes.c, ["float", union(literal(1), literal(2.5))]);
  assert.is(shapes.d![0], "json");
  assert.equal(shapes.e, ["str", ref("Mode")]);
  assert.equal(types.Mode, union(literal("a"), literal("b")));
  assert.equal(shapes.f, ["str", ref("Color")]);
  assert.equal(types.Color, union(literal("red"), literal("blue")));
  assert.equal(shapes.g, ["int", ref("Level")]);
  assert.equal(types.Level, union(literal(0), literal(5)));
  const pattern = shapes.h![1];
  assert.is(pattern.kind, "pattern");
  if (pattern.kind === "pattern") {
    const matches = (text: string) => new RegExp(pattern.source).test(text);
    assert.equal(["v1.x", "v-2.5.", "v1x", "xv1.x", "v.x"].map(matches), [
      true,
      true,
      false,
      false,
      false,
    ]);
  }
  assert.equal(shapes.i, ["str", union(literal("x"), literal("y"))]);
  assert.equal(shapes.j, ["json", literal(true)]);
});

test("omit members of a union that no value can have", () => {
  const { shapes, types } = readTypes(
    {
      a: 'Event & { kind: "a" }',
      b: '{ at: Event & { kind: "c" } }',
      c: '{ at: { kind: "a" } & { kind: "b" } }',
    },
    `type Event = { kind: "a"; n: int } | { kind: "b"; s: str };`,
  );
  const property = (name: string, shape: TypeShape) => ({
    ...{ name, shape, optional: false, description: "" },
  });
  assert.equal(shapes.a, [
    "json",
    {
      kind: "object",
      properties: [property("kind", literal("a")), property("n", INT)],
      additional: null,
    },
  ]);
  for (const name of ["b", "c"]) {
    assert.equal(shapes[name]![1], {
      kind: "object",
      properties: [property("at", NULL)],
      additional: null,
    });
  }
  assert.equal(types, {});
});

test("refer to a named type from a tuple within it", () => {
  const { shapes, types } = readTypes(
    { a: "{ next?: List<int> }", b: "NonNullable<List<str>>" },
    "type List<T> = null | [T, List<T>];",
  );
  const pair = (item: TypeShape, name: string): TypeShape => ({
    ...{ kind: "tuple", items: [item, ref(name)], required: 2, rest: null },
  });
  const [next] = (shapes.a![1] as Extract<TypeShape, { kind: "object" }>).properties;
  assert.equal(next!.shape, union(NULL, pair(INT, "List_int_")));
  assert.equal(shapes.b![1], pair(STR, "List_string_"));
  assert.equal(types.List_string_, union(NULL, pair(STR, "List_string_")));
});

test("never allow undefined in lists: it is rejected as input and null as output", () => {
  const { shapes } = readTypes({
    ...{
      a: "(string | undefined)[]",
      b: "[string | undefined, int?]",
      c: "(int | null | undefined)[]",
    },
    ...{ d: "[...(string | undefined)[]]" },
  });
  assert.equal(shapes.a, ["json", array(STR)]);
  assert.equal(shapes.b, ["json", { kind: "tuple", items: [STR, INT], required: 1, rest: null }]);
  assert.equal(shapes.c, ["json", array(union(NULL, INT))]);
  assert.equal(shapes.d, ["json", array(STR)]);
  const result = readSource(`
/** @plugin */
export function f(request: PluginRequest): [(string | undefined)[], string | undefined, int?] {
  return [[undefined], undefined];
}`);
  const text = union(NULL, STR);
  assert.equal(pluginNamed(result, "f").result.shape, {
    kind: "tuple",
    items: [array(text), text, INT],
    required: 2,
    rest: null,
  });
});

test("support arrays, tuples, objects and mapped types", () => {
  const { shapes } = readTypes({
    ...{ a: "int[]", b: "readonly (string | null)[]", c: "[x: int, y?: string, ...rest: float[]]" },
    ...{ d: "{ a: int; b?: string; c: string | undefined }", e: "Record<string, int>" },
    ...{ f: 'Record<"a" | "b", int>', g: "Partial<{ a: int }>", h: "{ a: int } & { b: str }" },
    ...{
      i: 'Omit<{ a: int; b: int }, "a">',
      j: "{ [key: string]: int; a: int }",
      k: "Array<int[]>",
    },
  });
  const property = (name: string, shape: TypeShape, optional = false) => ({
    name,
    optional,
    shape,
    description: "",
  });
  const object = (...properties: ReturnType<typeof property>[]): TypeShape => ({
    kind: "object",
    properties,
    additional: null,
  });
  assert.equal(
    Object.fromEntries(Object.entries(shapes).map(([name, [, shape]]) => [name, shape])),
    {
      a: array(INT),
      b: array(union(NULL, STR)),
      c: { kind: "tuple", items: [INT, STR], required: 1, rest: FLOAT },
      d: object(property("a", INT), property("b", STR, true), property("c", STR, true)),
      e: { kind: "object", properties: [], additional: INT },
      f: object(property("a", INT), property("b", INT)),
      g: object(property("a", INT, true)),
      h: object(property("a", INT), property("b", STR)),
      i: object(property("b", INT)),
      j: { kind: "object", properties: [property("a", INT)], additional: INT },
      k: array(array(INT)),
    },
  );
  assert.ok(Object.values(shapes).every(([wire]) => wire === "json"));
});

test("share named types, instantiate generics, and end recursion", () => {
  const { shapes, types } = readTypes(
    {
      a: "Page<Point>",
      b: "Page<int>",
      c: "Tree",
      d: "Partial<Loop>",
      e: "Point | null",
      f: "List",
    },
    `
interface Page<T> { items: T[]; 
  /** the one behind */
  next?: Page<T> }
interface Point { x: int }
type Tree = { value: int; children: Tree[] };
interface Loop { self: Partial<Loop> }
type List = [int, List?];`,
  );
  assert.equal(shapes.a, ["json", ref("Page_Point_")]);
  assert.equal(shapes.b, ["json", ref("Page_int_")]);
  assert.equal(shapes.c, ["json", ref("Tree")]);
  assert.equal(shapes.e, ["json", union(NULL, ref("Point"))]);
  assert.equal(types.Page_Point_, {
    kind: "object",
    properties: [
      { name: "items", optional: false, shape: array(ref("Point")), description: "" },
      { name: "next", optional: true, shape: ref("Page_Point_"), description: "the one behind" },
    ],
    additional: null,
  });
  assert.equal(Object.keys(types), [...Object.keys(types)].sort());
  // Every ref has its entry.
  const refs = [...JSON.stringify([shapes, types]).matchAll(/"kind":"ref","name":"([^"]+)"/g)];
  assert.equal(
    refs.map(([, name]) => name).filter((name) => !(name! in types)),
    [],
  );
});

test("number types of one name by file and position", () => {
  const others = {
    "b.ts": "export interface Point { b: string }",
    "a.ts": "export interface Point { a: string }\nexport interface Point_2 { c: string }",
  };
  const result = readSource(
    `import type { Point as B } from "./b.js";
import type { Point as A, Point_2 } from "./a.js";
/** @plugin */
export function f(request: PluginRequest, b: B, a: A, c: Point_2) { return null; }`,
    others,
  );
  const plugin = pluginNamed(result, "f");
  assert.equal(
    ["a", "b", "c"].map((name) => userParam(plugin, name).shape),
    [ref("Point"), ref("Point_3"), ref("Point_2")],
  );
});

test("order a union independently of other files", () => {
  const source = `
/** @plugin */
export function f(request: PluginRequest, mode: "fast" | "exact" | 3 | "auto") { return null; }`;
  const alone = readSource(source);
  const others = {
    "a.ts": `export const x: "exact" | "auto" = "exact"; export const y: 3 | "fast" = 3;`,
  };
  const together = readSource(`import { x } from "./a.js"; export const z = x;${source}`, others);
  assert.equal(
    userParam(pluginNamed(alone, "f"), "mode").shape,
    userParam(pluginNamed(together, "f"), "mode").shape,
  );
});

test("do not use names of generated declarations for user types", () => {
  const { types } = readTypes(
    { a: "Record", b: "PluginEntry", c: "constructor", d: "Größe", e: "$", f: "_" },
    `interface Record { a: int } interface PluginEntry { b: int } interface constructor { c: int }
interface Größe { d: int } interface $ { e: int } interface _ { f: int }`,
  );
  assert.equal(Object.keys(types), [
    "Gr_e",
    "PluginEntry_2",
    "Record_2",
    "_",
    "__2",
    "constructor",
  ]);
});

test("omit union members that another one contains", () => {
  const { shapes } = readTypes({
    a: '"fast" | (string & {})',
    b: "1 | 2.5 | float",
    c: "1 | 2.5 | int",
    d: `\`v-\${string}\` | string | null`,
  });
  assert.equal(shapes, {
    a: ["str", STR],
    b: ["float", FLOAT],
    c: ["float", union(literal(2.5), INT)],
    d: ["str", union(NULL, STR)],
  });
});

test("ignore user-defined brands of scalars", () => {
  const { shapes, types } = readTypes(
    { a: "Name", b: "Meters", c: "UserId", d: "Name | null", e: "{ n: Name }", f: "Slug" },
    `declare const tag: unique symbol;
type Name = string & { __brand: "name" };
type Meters = number & { [tag]: "meters" };
type UserId = int & { [tag]: "user" };
type Slug = \`s-\${string}\` & { __brand: "slug" };`,
  );
  assert.equal(types, {});
  assert.equal(shapes, {
    a: ["str", STR],
    b: ["float", FLOAT],
    c: ["int", INT],
    d: ["str", union(NULL, STR)],
    e: [
      "json",
      {
        kind: "object",
        properties: [{ name: "n", optional: false, shape: STR, description: "" }],
        additional: null,
      },
    ],
    f: ["str", { kind: "pattern", source: "^s-[\\s\\S]*$" }],
  });
});

test("support promises, responses, mixes, and reject what cannot be rendered", () => {
  const source = `
class City { constructor(readonly name: string) {} }
class Money { toJSON(): string { return "1"; } }
export const a = plugin(async (request: PluginRequest) => ({ at: new Date(), cost: new Money() }));
export const b = plugin(
  async (request: PluginRequest): Promise<PluginResponse<int, string[]>> => null!);
export const c = plugin.pre((request: PluginRequest) => request);
export const d = plugin.pre(
  (request: PluginRequest): PluginRequest | PluginResponse | int => request);
export const e = plugin((request: PluginRequest) => {});
export const f = plugin((request: PluginRequest): int | null => 1);
export const g = plugin((request: PluginRequest) => new WeakSet([request]));
export const h = plugin((request: PluginRequest) => ({ list: [new City("x")] }));
export const i = plugin((r: PluginRequest): PluginResponse<{ x: int }, WeakMap<City, 1>> => null!);
export const j = plugin((request: PluginRequest): PluginRequest => request);
export const k = plugin((request: PluginRequest) => "abc".match(/b/));
export const l = plugin((request: PluginRequest): unknown => 1);
`;
  const result = readSource(source);
  const record = (name: string) => pluginNamed(result, name).result;
  assert.equal(JSON.stringify(record("a").shape).match(/"kind":"\w+"/g), [
    '"kind":"object"',
    '"kind":"limited"',
    '"kind":"str"',
    '"kind":"str"',
  ]);
  assert.is(pluginNamed(result, "a").async, true);
  assert.equal(record("b"), {
    kind: "response",
    shape: { kind: "tuple", items: [INT, array(STR)], required: 2, rest: null },
    typeText: "Promise<PluginResponse<int, string[]>>",
  });
  assert.equal([record("c").kind, record("c").shape], ["request", NULL]);
  assert.equal([record("d").kind, record("d").shape], ["union", { kind: "json" }]);
  assert.equal([record("e").kind, record("e").shape], ["value", NULL]);
  assert.equal(record("f").shape, union(NULL, INT));
  assert.equal(record("k").shape, union(NULL, array(STR)));
  assert.equal(record("l").shape, { kind: "json" });
  assert.equal(
    result.diagnostics.map(({ code, message }) => `${code} ${message}`),
    [
      "SVC1041 the result of `g` is a WeakSet",
      "SVC1041 the result of `h`, at `.list[]`, is an instance of class `City`",
      "SVC1041 the result of `i` is a WeakMap",
      "SVC1044 sort keys of type `{ x: int; }` have no order",
      "SVC1045 engine `j` returns a PluginRequest; only dispatchers can",
    ],
  );
});

test("keep branded and constrained scalars in mapped types over objects", () => {
  const { shapes, types } = readTypes(
    { partial: "DeepPartial<Order>", readonly: "DeepReadonly<Order>", json: "Jsonify<Order>" },
    `
type DeepPartial<T> = T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
type DeepReadonly<T> = T extends (...a: never[]) => unknown ? T
  : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Jsonify<T> = T extends { toJSON(): infer R } ? R
  : T extends object ? { [K in keyof T]: Jsonify<T[K]> } : T;
/** @minLength 1 */ type Name = str;
/** @minimum 1 */ type Count = int;
interface Order { id: int; price: float; of: { count: Count; name: Name }; }`,
  );
  const limited = (base: TypeShape["kind"], limits: object) => ({
    kind: "limited",
    base: { kind: base },
    limits,
  });
  for (const [, shape] of Object.values(shapes)) {
    const types = flatten(shape);
    assert.equal(types.id, { kind: "int" });
    assert.equal(types.price, { kind: "float" });
    assert.equal(types.count, limited("int", { minimum: 1 }));
    assert.equal(types.name, limited("str", { minLength: 1 }));
  }

  function flatten(shape: TypeShape): Record<string, TypeShape> {
    const named = shape.kind === "ref" ? types[shape.name]! : shape;
    if (named.kind !== "object") return {};
    return Object.assign(
      {},
      ...named.properties.map((part) => ({ [part.name]: part.shape, ...flatten(part.shape) })),
    );
  }
});

test("keep scalars in mapped types that rename or leave out keys", () => {
  const { shapes } = readTypes(
    { plain: "Plain<Order>", named: "Named<Order>", part: "DeepPartial<Order>" },
    `import type { Minimum } from "svc-server";
type Plain<T> = T extends { toJSON(): infer R } ? R : T extends (infer E)[] ? Plain<E>[]
  : T extends object ? { [K in keyof T as T[K] extends Function ? never : K]: Plain<T[K]> } : T;
type Named<T> = T extends (infer E)[] ? Named<E>[]
  : T extends object ? { [K in keyof T as K extends symbol ? never : K]: Named<T[K]> } : T;
type DeepPartial<T> = T extends (infer E)[] ? DeepPartial<E>[]
  : T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
/** @minimum 1 */ type Count = int;
interface Order { id: int; count: Count; least: int & Minimum<2>; list: int[] }`,
  );
  for (const [, shape] of Object.values(shapes)) {
    assert.is(shape.kind, "object");
    const parts = shape.kind === "object" ? shape.properties : [];
    assert.equal(
      parts.map((part) => part.shape),
      [
        INT,
        { kind: "limited", base: INT, limits: { minimum: 1 } },
        { kind: "limited", base: INT, limits: { minimum: 2 } },
        array(INT),
      ],
    );
  }
});

test("report mapped types over methods of scalars and arrays", () => {
  const { diagnostics } = readSource(`
import type { int, PluginRequest as Request } from "svc-server";
type DeepOmit<T> = T extends object ? { [K in Exclude<keyof T, "x">]: DeepOmit<T[K]> } : T;
type Named<T> = T extends object
  ? { [K in keyof T as K extends symbol ? never : K]: Named<T[K]> } : T;
/** @plugin */ export function a(_: Request, content: DeepOmit<{ n: int }>): int { return 1; }
/** @plugin */ export function b(_: Request, content: Named<{ l: int[] }>): int { return 1; }`);
  assert.equal(
    diagnostics.map(({ code, message }) => [code, message]),
    [
      ["SVC1040", "parameter `content`: `content.n` is a mapped type over a number"],
      ["SVC1040", "parameter `content`: `content.l` is a mapped type over an array"],
    ],
  );
});

test("restrict the keys of records", () => {
  const { shapes } = readTypes({
    n: "Record<number, str>",
    i: "Record<int, str>",
    t: "{ [key: `x-${string}`]: str }",
    s: "{ [key: string]: str; [key: number]: str }",
  });
  const keys = Object.values(shapes).map(([, shape]) => {
    return shape.kind === "object" ? shape.keys : shape.kind;
  });
  const [number, integer, prefix, any] = keys;
  const admits = (pattern: string | undefined) => {
    return ["x", "1", "-1.5", "x-a"].filter((key) => new RegExp(pattern!).test(key));
  };
  assert.equal(admits(number), ["1", "-1.5"]);
  assert.equal(admits(integer), ["1"]);
  assert.equal(admits(prefix), ["x-a"]);
  assert.is(any, undefined);
});

test.run();
