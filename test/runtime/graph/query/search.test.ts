// `graph.search` and the declaration of text indexes.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID, S_RANK, S_TEXT } from "../../../../runtime/base/sort-constants.js";
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
    const { counts } = graph.search("polich", { fuzzy: "auto", hits: 0, counts: true });
    assert.is(counts.vertices, 1);
    assert.equal(graph.search("red runn", { prefix: true }), ["a", "b"]);
  });
}

test("tests many matches against the indexed candidates of a condition", () => {
  const { graph, processor } = makeShop();
  for (let index = 0; index < 4000; index++) {
    graph.createVertex(`p${index}`, { type: "product", properties: { title: "red kettle" } });
    if (index % 100 === 0) graph.connect(`p${index}`, "in", "kitchen");
  }
  while (processor.run(1000));
  const options = {
    condition: { adjacent: { arc: "in", neighbor: "kitchen" } },
    counts: true,
  } as const;
  const explained = [
    graph.search("kettle", { ...options, explain: true }),
    graph.search("kettle", { ...options, explain: true, cursor: true }),
    graph.search("kettle", { ...options, explain: true, facets: { title: 1 } }),
  ];
  for (const { counts, explain } of explained) {
    assert.equal(counts, { vertices: 40 });
    assert.ok(explain.plan.includes("condition: arcs of named vertices: 40 candidates"));
  }
  const { explain } = graph.search("kettle", { ...options, hits: 1, counts: false, explain: true });
  assert.ok(explain.plan.includes("condition: tested for each match"));
});

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
  const result = graph.search("shoes", {
    condition: { property: { price: { lt: 98 } } },
    result: R_DICT,
    fields: F_ID | F_TEXT,
  }) as { id: string; text: number }[];
  assert.equal(
    result.map(({ id }) => id),
    ["a"],
  );
  assert.ok(result[0]!.text > 0);
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
  const unknown = /unknown text index: 'none'\n {2}in is "none"; expected: text/;
  assert.throws(() => graph.search("a", { in: "none" }), unknown);
  graph.dropIndex("text");
  assert.throws(() => graph.search("a"), /expected: none: declare one with graph.index/);
  graph.index("text", { keys: ["title"] });
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
  assert.throws(() => graph.index("text", { keys: [] }), /invalid keys of a text index/);
  assert.throws(() => graph.index("text", { keys: { a: { boost: -1 } } }), /invalid keys.a.boost/);
  assert.throws(() => graph.index("text", { keys: ["a"], language: "xx" }), /invalid language/);
  assert.throws(() => graph.index("text", { keys: ["a"], word: 1 } as never), /word/);
  for (let count = 1; count < 16; count++) graph.index("text", { keys: ["a"], name: `n${count}` });
  assert.throws(() => graph.index("text", { keys: ["a"], name: "n16" }), /too many text indexes/);
  assert.is(graph.dropIndex("text", { name: "n3" }), true);
  assert.is(graph.dropIndex("text", { name: "n3" }), false);
  graph.index("text", { keys: ["a"], name: "n16" });
  assert.is(graph.textIndexes().length, 16);
  assert.equal(graph.search("red running", { in: "text" }), ["a", "b"]);
});

test("rejects an index of values that a constraint requires to be other than text", () => {
  const { graph } = makeShop();
  graph.constrain({ type: "product", key: "price", value: "integer" });
  graph.constrain({ type: "product", key: "title", value: "string" });
  const index = { name: "other", type: "product", keys: ["title", "price"] };
  assert.throws(
    () => graph.index("text", index),
    (error: Error) =>
      error.name === "ValueError" &&
      /'price' of type 'product' has values of kind integer/.test(error.message),
  );
  assert.is(graph.textIndexes().length, 1);
  graph.index("text", { ...index, keys: ["title"], columns: ["price"] });
  graph.index("text", { ...index, type: null });
  assert.is(graph.textIndexes().length, 2);
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
  graph.createVertex("later", { properties: { title: "Shoes" } });
  assert.equal(graph.search("sneaker", { in: "other" }), ["later", "a", "b"]);
});

test("counts a text once for all its words with a prefix", () => {
  const { graph } = makeShop(false);
  // One more than a byte can count.
  const title = Array.from({ length: 256 }, (_, number) => `unit${number}`).join(" ");
  graph.createVertex("many", { type: "product", properties: { title } });
  assert.equal(graph.search("unit*"), ["many"]);
});

for (const isBuilt of [true, false]) {
  const state = isBuilt ? "from segments" : "before they are built";
  test(`searches texts in conditions, ${state}`, () => {
    const { graph } = makeShop(isBuilt);
    graph.connect("note", "about", "a");
    graph.connect("note", "about", "c");
    const find = (condition: object) => graph.vertices({ condition, sortby: S_ID });
    assert.equal(find({ text: "red running" }), ["a", "b"]);
    assert.equal(find({ text: { query: "runing", fuzzy: "auto" } }), ["a", "b"]);
    assert.equal(find({ type: "product", text: [false, "red"] }), ["c", "d"]);
    assert.equal(find({ or: [{ text: "torch" }, { text: "polish" }] }), ["c", "d"]);
    assert.equal(find({ adjacent: { arc: "about", neighbor: { text: "polish" } } }), ["note"]);
    assert.equal(graph.neighborhood("note", { neighbor: { text: "polish" } }), ["c"]);
    const scored = { condition: { text: "red" }, fields: ["text"], result: "simple" } as const;
    const scores = graph.search("red", { fields: ["text"], result: "simple" });
    assert.equal(graph.vertices({ ...scored, sortby: S_TEXT }), scores);
    const { explain } = graph.vertices({ condition: { text: "red" }, explain: true });
    assert.match(explain.plan[0]!, /^index: texts: 2 candidates|^all vertices/);
  });
}

test("ranks by the words and keys that match", () => {
  for (const isBuilt of [true, false]) {
    const store = GraphStore.create("test", TEST_THREAD);
    const graph = openStore(store);
    graph.createVertex("a", { properties: { title: "red", body: "red red shoe" } });
    graph.createVertex("b", { properties: { title: "shoe", body: "blue coat" } });
    graph.createVertex("c", { properties: { body: "red" } });
    graph.index("text", { keys: { title: { boost: 2 }, body: {} } });
    const processor = new TextProcessor(store, assert.unreachable);
    if (isBuilt) while (processor.run(1000));
    const show = (rank: string, options: object = {}) => {
      const shown = { rank, sortby: S_RANK, fields: ["id", "rankscore"], result: "list" } as const;
      return graph.search("red shoe", { match: "any", ...shown, ...options }).sort();
    };
    assert.equal(
      show("text.words"),
      [
        ["a", 2],
        ["b", 1],
        ["c", 1],
      ].sort(),
    );
    const title = new Map(show("text['title']") as [string, number][]);
    assert.ok(title.get("a")! > 0 && title.get("b")! > 0);
    assert.is(title.get("c"), 0);
    assert.equal(show("text['title'] - keyscore('title')"), [
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
    assert.equal(show("text['none']"), [
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
    const only = show("text['body'] - text.score", { keys: ["body"] }) as [string, number][];
    assert.ok(only.every(([, rank]) => Math.abs(rank) < 1e-6));
    const condition = { text: { query: "red shoe", match: "any" } } as const;
    const byWords = { condition, rank: "text.words", sortby: S_RANK, hits: 1 };
    assert.equal(graph.vertices(byWords), ["a"]);
    assert.is(graph.evaluate("text.words + text['title']", { head: "a" }), 0);
  }
});

test("rejects malformed conditions on texts", () => {
  const { graph } = makeShop();
  const expectRejection = (text: unknown, message: RegExp) =>
    assert.throws(() => graph.vertices({ condition: { text } as never }), message);
  expectRejection(5, /Invalid text condition/);
  expectRejection({}, /condition\.text\.text is undefined/);
  expectRejection({ query: "red", typos: 1 }, /condition\.text\.typos is 1; expected: query, in/);
  expectRejection({ query: "red", in: "other" }, /unknown text index/);
});

test("ranks by the score of the text, only the best texts on request", () => {
  const { graph } = makeShop();
  const rank = "text.score";
  const ranked = { rank, sortby: S_RANK, fields: ["rankscore"], result: "simple" } as const;
  const scores = graph.search("red", { fields: ["text"], result: "simple" });
  assert.equal(graph.search("red", ranked), scores);
  assert.equal(graph.vertices({ ...ranked, condition: { text: "red" } }), scores);
  const byPrice = { rank: "vertex['price']", sortby: S_RANK } as const;
  assert.equal(graph.search("red", byPrice), ["b", "a"]);
  assert.equal(graph.search("red", { ...byPrice, rerank: 1 }), ["a"]);
  const counted = graph.search("red", {
    ...byPrice,
    rerank: 1,
    counts: true,
    facets: { price: 2 },
  });
  assert.equal(counted.counts, { vertices: 2 });
  assert.is(counted.facets.price.length, 2);
  assert.throws(() => graph.search("red", { rerank: 0 }), /invalid rerank/);
});

for (const isBuilt of [true, false]) {
  const state = isBuilt ? "from segments" : "before they are built";
  test(`highlights the words of a condition, ${state}`, () => {
    const { graph } = makeShop(isBuilt);
    graph.connect("note", "about", "c");
    const options = { highlight: { title: 20 }, result: "dict", fields: ["id"] } as const;
    const polish = { ...options, condition: { text: "blue polish" } };
    const highlights = { title: "<em>Blue</em> shoe <em>polish</em>" };
    assert.equal(graph.vertices(polish), [{ id: "c", highlights }]);
    assert.equal(graph.vertices(polish), [{ id: "c", highlights }], "the plan is known");
    const blue = { ...options, neighbor: { text: { query: "bleu", fuzzy: "auto" } } } as const;
    const neighbors = graph.neighborhood("note", blue);
    assert.equal(neighbors, [{ id: "c", highlights: { title: "<em>Blue</em> shoe polish" } }]);
  });
}

test("the time limit covers highlights", () => {
  const { graph } = makeShop();
  const title = "red kettle ".repeat(1800);
  for (let index = 0; index < 40; index++)
    graph.createVertex(`k${index}`, { type: "product", properties: { title } });
  const options = { highlight: { title: 9 }, result: "dict", fields: ["id"], hits: 40 } as const;
  assert.is(graph.search("kettle", options).length, 40);
  const limited = { ...options, limexec: true, timeout: 1 };
  assert.throws(() => graph.search("kettle", limited), /timeout after 1 ms/);
});

test("rejects highlights without words, and in calls without hits", () => {
  const { graph } = makeShop();
  const options = { highlight: ["title"], result: "dict" } as const;
  const needed = /highlight requires the condition `text`/;
  assert.throws(() => graph.vertices(options), needed);
  assert.throws(() => graph.vertices({ ...options, condition: { text: [false, "red"] } }), needed);
  assert.throws(() => graph.neighborhood("note", options), needed);
  assert.throws(() => graph.arcs({ ...options, condition: { text: "red" } }), needed);
  const text = { neighbor: { text: "red" } };
  assert.throws(
    () => graph.neighborhood("note", { ...options, ...text, nest: 1 }),
    /is not for nested/,
  );
  const plainOptions = { ...options, result: "str", condition: { text: "red" } } as const;
  assert.throws(() => graph.vertices(plainOptions), /part of dictionaries/);
});

test("highlights words as HTML", () => {
  const { graph } = makeShop();
  const vertex = graph.openVertex("d");
  vertex.setProperty("title", `<b>Crème</b> & torches ${"of the kitchen ".repeat(20)}torch`);
  vertex.close();
  const shown = (text: string, highlight: Record<string, number>) =>
    graph.search(text, { highlight, result: "dict", fields: ["id"] })[0]!.highlights.title;
  assert.is(
    shown('"running shoes" red', { title: 100 }),
    "<em>Red</em> <em>running</em> <em>shoes</em>",
  );
  assert.is(shown("creme", { title: 20 }), "&lt;b&gt;<em>Crème</em>&lt;/b&gt; &amp; torches…");
  assert.match(shown("kitchen", { title: 40 })!, /^…?.*<em>kitchen<\/em>.*…$/);
  assert.is(shown("runn*", { title: 100 }), "Red <em>running</em> shoes");
  assert.throws(
    () => graph.search("red", { ...{ result: "dict" }, highlight: { other: 5 } }),
    /unknown key/,
  );
  assert.throws(() => graph.search("red", { highlight: ["title"] }), /part of dictionaries/);
});

test("shows the marked words at the end of long texts, also without spaces", () => {
  const { graph } = makeShop();
  graph.createVertex("end", {
    type: "product",
    properties: { title: `${"word, ".repeat(40)}zebra` },
  });
  graph.createVertex("cjk", {
    type: "product",
    properties: { title: `${"红色".repeat(100)}跑鞋` },
  });
  for (const [text, mark] of [
    ["zebra", "<em>zebra</em>"],
    ["跑鞋", "<em>跑鞋</em>"],
  ] as const) {
    for (const length of [5, 21, 60]) {
      const options = { highlight: { title: length }, result: "dict" } as const;
      const [hit] = graph.search(text, options);
      assert.ok(hit!.highlights.title!.includes(mark), `${length} ${hit!.highlights.title}`);
    }
  }
});

test("splits no character beyond 16 bits at the ends of an excerpt", () => {
  const { graph } = makeShop();
  const title = `${"😀".repeat(60)} zebra ${"😀".repeat(10_000)}`;
  graph.createVertex("wide", { type: "product", properties: { title } });
  for (let length = 5; length < 40; length++) {
    const options = { highlight: { title: length }, result: "dict" } as const;
    const shown = graph.search("zebra", options)[0]!.highlights.title!;
    assert.match(shown, /<em>zebra<\/em>/);
    assert.not.match(shown, /\p{Surrogate}/u, `${length}`);
  }
  const all = { highlight: { title: 20_000 }, result: "dict" } as const;
  assert.not.match(graph.search("zebra", all)[0]!.highlights.title!, /\p{Surrogate}/u);
});

test("fuses the orders by text and by vector", () => {
  const { graph } = makeShop();
  for (const [id, vector] of Object.entries({ a: [0, 1], b: [1, 1], c: [1, 0] })) {
    const vertex = graph.openVertex(id);
    vertex.setVector(vector);
    vertex.close();
  }
  const options = { vector: [1, 0], condition: { type: "product" } } as const;
  const scored = { fuse: { rrf: 10 }, fields: ["rankscore"], result: "simple" } as const;
  const expected = [1 / 12 + 1 / 12, 1 / 11 + 1 / 13, 1 / 11];
  const scores = graph.search("red", { ...options, ...scored }) as number[];
  assert.equal(
    scores.map((score) => score.toFixed(6)),
    expected.sort((a, b) => b - a).map((score) => score.toFixed(6)),
  );
  assert.equal(graph.search("red", { ...options, fuse: true }).sort(), ["a", "b", "c"]);
  assert.throws(() => graph.search("red", { fuse: true }), /fuse requires a vector/);
  assert.throws(() => graph.search("red", { ...options, fuse: { rrf: 0 } }), /invalid rrf/);
});

test.run();
