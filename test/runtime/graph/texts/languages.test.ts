// Languages of text indexes: stemming, stop words, documents and searches of several languages.
// Skipped where the optional packages are not installed.

import { createRequire } from "node:module";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { QueryError, ValueError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import {
  findLanguage,
  LANGUAGE_CODES,
} from "../../../../runtime/graph/texts/analysis/languages.js";
import { TextProcessor } from "../../../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("languages");

function isInstalled(): boolean {
  try {
    const { resolve } = createRequire(import.meta.url);
    return resolve("snowball-stemmers") !== "" && resolve("@orama/stopwords/english") !== "";
  } catch {
    return false;
  }
}

const check = isInstalled() ? test : test.skip;

function makeStore() {
  const store = GraphStore.create("test", TEST_THREAD);
  return { store, graph: openStore(store) };
}

function build(store: GraphStore): void {
  const processor = new TextProcessor(store, assert.unreachable);
  while (processor.run(1000));
}

check("have a stemmer and stop words each", () => {
  for (const code of LANGUAGE_CODES) {
    const { stem, stopWords } = findLanguage(code, true);
    assert.type(stem("houses"), "string", code);
    const hasNone = ["none", "ca", "cs", "eu", "sl"].includes(code);
    assert.is(stopWords.size > 20, !hasNone, code);
  }
  const { stem } = findLanguage("en", false);
  assert.equal(["running", "generously", "dying"].map(stem), ["run", "generous", "die"]);
  assert.is(findLanguage("de", false).stem("hauser"), "haus");
});

check("index stems, and no stop words if asked", () => {
  for (const isBuilt of [false, true]) {
    const { store, graph } = makeStore();
    graph.createVertex("a", { properties: { title: "The runners were running" } });
    graph.index("text", { keys: ["title"], language: "en", stopWords: true });
    if (isBuilt) build(store);
    assert.equal(graph.search("run"), ["a"]);
    assert.equal(graph.search("the run"), ["a"]);
    assert.equal(graph.search("the"), []);
    assert.equal(graph.search('"runners were running"'), ["a"]);
  }
});

check("compare stop words without accents, as all words", () => {
  const words = [
    ["de", "für"],
    ["fr", "été"],
    ["ru", "ещё"],
    ["sv", "på"],
    ["tr", "çok"],
  ] as const;
  for (const [language, word] of words) {
    const { graph } = makeStore();
    graph.createVertex("a", { properties: { title: `${word} 7` } });
    graph.index("text", { keys: ["title"], language, stopWords: true });
    assert.equal(graph.search(word), [], language);
    assert.equal(graph.search(`${word.toUpperCase()} 7`), ["a"], language);
  }
});

check("stem Russian adjectives", () => {
  const { graph } = makeStore();
  graph.createVertex("a", { properties: { title: "Красивый дом" } });
  graph.index("text", { keys: ["title"], language: "ru" });
  for (const word of ["красивый", "красивая", "красивый".normalize("NFD")]) {
    assert.equal(graph.search(word), ["a"], word);
  }
});

function makeMixed(): { store: GraphStore; graph: Graph } {
  const { store, graph } = makeStore();
  const texts: [id: string, title: string, lang: string | null][] = [
    ["german", "Die Häuser gehen", "de"],
    ["english", "Houses are going", "en"],
    ["plain", "Houses going", null],
    ["unknown", "Houses going", "xx"],
    ["chinese", "红色跑鞋", "none"],
  ];
  for (const [id, title, lang] of texts) {
    graph.createVertex(id, { properties: { title, ...(lang !== null && { lang }) } });
  }
  graph.index("text", { keys: ["title"], languageKey: "lang" });
  return { store, graph };
}

check("differ from document to document, and from search to search", () => {
  for (const isBuilt of [false, true]) {
    const { store, graph } = makeMixed();
    if (isBuilt) build(store);
    assert.equal(graph.search("haus", { language: "de" }), ["german"]);
    assert.equal(graph.search("go", { language: "en" }), ["english"]);
    assert.equal(graph.search("going", { language: "en" }), ["english"]);
    assert.equal(graph.search("going").sort(), ["plain", "unknown"]);
    assert.equal(graph.search("跑鞋", { language: "de" }), ["chinese"]);
    const condition = { text: { query: "hause", language: "de" } };
    assert.equal(graph.vertices({ condition }), ["german"]);
    const marked = { highlight: ["title"], result: "dict", language: "de" } as const;
    const [hit] = graph.search("haus", marked);
    assert.is(hit!.highlights.title, "Die <em>Häuser</em> gehen");
    const vertex = graph.openVertex("plain");
    vertex.setProperty("lang", "en");
    vertex.close();
    assert.equal(graph.search("go", { language: "en" }).sort(), ["english", "plain"]);
    if (isBuilt) build(store);
    assert.equal(graph.search("go", { language: "en" }).sort(), ["english", "plain"]);
  }
});

check("survive a snapshot with their property", () => {
  const { graph } = makeMixed();
  const [index] = graph.textIndexes();
  assert.equal(index!.keys, ["title"]);
  graph.dropIndex("text");
  graph.index("text", { keys: ["title", "lang"], languageKey: "lang" });
  assert.equal(graph.search("de"), ["german"]);
});

test("are rejected if unknown", () => {
  const { graph } = makeStore();
  const refuse = (options: object): void => {
    assert.throws(
      () => graph.index("text", { keys: ["title"], ...options }),
      (error: Error) => error instanceof ValueError,
    );
  };
  refuse({ language: "xx" });
  refuse({ languageKey: 1 });
  refuse({ columns: "brand" });
  refuse({ columns: [] });
  refuse({ columns: ["brand", "brand"] });
  refuse({ columns: ["brand", 7] });
  refuse({ columns: Array.from({ length: 17 }, (_, index) => `column${index}`) });
  refuse({ keys: Array.from({ length: 16 }, (_, index) => `key${index}`), languageKey: "lang" });
  assert.equal(graph.textIndexes(), []);
  graph.index("text", { keys: ["title"] });
  assert.throws(
    () => graph.search("a", { language: "xx" }),
    (error: Error) => error instanceof QueryError && /expected: none, ar, /.test(error.message),
  );
});

test.run();
