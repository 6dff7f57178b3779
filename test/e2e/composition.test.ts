// Plugins that user code makes, built and called: wrappers, factories, bound methods, builders.
// limit: 60 s

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect, promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HAS_PYTHON, PYTHON } from "../support/python.js";
import { RunningProject } from "./support/running-project.js";
import { get, svc } from "./support/server.js";
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

class Price {
  constructor(readonly cents: bigint) {}
  static fromJSON({ cents }: { cents: bigint }): Price {
    if (cents < 0n) throw new RangeError("a price of 0 or more is required");
    return new Price(cents);
  }
  toJSON(): { cents: bigint } { return { cents: this.cents }; }
}
interface Line { when: Date; price: Price; tags: Set<str>; data: Uint8Array; next?: Line | null }
interface Order { items: Line[]; stock: Map<int, bigint>; days: Map<Date, URL> }

/** Takes an order. @plugin */
export function order(_request: PluginRequest, content: Order, skip: bigint = 0n) {
  const days = [...content.items].map(({ when }) => when.getUTCFullYear());
  const cents = content.items.reduce((sum, { price }) => sum + price.cents, -skip);
  return { order: content, days, cents, size: content.items[0]?.tags.size };
}
/** Bytes in hex. @plugin */
export function hex(_request: PluginRequest, raw: Buffer | null, content: Buffer) {
  return [raw?.toString("hex") ?? null, content.toString("hex")];
}
/** The same in JSON. @plugin */
export function hexAll(_request: PluginRequest, content: { all: Buffer[]; plain: Uint8Array }) {
  return [...content.all, content.plain].map((bytes) => bytes.toString());
}
/** Streams lines. @plugin */
export async function* lines(_request: PluginRequest, content: Line[]) { yield* content; }
`;

const test = suite("plugins made by user code");
const project = new RunningProject(test, {
  "lib.ts": LIBRARY,
  "plugins/shop.ts": PLUGINS,
  "tsconfig.json": NODE_TYPES,
});

test("are called with converted arguments", async () => {
  const request = async (path: string, init: RequestInit = {}) => {
    const { json } = await get(project.server.port, `/svc/plugin/${path}`, init);
    return json.response ?? json.message;
  };
  assert.equal(await request("list?q=x", { headers: { "x-tenant": "t" } }), ["tx", "tx"]);
  assert.equal(await request("list?q=x&n=1"), ["nonex"]);
  assert.equal(await request("get?id=first"), { name: "a", price: 1.5 });
  const product = JSON.stringify({ name: "b", price: 2 });
  assert.is(await request("put?id=b", { method: "POST", body: product }), 2);
  assert.is(await request("stock?id=a"), 7);
  assert.equal([await request("count?by=2"), await request("counted")], [7, 7]);
  assert.equal([await request("addItem?item=b"), await request("basket")], [2, ["a", "b"]]);
  const { status } = await get(project.server.port, "/svc/plugin/clear");
  assert.is(status, 404);
  const invalidBody = JSON.stringify({ name: "b", price: "2" });
  assert.match(
    JSON.stringify(await request("put?id=b", { method: "POST", body: invalidBody })),
    "a number",
  );
  assert.match(JSON.stringify(await request("list?q=x&n=y")), "n=y");
});

test("take bytes of the declared class", async () => {
  const request = async (path: string, body: string) => {
    const { json } = await get(project.server.port, `/svc/plugin/${path}`, {
      method: "POST",
      body,
    });
    return json.response;
  };
  assert.equal(await request("hex?raw=a%00", "bc"), ["6100", "6263"]);
  assert.equal(await request("hex?raw", ""), [null, ""]);
  assert.equal(await request("hexAll", '{"all":["YWI="],"plain":"YQ=="}'), ["ab", "97"]);
});

test("accept and return dates and URLs", async () => {
  const request = async (query: string) => {
    const { json, status } = await get(project.server.port, `/svc/plugin/day?${query}`);
    return status === 200 ? json.response : [status, JSON.stringify(json.message)];
  };
  const date = "2026-02-28T12:00:00.000Z";
  const tags = { a: 1 };
  assert.equal(await request("at=2026-02-28T13:00:00%2B01:00&link=https://example.org/x"), {
    ...{ at: date, hours: 12, host: "example.org", tags },
  });
  assert.equal(await request(`at=${date}`), { at: date, hours: 12, host: null, tags });
  for (const [query, expectedMessage] of [
    ["at=tomorrow", "at=tomorrow (a date and time"],
    [`at=${date}&link=x`, "link=x (a URI"],
    [`at=${date}&link=http://[`, "link (a URL is required)"],
  ]) {
    const [status, message] = (await request(query!)) as [number, string];
    assert.is(status, 400);
    assert.match(message, expectedMessage!);
  }
});

const ORDER = {
  items: [
    {
      when: new Date("2026-02-28T12:00:00Z"),
      ...{ price: { cents: 12n ** 20n }, tags: new Set(["a", "b"]), data: Uint8Array.of(0, 255) },
      next: { when: new Date(0), price: { cents: 1n }, tags: new Set(), data: new Uint8Array() },
    },
  ],
  stock: new Map([[-1, 2n]]),
  days: new Map([[new Date(0), new URL("https://example.org/")]]),
};

test("accept and return class values of a generated client", async () => {
  const out = join(project.folder, "client");
  await svc("client", "--from", project.folder, "--out", out);
  const { Client } = await import(pathToFileURL(join(out, "index.js")).href);
  const client = new Client({ baseUrl: `http://127.0.0.1:${project.server.port}` });
  const response = await client.order({ content: ORDER, skip: 12n ** 20n - 5n });
  assert.is(inspect(response.order, { depth: 9 }), inspect(ORDER, { depth: 9 }));
  assert.equal([response.days, response.cents, response.size], [[2026], 5n, 2]);
  const streamed = [];
  for await (const line of client.lines({ content: ORDER.items })) streamed.push(line);
  assert.is(inspect(streamed, { depth: 9 }), inspect(ORDER.items, { depth: 9 }));
  assert.match(readFileSync(join(out, "index.d.ts"), "utf8"), "stock: Map<number, bigint>;");
});

const PYTHON_ORDER = `
from datetime import datetime, timezone
day = datetime(2026, 2, 28, 12, 0, 0, 500000, timezone.utc)
line = {"when": day, "price": {"cents": 12**20}, "tags": {"a"}, "data": b"\\x00\\xff", "next": None}
days = {day: "https://example.org/"}
content = {"items": [line], "stock": {-1: 2}, "days": days}
client = Client("URL")
answer = client.order(content=content, skip=12**20 - 5)
assert answer["order"] == content, answer
assert (answer["days"], answer["cents"], answer["size"]) == ([2026], 5, 1), answer
assert list(client.lines(content=[line, line])) == [line, line]
try:
    client.order(content={**content, "items": [{**line, "when": datetime(2026, 1, 1)}]})
except ValueError as error:
    print(error)
`;

(HAS_PYTHON ? test : test.skip)("take and give them from a Python client", async () => {
  const out = join(project.folder, "python");
  await svc("client", "--lang", "python", "--from", project.folder, "--out", out);
  const url = `http://127.0.0.1:${project.server.port}`;
  const script = `from client import *\n${PYTHON_ORDER.replace("URL", url)}`;
  const { stdout } = await promisify(execFile)(PYTHON, ["-W", "error", "-c", script], { cwd: out });
  assert.match(stdout, "datetime.datetime(2026, 1, 1, 0, 0) has no time zone");
  const text = readFileSync(join(out, "client.py"), "utf8");
  assert.match(text, "stock: Dict[float, int]");
  assert.match(text, "days: Dict[datetime.datetime, str]");
});

test("reject invalid class values with their path", async () => {
  const line = { when: "2026-02-28T12:00:00Z", price: { cents: "1" }, tags: ["a"], data: "AP8=" };
  const fine = { items: [line], stock: { 1: "2" }, days: [] };
  const request = async (content: object, query = "") => {
    const init = { method: "POST", body: JSON.stringify(content) };
    const { json, status } = await get(project.server.port, `/svc/plugin/order${query}`, init);
    const { svc: fault } = (json.message ?? {}) as { svc?: { value: string } };
    return { status, message: fault?.value ?? "", response: json.response as typeof fine };
  };
  const { status, response } = await request(fine, "?skip=-1");
  const items = [{ ...line, when: "2026-02-28T12:00:00.000Z" }];
  assert.equal(
    [status, response],
    [...[200, { order: { ...fine, items }, days: [2026], cents: "2", size: 1 }]],
  );
  const orderWith = (part: object) => ({ ...fine, items: [line, { ...line, ...part }] });
  const date = "content.items[1].when (a date and time is required)";
  const integer = "content.items[1].price.cents (an integer of at most 1000 digits, as a string";
  for (const [content, expectedMessage] of [
    [orderWith({ when: "2026-02-30T12:00:00Z" }), date],
    [orderWith({ when: "2026-02-28T23:59:60Z" }), date],
    [orderWith({ data: "AP8" }), "content.items[1].data (base64 is required)"],
    [orderWith({ data: [0] }), "content.items[1].data (bytes as base64 is required)"],
    [orderWith({ price: { cents: 1 } }), integer],
    [orderWith({ price: { cents: "9".repeat(1001) } }), integer],
    [orderWith({ price: { cents: "-1" } }), "content.items[1].price (a price of 0 or more is"],
    [orderWith({ tags: { a: 1 } }), "content.items[1].tags (an array is required)"],
    [{ ...fine, stock: { x: "1" } }, "content.stock.x (an integer as key is"],
    [{ ...fine, days: [["2026-02-28T12:00:00Z"]] }, "content.days[0] (an array of 2 is required)"],
  ] as const) {
    const { status: code, message } = await request(content);
    assert.is(code, 400, expectedMessage);
    assert.ok(message.includes(expectedMessage), `${message}: ${expectedMessage}`);
  }
  assert.match((await request(fine, "?skip=1.5")).message, "skip=1.5 (an integer");
  const hidden = { ...fine, stock: JSON.parse('{"__proto__":"1"}') };
  assert.is((await request(hidden)).status, 200);
});

test.run();
