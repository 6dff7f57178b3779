// Limits of searches over HTTP: any text is a search, and each limit is an error that names it.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Random, SEED } from "../property/support/random.js";
import { MatrixNode } from "./support/matrix.js";
import { get } from "./support/server.js";

const test = suite("search limits");
let node: MatrixNode;

test.before(async () => {
  node = await MatrixNode.start();
  const documents = Array.from({ length: 50 }, (_, index) => ({
    id: `p${index}`,
    title: `red ${index}`,
  }));
  await node.order("load", { name: "shop", type: "product", documents, ways: [] });
});
test.after(() => node.kill());

async function search(text: string, query: object) {
  const params = new URLSearchParams({ graph: "shop", text, query: JSON.stringify(query) });
  return get(node.port, `/svc/builtin/search?${params}`);
}

const REFUSED: readonly (readonly [query: object, message: RegExp])[] = [
  [{ facets: { title: 1001 } }, /facet 'title' has 1001 values; the maximum is 1000 over HTTP/],
  [{ facets: { title: { top: 5000 } } }, /the maximum is 1000 over HTTP/],
  [{ hits: 10_001 }, /the maximum is 10000 over HTTP: page with a cursor/],
  [{ hits: 10, offset: 9_991 }, /hits and offset are 10001 together/],
  [{ rerank: 10_001 }, /invalid rerank/],
  [{ highlight: { title: 20_001 }, result: "dict" }, /invalid highlight/],
  [{ facets: { a: { property: "title", ranges: Array(65).fill(0) } } }, /invalid ranges/],
  [
    { facets: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`f${index}`, 1])) },
    /invalid number of facets: 17/,
  ],
  [{ facets: { colour: 3 } }, /unknown property: 'colour'/],
  [{ groupBy: "colour" }, /unknown property: 'colour'/],
  [{ keys: ["colour"] }, /unknown key: 'colour'/],
  [{ highlight: ["colour"], result: "dict" }, /unknown key: 'colour'/],
  [{ in: "other" }, /unknown text index: 'other'/],
  [{ cursor: "c3AAAA" }, /invalid cursor: altered, or of another query/],
  [{ statistics: { documents: -1 } }, /invalid statistics/],
  [{ language: "xx" }, /invalid language/],
];

for (const [query, message] of REFUSED) {
  test(`refuses ${JSON.stringify(query).slice(0, 60)}`, async () => {
    const response = await search("red", query);
    assert.ok(response.status >= 400, response.text);
    assert.match(response.text, message);
  });
}

test("accepts the largest values", async () => {
  const query = { facets: { title: 1000 }, hits: 10_000, rerank: 10_000, counts: true };
  const { status, json, text } = await search("red", query);
  assert.is(status, 200, text);
  assert.equal((json.response as { counts: object }).counts, { vertices: 50 });
});

test("accepts any text", async () => {
  const random = new Random();
  const pieces = [
    '"',
    "-",
    "*",
    " ",
    "red",
    "\\",
    "'",
    "(",
    "ß",
    "好",
    "\u{1f600}",
    "\u0000",
    "AND",
  ];
  const texts = Array.from({ length: 60 }, () =>
    random.list(random.of([5, 40, 900]), () => random.of(pieces)).join(""),
  );
  for (const text of [...texts, "", " ", "-", '"', '""', "*", "a".repeat(3000)]) {
    const options = { prefix: random.below(2) === 0, fuzzy: random.of([0, 1, 2, "auto"]) };
    const response = await search(text, { ...options, match: random.of(["all", "any", 3]) });
    assert.is(response.status, 200, `seed ${SEED} ${JSON.stringify(text)} ${response.text}`);
  }
});

test("reports that the rest of a long text is ignored", async () => {
  const { json } = await search("red ".repeat(500), { counts: true });
  assert.match(String((json.response as { bounded: string }).bounded), /1000 characters/);
});

test.run();
