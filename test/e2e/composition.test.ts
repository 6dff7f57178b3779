// Plugins that user code makes, built and called: wrappers, factories, bound methods, builders.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RunningProject } from "./support/running-project.js";
import { get } from "./support/server.js";
import { NODE_TYPES } from "./support/temporary-project.js";

const LIBRARY = `import type { int, PluginRequest, str } from "svc-server";

type Handler<A extends unknown[], R> = (request: PluginRequest, tenant: string, ...args: A) => R;

export function withTenant<A extends unknown[], R>(fn: Handler<A, R>) {
  return async (request: PluginRequest, ...args: A): Promise<Awaited<R>> =>
    await fn(request, request.header("x-tenant") ?? "none", ...args);
}

export function crud<T extends object>(first: T) {
  const rows = new Map<string, T>([["first", first]]);
  return {
    /** Reads one. @readonly */
    get: (_request: PluginRequest, id: str): T | null => rows.get(id) ?? null,
    put(_request: PluginRequest, id: str, content: T): int {
      rows.set(id, content);
      return rows.size;
    },
  };
}

export function counters(start: int) {
  let n = start;
  return [
    /** Counts. */
    (_request: PluginRequest, by: int): int => (n += by),
    () => "not exported",
    (_request: PluginRequest): int => n,
  ] as const;
}

export class Basket {
  constructor(private readonly items: string[]) {}
  /** Adds an item. @plugin @param item what to add */
  addItem(_request: PluginRequest, item: str): int { return this.items.push(item); }
  /** @plugin basket */
  list(_request: PluginRequest): string[] { return this.items; }
  clear(_request: PluginRequest): void { this.items.length = 0; }
}

export class Shop {
  readonly #stock: Map<string, int>;
  constructor(stock: Map<string, int>) { this.#stock = stock; }
  stock(_request: PluginRequest, id: str): int { return this.#stock.get(id) ?? 0; }
}
`;
const PLUGINS = `import type { float, int, PluginRequest, str } from "svc-server";
import { Basket, counters, crud, Shop, withTenant } from "../lib.js";

interface Product { name: str; price: float }

/** Lists. @plugin */
export const list = withTenant(async (_request: PluginRequest, tenant, q: str, n: int = 2) =>
  Array.from({ length: n }, () => tenant + q),
);
/** Products. @plugin */
export const { get, put } = crud<Product>({ name: "a", price: 1.5 });
const shop = new Shop(new Map([["a", 7]]));
/** @plugin */
export const stock = shop.stock.bind(shop);

/** @plugin */
export const [count, , counted] = counters(5);
export const basket = new Basket(["a"]);

/** @plugin */
export function day(_request: PluginRequest, at: Date, link: URL | null = null) {
  return { at, hours: at.getUTCHours(), host: link?.host ?? null, tags: new Map([["a", 1]]) };
}
`;

const test = suite("plugins made by user code");
const project = new RunningProject(test, {
  "lib.ts": LIBRARY,
  "plugins/shop.ts": PLUGINS,
  "tsconfig.json": NODE_TYPES,
});

test("are called with converted arguments", async () => {
  const ask = async (path: string, init: RequestInit = {}) => {
    const { json } = await get(project.server.port, `/svc/plugin/${path}`, init);
    return json.response ?? json.message;
  };
  assert.equal(await ask("list?q=x", { headers: { "x-tenant": "t" } }), ["tx", "tx"]);
  assert.equal(await ask("list?q=x&n=1"), ["nonex"]);
  assert.equal(await ask("get?id=first"), { name: "a", price: 1.5 });
  const product = JSON.stringify({ name: "b", price: 2 });
  assert.is(await ask("put?id=b", { method: "POST", body: product }), 2);
  assert.is(await ask("stock?id=a"), 7);
  assert.equal([await ask("count?by=2"), await ask("counted")], [7, 7]);
  assert.equal([await ask("addItem?item=b"), await ask("basket")], [2, ["a", "b"]]);
  const { status } = await get(project.server.port, "/svc/plugin/clear");
  assert.is(status, 404);
  const wrong = JSON.stringify({ name: "b", price: "2" });
  assert.match(JSON.stringify(await ask("put?id=b", { method: "POST", body: wrong })), "a number");
  assert.match(JSON.stringify(await ask("list?q=x&n=y")), "n=y");
});

test("take and give dates and URLs", async () => {
  const ask = async (query: string) => {
    const { json, status } = await get(project.server.port, `/svc/plugin/day?${query}`);
    return status === 200 ? json.response : [status, JSON.stringify(json.message)];
  };
  const at = "2026-02-28T12:00:00.000Z";
  const tags = { a: 1 };
  assert.equal(await ask("at=2026-02-28T13:00:00%2B01:00&link=https://example.org/x"), {
    ...{ at, hours: 12, host: "example.org", tags },
  });
  assert.equal(await ask(`at=${at}`), { at, hours: 12, host: null, tags });
  for (const [query, says] of [
    ["at=tomorrow", "at=tomorrow (a date and time"],
    [`at=${at}&link=x`, "link=x (a URI"],
    [`at=${at}&link=http://[`, "link=http://["],
  ]) {
    const [status, message] = (await ask(query!)) as [number, string];
    assert.is(status, 400);
    assert.match(message, says!);
  }
});

test.run();
