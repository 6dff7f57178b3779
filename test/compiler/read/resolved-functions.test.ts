// Plugins that user code makes: wrapped functions, members of factories, bound methods. Their
// signature is the one that the checker resolves.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReadResult } from "../../../compiler/read/file-reading.js";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ProjectFixture } from "../project-fixture.js";
import { codes, marks, pluginNamed, readSource } from "../reading.js";

const test = suite("plugins made by user code");

const WRAPPERS = `
interface Tenant { id: string }
type Handler<A extends unknown[], R> =
  (request: PluginRequest, tenant: Tenant, ...args: A) => R;
function withTenant<A extends unknown[], R>(fn: Handler<A, R>) {
  return async (request: PluginRequest, ...args: A) => fn(request, { id: "t" }, ...args);
}
function timed<F extends (...args: never[]) => unknown>(fn: F): F { return fn; }
function loose(fn: Function): any { return fn; }
function untyped(fn: (...args: any[]) => unknown) {
  return (request: PluginRequest, ...args: any[]) => fn(request, ...args);
}
`;

/** Parameters as `name: kind`, `?` for optional ones, and the shape of the result. */
function describe(result: ReadResult, name: string) {
  const plugin = pluginNamed(result, name);
  const params = plugin.params.flatMap((param) =>
    param.kind === "user" ? [`${param.name}${param.required ? "" : "?"}: ${param.shape.kind}`] : [],
  );
  return { params, result: plugin.result.shape?.kind, plugin };
}

test("have the signature of a wrapper with the parameters of the wrapped function", () => {
  const result = readSource(`${WRAPPERS}
/**
 * Lists products.
 * @plugin
 * @readonly
 * @param q what to look for
 * @minimum n 1
 */
export const list = withTenant(
  async (request, tenant, q: str, n: int = 10): Promise<{ id: int }[]> => [],
);
/** @plugin */
export const find = timed((request: PluginRequest, /** @maxLength 3 */ id: str) => 1.5);
`);
  assert.equal(result.diagnostics, []);
  const list = describe(result, "list");
  assert.equal(list.params, ["q: str", "n?: limited"]);
  assert.is(list.result, "array");
  const { plugin } = list;
  assert.equal([plugin.async, plugin.readonly, plugin.summary], [true, true, "Lists products."]);
  assert.equal(
    plugin.params.map(({ name }) => name),
    ["request", "q", "n"],
  );
  const [, q, n] = plugin.params;
  assert.is(q?.description, "what to look for");
  assert.equal(n?.kind === "user" && n.default, { kind: "value", value: 10 });
  assert.equal(describe(result, "find").params, ["id: limited"]);
});

test("may be several members of a factory's result, with instantiated types", () => {
  const result = readSource(
    `import { crud } from "./crud.js";
interface Product { name: str; price: float }
/** Products. @plugin */
export const { get, put: save, table } = crud<Product>("product");
`,
    {
      "crud.ts": `import type { PluginRequest, str } from "svc-server";
export function crud<T>(table: string) {
  const rows = new Map<string, T>();
  return {
    table,
    /** Reads one. @readonly @param id its key */
    get: (request: PluginRequest, id: str): T | null => rows.get(id) ?? null,
    put(request: PluginRequest, id: str, content: T): void { rows.set(id, content); },
  };
}`,
    },
  );
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ name }) => name),
    ["get", "save"],
  );
  const get = describe(result, "get").plugin;
  assert.equal([get.summary, get.readonly], ["Reads one.", true]);
  assert.is(get.params[1]?.description, "its key");
  assert.equal(get.result.shape, {
    kind: "union",
    members: [{ kind: "null" }, { kind: "ref", name: "Product" }],
  });
  const save = describe(result, "save").plugin;
  const content = save.params.find(({ name }) => name === "content");
  assert.equal(content?.kind === "reserved" && [content.form, content.shape], [
    "json",
    { kind: "ref", name: "Product" },
  ]);
  assert.equal([save.summary, save.readonly, save.exportPath], ["Products.", false, "save"]);
});

test("use their own documentation, completed by the comment at the tag", () => {
  const result = readSource(
    `import { find } from "./find.js";
/** Not this. @plugin @graph shop
 * @deprecated soon
 * @throws {Error} second */
export const look = wrap(find);
function wrap<F>(fn: F): F { return fn; }
`,
    {
      "find.ts": `import type { Graph, PluginRequest } from "svc-server";
/** Finds. @graph stock
 * @throws {Error} first */
export function find(request: PluginRequest, graph: Graph): null { return null; }`,
    },
  );
  const { graph, summary, deprecated, throws } = describe(result, "look").plugin;
  assert.equal([graph, summary, deprecated], ["stock", "Finds.", true]);
  assert.is(throws[0]?.description, "first");
});

test("may be bound methods and functions under another name", () => {
  const result = readSource(
    `import { Shop } from "./shop.js";
export { internal as external } from "./shop.js";
const shop = new Shop(new Map());
/** @plugin */
export const buy = shop.buy.bind(shop);
/** @plugin */
export const wrapped = plugin({ name: "wrapped", readonly: true }, shop.again);
/** @plugin */
export const alias = buy;
`,
    {
      "shop.ts": `import type { PluginRequest, str, int } from "svc-server";
export class Shop {
  constructor(private readonly stock: Map<string, int>) {}
  buy(request: PluginRequest, id: str, count: int = 1): int { return this.stock.get(id) ?? count; }
  again = (request: PluginRequest, id: str): str => id;
}
/** @plugin */
export function internal(request: PluginRequest): str { return ""; }`,
    },
  );
  assert.equal(result.diagnostics, []);
  assert.equal(describe(result, "buy").params, ["id: str", "count?: int"]);
  assert.equal(describe(result, "alias").params, ["id: str", "count?: int"]);
  assert.is(describe(result, "external").result, "str");
  const { params, plugin } = describe(result, "wrapped");
  assert.equal([params, plugin.readonly], [["id: str"], true]);
});

test("may come from builders, whose parameters have inferred types", () => {
  const result = readSource(`
function route<P extends object>(read: (query: object) => P) {
  return {
    handle<R>(fn: (request: PluginRequest, input: P) => R) {
      return (request: PluginRequest, input: P) => fn(request, input);
    },
  };
}
/** @plugin */
export const search = route(() => ({ q: "", limit: 1 })).handle((request, input) => input.q);
`);
  assert.equal(result.diagnostics, []);
  assert.equal(describe(result, "search").params, ["input: object"]);
});

test("are reported where a signature is unknown", () => {
  const source = `${WRAPPERS}
/** @plugin */
export const a = loose((request: PluginRequest, q: str) => q);
/** @plugin */
export const b = untyped((request: PluginRequest, q: str) => q);
/** @plugin */
export const c = withTenant(async <T>(request: PluginRequest, tenant: Tenant, q: T) => q);
declare const unnamed: (request: PluginRequest, ...args: [str, int]) => void;
/** @plugin */
export const d = unnamed;
/** @plugin */
export const e = 5;
`;
  const result = readSource(source);
  assert.equal(
    marks(result, source).map((mark) => mark.split(" ").slice(0, 2).join(" ")),
    ["SVC1016 a", "SVC1016 b", "SVC1011 c", "SVC1016 d", "SVC1003 @plugin"],
  );
  const messages = result.diagnostics.map(({ message }) => message);
  assert.match(messages[0]!, "`a` is unknown: `loose(…)` returns any");
  assert.match(messages[1]!, "`...args` is of type `any[]` in the result of `untyped(…)`");
  assert.match(messages[4]!, "must be above a function, not `5`");
});

test("are reported at the tag, also above other values", () => {
  const result = readSource(`
class Shop { buy(request: PluginRequest) { return 1; } }
/** @plugin */
export const shop = new Shop();
/** @plugin */
export const table = { get: (request: PluginRequest) => 1, size: 2, "a b": () => 1 };
/** @plugin */
export let maybe: (() => void) | undefined;
`);
  assert.equal(
    result.diagnostics.map(({ code, help }) => [code, help]),
    [
      ["SVC1003", "the tag above a method of the class"],
      ["SVC1003", "`export const { get } = …`"],
      ["SVC1003", "`/** @plugin */ export function name(request: PluginRequest) { ... }`"],
    ],
  );
});

test("take types from the contextual function type", () => {
  const result = readSource(`
type Handler = (request: PluginRequest, id: int, content: { n: int }, deep?: boolean) => str;
/** @plugin */
export const find: Handler = (request, key, content, deep) => "";
/** @plugin @minimum id 1 */
export const look = ((request, id) => "") satisfies Handler as Handler;
/** @plugin */
export const keep: Handler = (request, id, content, deep = true) => "";
`);
  assert.equal(result.diagnostics, []);
  assert.equal(describe(result, "find").params, ["key: int", "deep?: bool"]);
  assert.equal(describe(result, "look").params, ["id: limited"]);
  assert.equal(describe(result, "keep").params, ["id: int", "deep?: bool"]);
  const content = describe(result, "find").plugin.params.find(({ name }) => name === "content");
  assert.is(content?.shape?.kind, "object");
});

test("are methods of a default export, and of classes with mixins", () => {
  const result = readSource(`
class Core<T extends str> { /** @plugin */ ping(request: PluginRequest, a: T): T { return a; } }
function timed<B extends new (...args: any[]) => object>(Base: B) {
  return class extends Base {
    /** @plugin */
    now(request: PluginRequest, zone: str = "utc"): str { return zone; }
  };
}
export default new (timed(Core<"a">))();
`);
  assert.equal(result.diagnostics, []);
  assert.equal(
    result.plugins.map(({ exportPath }) => exportPath),
    ["default.now", "default.ping"],
  );
  assert.equal(describe(result, "now").params, ["zone?: str"]);
  assert.equal(describe(result, "ping").params, ["a: literal"]);
});

test("are members of other modules that a namespace, a class or a variable exports", () => {
  const files = {
    "shop.ts": `import type { PluginRequest, str } from "svc-server";
export * as tools from "./tools.js";
class Stock { /** @plugin */ left(request: PluginRequest, id: str) { return id; } }
/** @plugin */
export function buy(request: PluginRequest, id: str): str { return id; }
export const stock = new Stock();
export class Tools { /** @plugin */ static mend(request: PluginRequest) { return 1; } }
const crud = () => ({ read: (request: PluginRequest, id: str) => id });
/** @plugin */
export const { read } = crud();
`,
    "tools.ts": 'export * as back from "./shop.js";',
  };
  const paths = (source: string) => {
    const result = readSource(source, files);
    assert.equal(result.diagnostics, []);
    return result.plugins.map(({ name, exportPath }) => `${name} ${exportPath}`);
  };
  assert.equal(paths('export * as shop from "./shop.js";'), [
    ...["buy shop.buy", "left shop.stock.left", "mend shop.Tools.mend", "read shop.read"],
  ]);
  assert.equal(paths('export { stock, Tools as Kit, read as get } from "./shop.js";'), [
    ...["get get", "left stock.left", "mend Kit.mend"],
  ]);
});

test("are members of arrays, and methods of exported instances", () => {
  const result = readSource(`
const pair = () =>
  [(request: PluginRequest, a: int) => a, (request: PluginRequest) => "b"] as const;
/** @plugin */
export const [first, second] = pair();
class Shop {
  constructor(private readonly stock: int) {}
  /** Sells. @plugin sell @readonly */
  buy(request: PluginRequest, id: str): int { return this.stock; }
}
export const shop = new Shop(1);
`);
  assert.equal(result.diagnostics, []);
  assert.equal(describe(result, "first").params, ["a: int"]);
  assert.is(describe(result, "second").result, "str");
  const { params, plugin } = describe(result, "sell");
  assert.equal([params, plugin.exportPath, plugin.readonly], [["id: str"], "shop.buy", true]);
});

test("are functions of other modules that a tagged export names", () => {
  const result = readSource(
    `/** Renamed. @plugin */
export { inner as outer, other } from "./inner.js";
`,
    {
      "inner.ts": `import type { PluginRequest, int } from "svc-server";
export function inner(this: void, request: PluginRequest, n: int = 3): int { return n; }
export const other = (request: PluginRequest): string => "";`,
    },
  );
  assert.equal(result.diagnostics, []);
  assert.equal(describe(result, "outer").params, ["n?: int"]);
  assert.equal(describe(result, "other").plugin.summary, "Renamed.");
});

test("are reported where their class or instance is not exported, or they are hidden", () => {
  const result = readSource(`
class Shop {
  /** @plugin */
  buy(request: PluginRequest): int { return 1; }
  /** @plugin */
  private sell(request: PluginRequest): int { return 1; }
}
const shop = new Shop();
class Other {
  /** @plugin */
  static buy(request: PluginRequest): int { return 1; }
}
`);
  assert.equal(
    result.diagnostics.map(({ code }) => code),
    ["SVC1002", "SVC1003", "SVC1002"],
  );
});

test("are tagged in a list of exports", () => {
  const result = readSource(`
const find = (request: PluginRequest, id: str) => id;
export { find, /** Looks. @plugin */ find as look };
`);
  assert.equal([describe(result, "look").params, result.diagnostics], [["id: str"], []]);
});

test("are reported with parameters that lose their name", () => {
  const { diagnostics } = readSource(`${WRAPPERS}
/** @plugin */
export const a = withTenant((request, tenant, { deep }: { deep?: boolean }) => deep);
/** @plugin */
export const b = withTenant((request, tenant, ...ids: int[]) => ids);
`);
  assert.equal(
    diagnostics.map(({ code, help }) => [code, help]),
    [
      ["SVC1016", "a parameter with a name, which the body destructures"],
      ["SVC1016", "one parameter that is an array: `name: int[]`"],
    ],
  );
});

test("do not hide an ineffective tag at the same position in another file", () => {
  const imports = 'import type { PluginRequest } from "svc-server";';
  const project = new ProjectFixture({
    "p.ts": `${imports}/** @plugin */ interface Point {}\nexport { f } from "./q.js";`,
    "q.ts": `${imports}/** @plugin */ export function f(request: PluginRequest) { return 1; }`,
  });
  const { plugins, diagnostics } = new PluginReader(project.dir, ["p.ts"]).read();
  assert.equal([plugins.length, codes(diagnostics)], [1, ["SVC1003"]]);
});

test("are read from packages only if a tag requests it", () => {
  const declarations = `import type { PluginRequest } from "svc-server";
/** Finds. @plugin */
export declare function find(request: PluginRequest, a: string): string;
/** @plugin */
export declare const list: typeof find;
export declare function other(): void;
`;
  const files = {
    "node_modules/tools/package.json": '{ "name": "tools", "types": "index.d.ts" }',
    "node_modules/tools/index.d.ts": declarations,
  };
  const names = (source: string) => {
    const result = readSource(source, files);
    return [...marks(result, source), ...result.plugins.map(({ name }) => name)];
  };
  assert.equal(names('/** @plugin */\nexport { find as look } from "tools";'), ["look"]);
  assert.equal(names('export { find, other } from "tools";'), ["SVC1017 find"]);
  assert.equal(names('import { list } from "tools";\nexport { list };'), ["SVC1017 list"]);
  const reexports = 'export * from "tools";';
  assert.equal(names(reexports), [`SVC1017 ${reexports}`, `SVC1017 ${reexports}`]);
});

test.run();
