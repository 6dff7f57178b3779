// `graph.search` and the declaration of text indexes.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import { F_ID, F_TEXT, R_DICT } from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("search");

const PRODUCTS = {
  a: "Red running shoes",
  b: "Running shoes for trails, red and light",
  c: "Blue shoe polish",
  d: "Crème brûlée torch",
};

function makeShop(isBuilt = true) {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (const [id, title] of Object.entries(PRODUCTS)) {
    graph.createVertex(id, { type: "product", properties: { title, price: id.charCodeAt(0) } });
  }
  graph.createVertex("note", { type: "note", properties: { title: "red running notes" } });
  graph.index("text", { keys: ["title"], type: "product" });
  const processor = new TextProcessor(store, assert.unreachable);
  if (isBuilt) while (processor.run(1000));
  return { store, graph, processor };
}

for (const isBuilt of [true, false]) {
  test(`finds the best texts first, ${isBuilt ? "from segments" : "before they are built"}`, () => {
    const { graph } = makeShop(isBuilt);
    assert.equal(graph.search("red running"), ["a", "b"]);
    assert.equal(graph.search('"running shoes" -light'), ["a"]);
    assert.equal(graph.search("sho*").sort(), ["a", "b", "c"]);
    assert.equal(graph.search("creme"), ["d"]);
    assert.equal(graph.search("red polish"), []);
    assert.equal(graph.search("red polish", { match: "any" }).length, 3);
    assert.equal(graph.search("runing"), []);
    assert.equal(graph.search("runing", { fuzzy: 1 }), ["a", "b"]);
    assert.equal(graph.search("polich", { fuzzy: "auto" }), ["c"]);
    assert.equal(graph.search("red runn", { prefix: true }), ["a", "b"]);
  });
}

test("finds new texts at once", () => {
  const { graph, processor } = makeShop();
  const vertex = graph.openVertex("c");
  vertex.setProperty("title", "green running shoes");
  vertex.close();
  assert.equal(graph.search("polish"), []);
  assert.equal(graph.search("green"), ["c"]);
  while (processor.run(1000));
  assert.equal(graph.search("green"), ["c"]);
  graph.deleteVertex("c");
  assert.equal(graph.search("green"), []);
});

test("accepts the options of a vertex query", () => {
  const { graph } = makeShop();
  const found = graph.search("shoes", {
    condition: { property: { price: { lt: 98 } } },
    result: R_DICT,
    fields: F_ID | F_TEXT,
  }) as { id: string; text: number }[];
  assert.equal(
    found.map(({ id }) => id),
    ["a"],
  );
  assert.ok(found[0]!.text > 0);
  const counted = graph.search("red", { hits: 1, counts: true, result: "list" });
  assert.equal(counted, { search: [["a"]], counts: { vertices: 2 } });
  assert.equal(graph.search("red", { sortby: S_ID }), ["a", "b"]);
  const { explain } = graph.search("red", { explain: true, result: "list" }) as unknown as {
    explain: { plan: string[] };
  };
  assert.match(explain.plan[0]!, /^texts: 4 in 1 segments, 0 of them pending$/);
});

test("accepts any text, and finds nothing without words", () => {
  const { graph } = makeShop();
  for (const text of [
    "",
    " ",
    '"',
    '""',
    "-",
    "- -",
    "*",
    "-*",
    '-"',
    "a".repeat(5000),
    "\ud800",
  ]) {
    assert.equal(graph.search(text), [], text);
  }
});

test("ignores words beyond the limits of a text", () => {
  const { graph } = makeShop();
  const many = Array.from({ length: 40 }, () => "red").join(" ");
  assert.equal(graph.search(`${many} nothing`).length, 2);
  assert.equal(graph.search(`red ${" ".repeat(1000)} nothing`).length, 2);
});

test("rejects unknown options", () => {
  const { graph } = makeShop();
  assert.throws(() => graph.search("a", { in: "none" }), /unknown index of texts: 'none'/);
  assert.throws(() => graph.search("a", { keys: ["body"] }), /unknown key: 'body'/);
  assert.throws(() => graph.search("a", { keys: { title: 0 } }), /invalid keys parameter/);
  assert.throws(() => graph.search("a", { match: 0 }), /invalid match parameter/);
  assert.throws(() => graph.search("a", { fuzzy: 3 as 2 }), /invalid fuzzy parameter/);
  assert.throws(() => graph.search("a", { prefix: 1 as never }), /invalid prefix parameter/);
  assert.throws(() => graph.search(7 as never), /invalid text/);
  assert.throws(() => graph.search("a", { word: 1 } as never), /invalid keyword argument/);
});

test("declares and drops indexes", () => {
  const { graph } = makeShop();
  assert.throws(() => graph.index("text", { keys: [] }), /invalid keys of an index of texts/);
  assert.throws(() => graph.index("text", { keys: { a: { boost: -1 } } }), /invalid keys.a.boost/);
  assert.throws(() => graph.index("text", { keys: ["a"], language: "xx" }), /invalid language/);
  assert.throws(() => graph.index("text", { keys: ["a"], word: 1 } as never), /word/);
  for (let count = 1; count < 16; count++) graph.index("text", { keys: ["a"], name: `n${count}` });
  assert.throws(
    () => graph.index("text", { keys: ["a"], name: "n16" }),
    /too many indexes of texts/,
  );
  assert.is(graph.dropIndex("text", { name: "n3" }), true);
  assert.is(graph.dropIndex("text", { name: "n3" }), false);
  graph.index("text", { keys: ["a"], name: "n16" });
  assert.is(graph.textIndexes().length, 16);
  assert.equal(graph.search("red running", { in: "text" }), ["a", "b"]);
});

test("searches with synonyms and boosts", () => {
  const { graph } = makeShop();
  graph.index("text", {
    name: "other",
    keys: { title: { boost: 2 } },
    synonyms: [["sneaker", "shoes"]],
  });
  assert.equal(graph.search("sneaker", { in: "other" }), ["a", "b"]);
  assert.equal(graph.search("red", { in: "other" }).length, 3);
});

test.run();
