// Graph queries over a matrix of 2 x 2 engines, against an engine with all documents: searches with
// facets, groups and cursors, whose pages continue on other replicas.
// limit: 60 s
// takes 5 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MatrixNode, matrix, type TestMatrix } from "./support/matrix.js";
import type { GraphContent } from "./support/matrix-node.js";
import { get } from "./support/server.js";

const test = suite("matrix queries");
const RED = { text: "red" };
const WORDS = ["red", "redder", "blue", "shoe", "boot", "light", "trail"];
const BRANDS = ["Acme", "Zeta", "Omega"];
const DOCUMENTS = Array.from({ length: 300 }, (_, index) => ({
  id: `p${index}`,
  title: WORDS.filter((_word, bit) => ((index * 37 + 11) >> bit) & 1).join(" ") || "red",
  brand: BRANDS[(index * 7) % 3]!,
  price: (index * 13) % 50,
  vector: index % 10 === 9 ? null : [index % 17, (index * 5) % 23, index + 1],
}));

let lowerMatrix: TestMatrix;
let parentNode: MatrixNode;
let wholeNode: MatrixNode;

/** By partition; `goal` is in both, and so is `p15`, without its vector in the first. */
const WAYS = [
  [
    ["root", "a", "b", "goal"],
    ["root", "c", "goal"],
    ["p16", "p15"],
  ],
  [["root", "d", "e", "goal"]],
];

function buildContent(documents: typeof DOCUMENTS, ways: GraphContent["ways"]): GraphContent {
  return { name: "shop", type: "product", documents, ways };
}

test.before(async () => {
  lowerMatrix = await matrix(2, 2);
  wholeNode = await MatrixNode.start();
  await wholeNode.order("load", buildContent(DOCUMENTS, WAYS.flat()));
  for (const [partition, replicas] of lowerMatrix.places.entries()) {
    // The first partition is larger, so statistics of partitions differ.
    const share = DOCUMENTS.filter((_, index) => (index % 3 === 0 ? 1 : 0) === partition);
    await Promise.all(
      replicas.map(({ engine }) => engine.order("load", buildContent(share, WAYS[partition]!))),
    );
  }
  const addresses = [{ host: "127.0.0.1", port: lowerMatrix.dispatcher.port }];
  parentNode = await MatrixNode.start({
    dispatcher: { partitions: [addresses], replicas: [{}] },
    processors: false,
  });
});

test.after(async () => {
  await Promise.all([parentNode.kill(), wholeNode.kill()]);
  await lowerMatrix.stop();
});

interface Result {
  readonly cursor?: string | null;
  readonly search?: readonly unknown[];
  readonly [member: string]: unknown;
}

async function request(
  { port }: MatrixNode,
  name: string,
  query: object,
  parameters: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Result> {
  const params = { graph: "shop", query: JSON.stringify(query), ...parameters };
  const response = await get(port, `/svc/builtin/${name}?${new URLSearchParams(params)}`, init);
  assert.is(response.status, 200, response.text);
  return response.json.response as Result;
}

const FACETS = {
  brand: { top: 2, stats: "price", distinct: "title" },
  price: { ranges: [10, 25] },
  ".type": 3,
  from: { arc: ["has", "D_IN"] },
};

const PRODUCT = { type: "product" };

const cut = ({ cursor, ...result }: Result) =>
  JSON.parse(
    JSON.stringify({ ...result, isLast: cursor === null }, (_, value: unknown) =>
      typeof value === "number" ? Number(value.toPrecision(6)) : value,
    ),
  ) as unknown;

const QUERIES: readonly [name: string, query: object, parameters: Record<string, string>][] = [
  ["search", { cursor: true, facets: FACETS, counts: true }, { text: "red shoe" }],
  ["search", { cursor: true, match: "any", fields: ["id", "text"] }, { text: "re* boot" }],
  ["search", { cursor: true, fuzzy: "auto", groupBy: "brand" }, { text: "bloe" }],
  [
    "search",
    { statistics: true, facets: { brand: 3 }, result: "R_DICT", fields: ["id", "text"], hits: 0 },
    { text: "red -blue" },
  ],
  ["search", { cursor: true, groupBy: { key: "price", stats: "price" }, hits: 7 }, { text: "red" }],
  [
    "vertices",
    { cursor: true, condition: PRODUCT, sortby: "S_ID|S_DESC", facets: FACETS, groupBy: "price" },
    {},
  ],
  ["vertices", { sortby: "S_ID", condition: PRODUCT, offset: 5, result: "R_LIST" }, {}],
  ["arcs", { cursor: true, arc: ["has"], facets: { brand: 3 } }, {}],
  ["arcs", { incomplete: true, sortby: "S_VAL", hits: 0 }, {}],
  ["neighbor", { id: "root", cursor: true, arc: ["has"], facets: FACETS, groupBy: "brand" }, {}],
];

for (const [name, query, parameters] of QUERIES) {
  test(`${name} ${JSON.stringify(query)} gives the result of one graph`, async () => {
    for (const dispatcher of [lowerMatrix.dispatcher, parentNode]) {
      let [paged, complete]: unknown[] = [(query as { cursor?: true }).cursor, true];
      const isPaged = paged === true;
      for (let page = 0; page < (isPaged ? 3 : 1) && paged !== null; page++) {
        const with_ = (cursor: unknown) => (isPaged ? { ...query, cursor } : query);
        const expected = await request(wholeNode, name, with_(paged), parameters);
        const merged = await request(dispatcher, name, with_(complete), parameters);
        assert.equal(cut(merged), cut(expected), `page ${page}`);
        [paged, complete] = [expected.cursor ?? null, merged.cursor ?? null];
      }
    }
  });
}

test("a POST gives the same result as a GET", async () => {
  const body = JSON.stringify({ cursor: true, facets: FACETS });
  const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
  const posted = await request(lowerMatrix.dispatcher, "search", {}, { text: "red shoe" }, init);
  const queried = await request(lowerMatrix.dispatcher, "search", JSON.parse(body), {
    text: "red shoe",
  });
  assert.equal(posted, queried);
});

const NEAREST = [{ hits: 7 }, { hits: 4, condition: { property: { price: { lt: 10 } } } }];

for (const query of NEAREST) {
  for (const anchor of [{ vector: [3, 1, 2] }, { id: "p15" }, { id: "p16" }]) {
    const params = { ...query, ...anchor };
    test(`nearest ${JSON.stringify(params)} gives the vertices of one graph`, async () => {
      const expected = await request(wholeNode, "nearest", params);
      assert.ok((expected as unknown as readonly unknown[]).length > 0);
      for (const dispatcher of [lowerMatrix.dispatcher, parentNode]) {
        assert.equal(cut(await request(dispatcher, "nearest", params)), cut(expected));
      }
    });
  }
}

test("MatrixObjects adds up the vectors", async () => {
  const vectors = DOCUMENTS.filter(({ vector }) => vector !== null).length;
  const response = await get(lowerMatrix.dispatcher.port, "/svc/builtin/MatrixObjects");
  assert.is((response.json.response as { objects: { vectors: number } }).objects.vectors, vectors);
});

test("nearest explains each partition", async () => {
  const params = { hits: 3, vector: [3, 1, 2], explain: true };
  for (const { port } of [lowerMatrix.dispatcher, parentNode]) {
    const query = encodeURIComponent(JSON.stringify(params));
    const { text } = await get(port, `/svc/builtin/nearest?graph=shop&query=${query}`);
    const { nearest, explain } = JSON.parse(text).response;
    assert.is(nearest.length, 3);
    assert.match(explain.plan[0], /^partition 0: nearest vectors: all vectors: \d+ candidates$/);
    assert.is(explain.matched, 6);
  }
});

test("nearest to a vertex that no partition has is an error", async () => {
  for (const { port } of [wholeNode, lowerMatrix.dispatcher, parentNode]) {
    const response = await get(port, "/svc/builtin/nearest?graph=shop&id=nobody");
    assert.is(response.status, 404);
    assert.match(response.text, /Object does not exist: 'nobody'/);
  }
});

test("nearest to a vertex that has no vector in any partition is an error", async () => {
  for (const { port } of [wholeNode, lowerMatrix.dispatcher, parentNode]) {
    const response = await get(port, "/svc/builtin/nearest?graph=shop&id=goal");
    assert.is(response.status, 400, response.text);
    assert.match(response.text, /id=goal \(it has no vector\)/);
  }
});

test("a partial result does not report a vertex as missing", async () => {
  const places = [lowerMatrix.place(1, 0).engine.port, 1].map((port) => [
    { host: "127.0.0.1", port },
  ]);
  const partial = await MatrixNode.start({
    dispatcher: { partitions: places, replicas: [{}], options: { "allow-incomplete": true } },
    processors: false,
  });
  const queries = [
    ["neighbor", { id: "p1" }],
    ["paths", { id: "root", to: "p1" }],
    ["nearest", { id: "p1" }],
    // The other partition may have its vector.
    ["nearest", { id: "goal" }],
    // The other partition may have values of the property.
    ["vertices", { facets: { colour: 3 } }],
  ] as const;
  try {
    for (const [name, query] of queries) {
      const params = new URLSearchParams({ graph: "shop", query: JSON.stringify(query) });
      const response = await get(partial.port, `/svc/builtin/${name}?${params}`);
      assert.is(response.status, 503, response.text);
      assert.match(response.text, /"Partition\(s\) down"/);
      const path = `/svc/builtin/${name}?graph=shop`;
      const posted = { method: "POST", body: JSON.stringify(query) };
      assert.is((await get(partial.port, path, posted)).status, 503);
    }
    // A request for one partition is complete.
    const headers = { "X-SVC-Partial-Target": "0" };
    const { port } = partial;
    const target = await get(port, "/svc/builtin/neighbor?graph=shop&id=p1", { headers });
    assert.is(target.status, 404, target.text);
  } finally {
    await partial.kill();
  }
});

const WAY = { id: "root", arc: "leads" };
const PATHS: readonly [query: object, found: number][] = [
  [{ ...WAY, hits: -1 }, 6],
  [{ ...WAY, repeat: [2, 3], hits: 3 }, 3],
  [{ id: "root", arc: "has", neighbor: { property: { price: { lt: 3 } } } }, 18],
  [{ ...WAY, to: "goal" }, 1],
  [{ ...WAY, to: "goal", k: 9 }, 3],
  [{ ...WAY, to: "goal", maxDepth: 1, incomplete: true }, 0],
  // It is in one partition only.
  [{ ...WAY, to: "p15", arc: "has", hits: -1 }, 1],
];

for (const [query, expectedPaths] of PATHS) {
  test(`paths ${JSON.stringify(query)} gives the paths of one graph`, async () => {
    const sorted = (result: Result) => {
      const isPlain = Array.isArray(result);
      const list = (isPlain ? result : result.shortestPaths) as readonly unknown[];
      return [isPlain, list.map((path) => JSON.stringify(path)).sort()] as const;
    };
    const expected = sorted(await request(wholeNode, "paths", query));
    assert.is(expected[1].length, expectedPaths);
    for (const dispatcher of [lowerMatrix.dispatcher, parentNode]) {
      assert.equal(sorted(await request(dispatcher, "paths", query)), expected);
    }
  });
}

test("paths are merged by length, then by ids", async () => {
  const merged = await request(lowerMatrix.dispatcher, "paths", { ...WAY, repeat: [1, 2] });
  const ends = ["a", "c", "d"].map((id) => ["root", id]);
  const next = [
    ["a", "b"],
    ["c", "goal"],
    ["d", "e"],
  ].map((ids) => ["root", ...ids]);
  assert.equal(merged, [...ends, ...next]);
  const query = encodeURIComponent(JSON.stringify({ ...WAY, explain: true, hits: 1 }));
  const { text } = await get(parentNode.port, `/svc/builtin/paths?graph=shop&query=${query}`);
  const { paths, explain } = JSON.parse(text).response;
  assert.equal(paths, [["root", "a"]]);
  assert.match(explain.plan.join(), /partition 1: /);
});

test("a cursor continues although a replica is lost", async () => {
  const read = async (node: MatrixNode, between: (page: number) => void) => {
    const ids: unknown[] = [];
    let cursor: unknown = true;
    for (let page = 0; cursor !== null; page++) {
      const result = await request(node, "search", { cursor, hits: 9 }, { text: "red" });
      ids.push(...result.search!);
      cursor = result.cursor ?? null;
      between(page);
    }
    return ids;
  };
  const expected = await read(wholeNode, () => {});
  const kills: Promise<unknown>[] = [];
  const pages = await read(lowerMatrix.dispatcher, (page) => {
    // The next page is requested while they die.
    if (page === 1) kills.push(lowerMatrix.place(0, 0).kill(), lowerMatrix.place(1, 1).kill());
  });
  await Promise.all(kills);
  assert.is(kills.length, 2);
  assert.ok(expected.length > 30);
  assert.equal(pages, expected);
});

test("errors of the query are those of one graph", async () => {
  const failed = async (node: MatrixNode, name: string, query: object, parameters = {}) => {
    const params = { graph: "shop", query: JSON.stringify(query), ...parameters };
    const response = await get(node.port, `/svc/builtin/${name}?${new URLSearchParams(params)}`);
    return [response.status, response.text] as const;
  };
  for (const node of [wholeNode, lowerMatrix.dispatcher, parentNode]) {
    const [status, body] = await failed(node, "search", { facets: { colour: 3 } }, RED);
    assert.ok(status >= 400, body);
    assert.match(body, /unknown property: 'colour'/);
    const missing = await failed(node, "neighbor", { id: "nobody" });
    assert.match(missing[1], /does not exist: 'nobody'/);
    assert.match((await failed(node, "paths", { id: "nobody" }))[1], /does not exist: 'nobody'/);
    const unknown = { ...WAY, to: "nowhere" };
    assert.match((await failed(node, "paths", unknown))[1], /does not exist: 'nowhere'/);
    const neither = { ...unknown, id: "nobody" };
    assert.match((await failed(node, "paths", neither))[1], /does not exist: 'nobody'/);
    assert.match((await failed(node, "paths", { ...WAY, colour: 1 }))[1], /colour/);
    assert.match((await failed(node, "search", { cursor: "c3abc" }, RED))[1], /invalid cursor/);
  }
});

test.run();
