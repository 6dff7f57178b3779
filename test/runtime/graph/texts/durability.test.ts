// Text indexes across snapshots, replays of the transaction log, and replicas.

import { mkdtempSync, rmSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { DataError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { ANALYSIS_VERSION } from "../../../../runtime/graph/texts/analysis/analysis.js";
import { MAX_DEFINITION_BYTES } from "../../../../runtime/graph/texts/index-definition.js";
import { Directory, MAX_INDEXES } from "../../../../runtime/graph/texts/text-layout.js";
import { TextProcessor } from "../../../../runtime/graph/texts/text-processor.js";
import { comparable } from "../../../property/support/comparable.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, makeUnit, packed, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  folder: string;
  store: GraphStore;
  copy: GraphStore;
}

const test = suite<Context>("text indexes on disk and on replicas");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-texts-"));
  context.store = loggedStore();
  context.copy = GraphStore.create("test", TEST_THREAD);
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function build(store: GraphStore): void {
  const processor = new TextProcessor(store, assert.unreachable);
  while (processor.run(1000));
}

function load(folder: string): GraphStore {
  const store = loadGraph("test", folder, TEST_THREAD, {
    warn: (line) => assert.unreachable(line),
  });
  assert.ok(store);
  checkStore(store);
  return store;
}

function setTitle(store: GraphStore, id: string, title: string): void {
  const graph = openStore(store);
  graph.createVertex(id);
  const vertex = graph.openVertex(id);
  vertex.setProperty("title", title);
  vertex.setProperty("ending", title.slice(-5));
  vertex.close();
}

function addTitles(store: GraphStore, from: number, end: number): void {
  for (let index = from; index < end; index++) {
    setTitle(store, `v${index}`, `word${index % 7} all`);
  }
}

function hits(store: GraphStore, text: string): readonly unknown[] {
  return [...(openStore(store).search(text, { hits: 1000 }) as string[])].sort();
}

function assertSameSearches(store: GraphStore, copy: GraphStore): void {
  const names = (of: GraphStore): unknown =>
    openStore(of)
      .textIndexes()
      .map(({ name, keys, type, language }) => ({ name, keys, type, language }));
  assert.equal(names(copy), names(store));
  for (const text of ["all", "word3", "word*", "none"]) {
    assert.equal(hits(copy, text), hits(store, text), text);
    assert.equal(countEndings(copy, text), countEndings(store, text), text);
  }
}

function countEndings(store: GraphStore, text: string): unknown {
  if (openStore(store).order === 0) return null;
  return openStore(store).search(text, { facets: { ending: 100 } }).facets;
}

/** A graph without a transaction log. */
function plainStore(): GraphStore {
  return GraphStore.create("test", TEST_THREAD);
}

for (const isBuilt of [true, false]) {
  test(`a snapshot keeps an index, ${isBuilt ? "built" : "before it is built"}`, (context) => {
    const { folder } = context;
    const store = plainStore();
    addTitles(store, 0, 100);
    openStore(store).index("text", { keys: ["title"], columns: ["ending"] });
    if (isBuilt) build(store);
    addTitles(store, 90, 120);
    saveGraph(store, folder);
    const loadedStore = load(folder);
    assertSameSearches(store, loadedStore);
    addTitles(loadedStore, 110, 140);
    assert.is(hits(loadedStore, "all").length, 140);
    build(loadedStore);
    assert.is(hits(loadedStore, "all").length, 140);
    assert.is(openStore(loadedStore).textIndexes()[0]!.pending, 0);
    checkStore(loadedStore);
  });
}

test("an index of another layout or analysis is built again", ({ folder }) => {
  const store = plainStore();
  addTitles(store, 0, 100);
  openStore(store).index("text", { keys: ["title"], columns: ["ending"] });
  build(store);
  const { header, texts } = store.memory;
  texts.words[header.words[Header.TextDirectory]! + Directory.SegmentVersion] = 1;
  saveGraph(store, folder);
  const loadedStore = load(folder);
  assert.is(openStore(loadedStore).textIndexes()[0]!.documents, 0);
  assertSameSearches(store, loadedStore);
  build(loadedStore);
  assert.is(openStore(loadedStore).textIndexes()[0]!.documents, 100);
  assertSameSearches(store, loadedStore);
  setTitle(loadedStore, "another", "another");
  saveGraph(loadedStore, folder);
  assert.is(openStore(load(folder)).textIndexes()[0]!.documents, 100);
});

test("the next snapshot has what was declared and built since", ({ folder }) => {
  const store = plainStore();
  addTitles(store, 0, 50);
  saveGraph(store, folder);
  openStore(store).index("text", { keys: ["title"], columns: ["ending"] });
  saveGraph(store, folder);
  assertSameSearches(store, load(folder));
  build(store);
  setTitle(store, "v3", "other");
  saveGraph(store, folder);
  assertSameSearches(store, load(folder));
  assert.is(openStore(store).dropIndex("text"), true);
  openStore(store).createVertex("new");
  saveGraph(store, folder);
  assert.equal(openStore(load(folder)).textIndexes(), []);
});

test("a loaded graph frees the block of a builder that did not end", ({ folder }) => {
  const store = plainStore();
  addTitles(store, 0, 5000);
  openStore(store).index("text", { keys: ["title"], columns: ["ending"] });
  const processor = new TextProcessor(store, assert.unreachable);
  const used = store.texts.usedWords;
  while (store.texts.usedWords === used) assert.ok(processor.run(0));
  saveGraph(store, folder);
  const loadedStore = load(folder);
  assert.is(loadedStore.texts.usedWords, store.texts.usedWords);
  build(loadedStore);
  while (processor.run(1000));
  assert.is(loadedStore.texts.usedWords, store.texts.usedWords);
  assertSameSearches(store, loadedStore);
  checkStore(loadedStore);
});

test("a replica declares, replaces and drops the same indexes", ({ store, copy }) => {
  const graph = openStore(store);
  addTitles(store, 0, 30);
  graph.index("text", { keys: ["title"], columns: ["ending"] });
  graph.index("text", { name: "second", keys: { title: { boost: 2 }, body: {} }, type: null });
  addTitles(store, 20, 50);
  replayTo(store, copy);
  assertSameSearches(store, copy);
  build(copy);
  graph.index("text", { keys: ["body", "title"], synonyms: [["word1", "one"]] });
  addTitles(store, 40, 60);
  graph.deleteVertex("v4");
  replayTo(store, copy);
  assertSameSearches(store, copy);
  assert.is(graph.dropIndex("text", { name: "second" }), true);
  replayTo(store, copy);
  assertSameSearches(store, copy);
  graph.truncate();
  replayTo(store, copy);
  assert.equal(openStore(copy).textIndexes(), []);
  build(copy);
  checkStore(store);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
});

test("a replica takes the largest definition, and no larger one is declared", (context) => {
  const { store, copy } = context;
  const graph = openStore(store);
  const configOfSize = (letters: number) => ({
    keys: ["title"],
    synonyms: [["x".repeat(letters), "y"]],
  });
  let [fits, over] = [0, MAX_DEFINITION_BYTES];
  while (over - fits > 1) {
    const letters = (fits + over) >>> 1;
    try {
      graph.index("text", configOfSize(letters));
      fits = letters;
    } catch (error) {
      assert.match((error as Error).message, /limited to 262144 bytes/);
      over = letters;
    }
  }
  assert.ok(fits > MAX_DEFINITION_BYTES - 300);
  assert.is(Buffer.byteLength(store.texts.definition(0)!.text) <= MAX_DEFINITION_BYTES, true);
  replayTo(store, copy);
  assert.is(copy.texts.definition(copy.texts.indexes()[0]!)!.text.length, MAX_DEFINITION_BYTES);
  checkStore(copy);
});

test("dropping a missing index logs nothing", ({ store, copy }) => {
  const graph = openStore(store);
  const count = store.operationCount;
  assert.is(graph.dropIndex("text", { name: "x".repeat(MAX_DEFINITION_BYTES + 1) }), false);
  assert.is(store.operationCount, count);
  graph.createVertex("a");
  replayTo(store, copy);
  assert.ok(openStore(copy).hasVertex("a"));
});

test("rejects names of indexes that a replica cannot read", ({ store }) => {
  const graph = openStore(store);
  assert.throws(() => graph.index("text", { name: "\ud800", keys: ["title"] }), /invalid name/);
  const synonyms = [["\ud800", "x"]];
  graph.index("text", { keys: ["title"], synonyms });
  assert.is(graph.textIndexes().length, 1);
});

test("indexes may read more properties than the directory lists", ({ store, copy }) => {
  const graph = openStore(store);
  const names = (prefix: string): string[] =>
    Array.from({ length: 16 }, (_, index) => `${prefix}_${index}`);
  for (let index = 0; index < MAX_INDEXES; index++) {
    const keys = ["title", ...names(`key_${index}`).slice(1)];
    graph.index("text", { name: `n${index}`, keys, columns: names(`column_${index}`) });
  }
  addTitles(store, 0, 5);
  const change = (key: string, value: string): void => {
    const vertex = graph.openVertex("v3");
    vertex.setProperty(key, value);
    vertex.close();
  };
  change("key_15_15", "late");
  replayTo(store, copy);
  for (const target of [store, copy]) build(target);
  change("column_15_15", "blue");
  replayTo(store, copy);
  for (const target of [store, copy]) {
    build(target);
    const facets = { column_15_15: 5 };
    const { search, facets: counted } = openStore(target).search("late", { in: "n15", facets });
    assert.equal(search, ["v3"]);
    assert.equal(counted.column_15_15, [{ value: "blue", count: 1 }]);
    checkStore(target);
  }
  for (let index = 1; index < MAX_INDEXES; index++) graph.dropIndex("text", { name: `n${index}` });
  change("title", "found");
  assert.equal(hits(store, "found"), ["v3"]);
});

test("an index can be replaced while its builder runs", ({ store, copy }) => {
  const graph = openStore(store);
  addTitles(store, 0, 5000);
  for (let index = 0; index < MAX_INDEXES; index++) {
    graph.index("text", { name: `n${index}`, keys: ["title"] });
  }
  assert.throws(
    () => graph.index("text", { name: "more", keys: ["title"] }),
    /too many text indexes/,
  );
  replayTo(store, copy);
  const processor = new TextProcessor(copy, assert.unreachable);
  const used = copy.texts.usedWords;
  while (copy.texts.usedWords === used) assert.ok(processor.run(0));
  graph.index("text", { name: "n0", keys: ["title", "body"] });
  replayTo(store, copy);
  assert.is(openStore(copy).textIndexes().length, MAX_INDEXES);
  while (processor.run(1000));
  checkStore(copy);
});

const DEFINITION = {
  ...{ name: "text", keys: [{ name: "title", boost: 1 }], type: null, language: "none" },
  ...{ stopWords: false, positions: true, synonyms: [["a", "b"]], version: 1 },
};
const DECLARE = 0x114;

/** Changes that make a definition invalid. */
const REFUSED: readonly (readonly [what: string, change: object])[] = [
  ["no columns", { columns: [] }],
  ["a column twice", { columns: ["brand", "brand"] }],
  ["no name", { name: undefined }],
  ["an empty name", { name: "" }],
  ["a name that is not Unicode", { name: "\ud800" }],
  ["no keys", { keys: [] }],
  ["keys that are no list", { keys: "title" }],
  ["an unknown key", { keys: [{ name: "unknown", boost: 1 }] }],
  ["a key twice", { keys: [DEFINITION.keys[0], DEFINITION.keys[0]] }],
  ["too many keys", { keys: Array.from({ length: 17 }, () => DEFINITION.keys[0]) }],
  ["a key without a boost", { keys: [{ name: "title" }] }],
  ["a boost of 0", { keys: [{ name: "title", boost: 0 }] }],
  ["a boost below 0", { keys: [{ name: "title", boost: -1 }] }],
  ["a boost above the limit", { keys: [{ name: "title", boost: 1e300 }] }],
  ["a type that is no text", { type: 7 }],
  ["an unknown language", { language: "xx" }],
  ["a name of Object as a language", { language: "constructor" }],
  ["synonyms that are no lists", { synonyms: ["a"] }],
  ["synonyms that are no texts", { synonyms: [[1]] }],
  ["stop words that are neither true nor false", { stopWords: 1 }],
  ["positions that are neither true nor false", { positions: undefined }],
  ["a newer analysis", { version: ANALYSIS_VERSION + 1 }],
  ["a version that is no number", { version: "1" }],
];

function assertRefused(store: GraphStore, record: readonly number[], label: string): void {
  const operations = store.operationCount;
  const transaction = makeUnit(operations, record);
  assert.throws(
    () => applyTransaction(store, transaction, 0),
    (error: unknown) => error instanceof DataError,
    label,
  );
  assert.is(store.operationCount, operations);
  assert.equal(openStore(store).textIndexes(), []);
  checkStore(store);
}

test("a record of a declaration is applied", ({ copy }) => {
  setTitle(copy, "a", "one");
  const record = [DECLARE, 1, ...packed(JSON.stringify(DEFINITION))];
  applyTransaction(copy, makeUnit(copy.operationCount, record), 0);
  assert.equal(hits(copy, "one"), ["a"]);
  checkStore(copy);
});

interface ModuleLoader {
  _resolveFilename(request: string, ...rest: unknown[]): string;
}

/** Runs something as if a package was not installed. Other files may have loaded it already. */
function withoutPackage(name: string, run: () => void): void {
  const loader = Module as unknown as ModuleLoader;
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) if (path.includes(`/${name}/`)) delete cache[path];
  const { _resolveFilename: resolve } = loader;
  loader._resolveFilename = (request, ...rest) => {
    if (request === name) throw new Error(`Cannot find module '${name}'`);
    return resolve.call(loader, request, ...rest);
  };
  try {
    run();
  } finally {
    loader._resolveFilename = resolve;
  }
}

test("a replica without the package of a language stops its builder", ({ copy }) => {
  setTitle(copy, "a", "one");
  const text = JSON.stringify({ ...DEFINITION, language: "de" });
  applyTransaction(copy, makeUnit(copy.operationCount, [DECLARE, 1, ...packed(text)]), 0);
  const lines: string[] = [];
  class SlicedProcessor extends TextProcessor {
    runSlice(): boolean {
      return this.slice();
    }
  }
  const processor = new SlicedProcessor(copy, (line) => lines.push(line));
  withoutPackage("snowball-stemmers", () => {
    while (processor.runSlice());
    assert.match(lines.join(), /text index is incomplete: language 'de' needs/);
    assert.throws(() => hits(copy, "one"), /language 'de' needs/);
  });
  setTitle(copy, "a", "two");
  checkStore(copy);
});

for (const [label, change] of REFUSED) {
  test(`a record of a definition is refused with ${label}`, ({ copy }) => {
    setTitle(copy, "a", "one");
    const text = JSON.stringify({ ...DEFINITION, ...change });
    assertRefused(copy, [DECLARE, 1, ...packed(text)], label);
  });
}

test("rejects corrupt records of a text index", ({ copy }) => {
  setTitle(copy, "a", "one");
  const text = JSON.stringify(DEFINITION);
  assertRefused(copy, [0x214, 1, ...packed(text)], "kind");
  assertRefused(copy, [DECLARE | 0x1_0000, 1, ...packed(text)], "name");
  assertRefused(copy, [DECLARE, 1, ...packed(text.slice(1))], "JSON");
  assertRefused(copy, [DECLARE, 1, ...packed("null")], "null");
  assertRefused(copy, [DECLARE, 1, ...packed([...Buffer.from(text), 0xff])], "UTF-8");
  assertRefused(copy, [DECLARE, 1, ...packed(text), 0], "too long");
  assertRefused(copy, [DECLARE, 1, ...packed(text).slice(0, -1)], "too short");
  const long = text.padEnd(MAX_DEFINITION_BYTES + 1);
  assertRefused(copy, [DECLARE, 1, ...packed(long)], "above the limit");
});

test.run();
