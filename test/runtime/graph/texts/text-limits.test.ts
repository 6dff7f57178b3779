// Text indexes at their limits: more changes than the ring holds, the end of versions, a full
// arena, words that stand for too many terms.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_ARENA_WORDS } from "../../../../runtime/graph/memory/arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS, Header } from "../../../../runtime/graph/memory/layout.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { MAX_TERMS } from "../../../../runtime/graph/texts/resolve-parts.js";
import { parseSearchText } from "../../../../runtime/graph/texts/search-text.js";
import { searchTexts } from "../../../../runtime/graph/texts/search-texts.js";
import { openTextIndex } from "../../../../runtime/graph/texts/text-index.js";
import {
  MAX_VERSION,
  RESTART_VERSION,
  RING_WORDS,
} from "../../../../runtime/graph/texts/text-layout.js";
import { TextProcessor } from "../../../../runtime/graph/texts/text-processor.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  processor: SlicedProcessor;
  lines: string[];
}

/** Its slices are run by the test. */
class SlicedProcessor extends TextProcessor {
  runSlice(): boolean {
    return this.slice();
  }

  finish(): void {
    while (this.run(1000));
  }
}

const test = suite<Context>("limits of text indexes");

test.before.each((context) => {
  context.store = GraphStore.create("test", TEST_THREAD);
  context.lines = [];
  context.processor = new SlicedProcessor(context.store, (line) => context.lines.push(line));
});

function setTitle(store: GraphStore, id: string, title: string): void {
  const graph = openStore(store);
  graph.createVertex(id);
  const vertex = graph.openVertex(id);
  try {
    vertex.setProperty("title", title);
  } finally {
    vertex.close();
  }
}

function addTitles(store: GraphStore, count: number): void {
  for (let index = 0; index < count; index++) setTitle(store, `v${index}`, "all");
}

/** Gives a vertex a number of versions, without changing its texts. */
function wear(store: GraphStore, id: string, count: number): void {
  const vertex = store.ids.find(id);
  store.writer.mutate(() => {
    for (let remaining = count; remaining > 0; remaining--) store.texts.markChanged(vertex);
  });
}

function setSerial(store: GraphStore, serial: number): void {
  store.memory.header.words[Header.TextSerial] = serial;
}

function hits(store: GraphStore, text: string): string[] {
  return [...(openStore(store).search(text, { hits: 10_000 }) as string[])].sort();
}

/** Found by a search during which something happens: at the pending texts, and at each match. */
function foundDuring(
  store: GraphStore,
  text: string,
  hooks: { spend?: () => void; accepts?: () => void; placeOf?: () => number },
): string[] {
  const result = searchTexts(
    store,
    hooks.placeOf ?? (() => store.texts.indexes()[0]!),
    ({ analysis, synonyms }) => {
      const { parts, excluded } = parseSearchText(text, analysis, false);
      return { parts, excluded, minMatches: parts.length, boosts: [1], fuzzy: 0, synonyms };
    },
    {
      ...{ hits: 10_000, all: "scores" },
      accepts: () => {
        hooks.accepts?.();
        return true;
      },
      spend: () => hooks.spend?.(),
      statistics: null,
    },
  )!;
  const [best, allVertices] = [result, result.all!].map(({ vertices }) =>
    Array.from(vertices, (vertex) => store.ids.idOf(vertex)).sort(),
  );
  assert.equal(best, allVertices);
  return allVertices!;
}

/** Runs a function the first time only. */
function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) {
      isDone = true;
      run();
    }
  };
}

test("more changes than the ring holds are found, then scanned", ({ store, processor }) => {
  addTitles(store, 200);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setTitle(store, "v7", "other");
  openStore(store).deleteVertex("v8");
  wear(store, "v9", RING_WORDS + 5);
  assert.equal(hits(store, "other"), ["v7"]);
  assert.is(hits(store, "all").length, 198);
  processor.finish();
  assert.equal(hits(store, "other"), ["v7"]);
  assert.is(hits(store, "all").length, 198);
  assert.is(openStore(store).textIndexes()[0]!.pending, 0);
  checkStore(store);
});

test("a search finds an index again after it moved", ({ store }) => {
  addTitles(store, 3);
  openStore(store).index("text", { keys: ["title"] });
  const [index] = store.texts.indexes();
  const positions = [index! + 1, index!];
  assert.is(foundDuring(store, "all", { placeOf: () => positions.shift()! }).length, 3);
});

test("a text is found even if its position held another text before", ({ store, processor }) => {
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  addTitles(store, 20);
  for (const title of ["other", "another"]) {
    assert.is(hits(store, "all").length, 20);
    // The texts that this thread has read are listed by their versions, modulo 8192.
    wear(store, "v1", 8192 - 10);
    setTitle(store, "v7", title);
    assert.equal(hits(store, title), ["v7"]);
    setTitle(store, "v7", "all 7");
    wear(store, "v1", 8192 - 20);
    for (let index = 0; index < 20; index++) setTitle(store, `v${19 - index}`, `all ${index}`);
  }
  checkStore(store);
});

test("texts are read again once their words have other numbers", ({ store, processor }) => {
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setTitle(store, "v1", "red shoe");
  setTitle(store, "v2", "blue boot");
  assert.equal(hits(store, "boot"), ["v2"]);
  const { forms } = openTextIndex(store, store.texts.read(store.texts.indexes()[0]!)!)!.analysis
    .tokenizer;
  Object.defineProperty(forms, "isFull", { value: true, configurable: true });
  setTitle(store, "v3", "green hat");
  assert.equal(hits(store, "hat"), ["v3"]);
  Reflect.deleteProperty(forms, "isFull");
  for (const [word, id] of [
    ["boot", "v2"],
    ["red", "v1"],
    ["green", "v3"],
  ] as const) {
    assert.equal(hits(store, word), [id]);
  }
});

test("a builder whose ring overflows between its steps loses nothing", ({ store, processor }) => {
  addTitles(store, 1000);
  openStore(store).index("text", { keys: ["title"] });
  for (let step = 0; step < 60; step++) {
    processor.run(0);
    setTitle(store, `v${step * 3}`, "other");
    if (step % 4 === 0) wear(store, `v${step}`, RING_WORDS - (step % 3));
    assert.is(hits(store, "other").length, step + 1);
    assert.is(hits(store, "all").length, 999 - step);
  }
  processor.finish();
  assert.is(hits(store, "other").length, 60);
  assert.is(hits(store, "all").length, 940);
  assert.is(openStore(store).textIndexes()[0]!.pending, 0);
  checkStore(store);
});

test("a search during which the ring overflows starts again", ({ store, processor }) => {
  addTitles(store, 5);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setTitle(store, "v0", "all other");
  setTitle(store, "v1", "all other");
  wear(store, "v2", RING_WORDS - 100);
  const spend = once(() => wear(store, "v2", 200));
  assert.equal(foundDuring(store, "other", { spend }), ["v0", "v1"]);
});

test("a vertex that gets its version during a search is found", ({ store, processor }) => {
  addTitles(store, 2);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setTitle(store, "v0", "all of it");
  const vertex = store.ids.find("v1");
  const before = store.texts.versionOf(vertex);
  wear(store, "v1", 1);
  // The writer has counted the version, but not given it to the vertex.
  const { words } = store.memory.textVersions;
  const version = words[vertex]!;
  words[vertex] = before;
  const accepts = once(() => (words[vertex] = version));
  assert.equal(foundDuring(store, "all", { accepts }), ["v0", "v1"]);
});

test("versions restart before their end", ({ store, processor }) => {
  addTitles(store, 300);
  openStore(store).index("text", { keys: ["title"] });
  openStore(store).index("text", { name: "second", keys: ["title"] });
  processor.finish();
  setSerial(store, RESTART_VERSION - 10);
  for (let index = 0; index < 20; index++) setTitle(store, `v${index}`, "other");
  assert.is(hits(store, "other").length, 20);
  processor.finish();
  assert.ok(store.texts.serial < RING_WORDS);
  assert.is(hits(store, "other").length, 20);
  assert.is(hits(store, "all").length, 280);
  // Versions come a second time, to other texts.
  for (let index = 10; index < 310; index++) setTitle(store, `v${index}`, "third");
  assert.is(hits(store, "other").length, 10);
  assert.is(hits(store, "third").length, 300);
  processor.finish();
  assert.is(hits(store, "third").length, 300);
  for (const { pending, complete } of openStore(store).textIndexes()) {
    assert.equal([pending, complete], [0, true]);
  }
  checkStore(store);
});

test("a search during which versions restart starts again", ({ store, processor }) => {
  addTitles(store, 50);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setSerial(store, RESTART_VERSION);
  setTitle(store, "v3", "all again");
  const hitsOfAll = hits(store, "all");
  assert.is(hitsOfAll.length, 50);
  const accepts = once(() => processor.run(0));
  assert.equal(foundDuring(store, "all", { accepts }), hitsOfAll);
  assert.ok(store.texts.serial < RING_WORDS);
});

test("a restart of versions that is rolled back loses nothing", ({ store, processor }) => {
  addTitles(store, 50);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setSerial(store, RESTART_VERSION);
  setTitle(store, "v3", "other");
  const { writer, texts } = store;
  writer.mutate(() => texts.dropSegments());
  setTitle(store, "v4", "other");
  assert.throws(
    () =>
      writer.mutate(() => {
        texts.restartVersions();
        throw new Error("no");
      }),
    /no/,
  );
  assert.ok(texts.serial > RESTART_VERSION);
  const check = (): void => {
    assert.equal(hits(store, "other"), ["v3", "v4"]);
    assert.is(hits(store, "all").length, 48);
  };
  check();
  processor.finish();
  assert.ok(texts.serial < RING_WORDS);
  check();
  checkStore(store);
});

test("rejects a change once no version is left", ({ store, processor }) => {
  addTitles(store, 3);
  openStore(store).index("text", { keys: ["title"] });
  processor.finish();
  setSerial(store, MAX_VERSION - 1);
  setTitle(store, "v1", "other");
  const isFull = (error: unknown): boolean => error instanceof CapacityError;
  assert.throws(() => setTitle(store, "v2", "other"), isFull);
  assert.equal(hits(store, "other"), ["v1"]);
  assert.equal(hits(store, "all"), ["v0", "v2"]);
  processor.finish();
  setTitle(store, "v2", "other");
  assert.equal(hits(store, "other"), ["v1", "v2"]);
  checkStore(store);
});

/** Runs a function while no block can be allocated for texts. */
function withFullArena({ writer, memory }: GraphStore, run: () => void): void {
  const bump = ALLOCATORS + memory.texts.id * ALLOCATOR_WORDS;
  const used = memory.header.words[bump]!;
  writer.mutate(() => writer.put(memory.header, bump, MAX_ARENA_WORDS));
  run();
  writer.mutate(() => writer.put(memory.header, bump, used));
}

function isComplete(store: GraphStore, index = 0): boolean {
  return openStore(store).textIndexes()[index]!.complete;
}

test("a builder goes on once a full arena has space; changes and searches always", (context) => {
  const { store, lines } = context;
  const processor = new SlicedProcessor(store, (line) => lines.push(line), 0);
  addTitles(store, 20);
  openStore(store).index("text", { keys: ["title"] });
  withFullArena(store, () => {
    while (processor.runSlice());
    while (processor.runSlice());
    assert.is(lines.length, 1);
    assert.match(lines[0]!, /^graph "test": text index is incomplete: /);
    assert.is(hits(store, "all").length, 20);
    setTitle(store, "v3", "other");
    assert.equal(hits(store, "other"), ["v3"]);
    assert.throws(
      () => openStore(store).index("text", { name: "second", keys: ["title"] }),
      (error: unknown) => error instanceof CapacityError,
    );
    assert.throws(
      () => openStore(store).index("text", { keys: ["title", "notes"] }),
      (error: unknown) => error instanceof CapacityError,
    );
    const indexes = openStore(store)
      .textIndexes()
      .map(({ name, keys }) => [name, keys]);
    assert.equal(indexes, [["text", ["title"]]]);
    assert.equal(hits(store, "other"), ["v3"]);
    assert.is(isComplete(store), false);
  });
  checkStore(store);
  while (processor.runSlice());
  assert.is(isComplete(store), true);
  assert.is(hits(store, "all").length, 19);
});

test("a failed builder pauses before it is run again", ({ store, lines }) => {
  const log = (line: string): number => lines.push(line);
  const processor = new SlicedProcessor(store, log, Number.POSITIVE_INFINITY);
  addTitles(store, 20);
  openStore(store).index("text", { keys: ["title"] });
  withFullArena(store, () => {
    while (processor.runSlice());
  });
  while (processor.runSlice());
  assert.is(isComplete(store), false);
  processor.finish();
  assert.is(isComplete(store), true);
});

test("a prefix matches itself and the most frequent terms that begin with it", (context) => {
  const { store, processor } = context;
  const count = MAX_TERMS + 100;
  for (let index = 0; index < count; index++) {
    setTitle(store, `a${index}`, `w${index}x`);
    if (index < MAX_TERMS) setTitle(store, `b${index}`, `w${index}x`);
  }
  setTitle(store, "exact", "w");
  openStore(store).index("text", { keys: ["title"] });
  assert.is(hits(store, "w*").length, count + MAX_TERMS + 1);
  processor.finish();
  const vertices = hits(store, "w*");
  assert.is(vertices.length, 2 * (MAX_TERMS - 1) + 1);
  assert.ok(vertices.includes("exact"));
  const { explain } = openStore(store).search("w*", {
    explain: true,
    result: "list",
  }) as unknown as {
    explain: { plan: string[] };
  };
  assert.ok(explain.plan.some((line) => line.includes(`more than ${MAX_TERMS} terms`)));
});

test.run();
