// Any text is a search: random characters, halves of characters, quotes, signs and very long texts.
// Altered cursors are refused. TEXTS=n for more texts than the default, SEED=n for the same again.
// limit: 120 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { QueryError } from "../../runtime/graph/model/errors.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { Random, SEED } from "./support/random.js";

const test = suite("texts of searches");
const TEXTS = Number(process.env.TEXTS ?? 2000);
const PIECES = ['"', "-", "*", " ", "red", "shoe", "\0", "\ud83d", "\udc4d", "日本", "́", "\u200d"];
const LONG = 2 ** 20;

function randomText(random: Random): string {
  const kind = random.below(4);
  return random
    .list(30, () => {
      if (kind === 0) return random.of(PIECES);
      if (kind === 1) return String.fromCharCode(random.below(0x100));
      const any = random.below(5) === 0 ? random.of(PIECES) : "";
      return any + String.fromCharCode(random.below(0x1_0000));
    })
    .join("");
}

/** Half of the texts are in segments. */
function makeGraph(random: Random): Graph {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("text", { keys: ["title", "notes"], columns: ["brand"], synonyms: [["red", "rot"]] });
  for (let index = 0; index < 200; index++) {
    if (index === 100) while (new TextProcessor(store, assert.unreachable).run(1000));
    const title = `${random.of(["red shoe", "blue", "日本語", "ро́за"])} ${index}`;
    graph.createVertex(`v${index}`, { properties: { title, notes: title, brand: index % 3 } });
  }
  return graph;
}

function search(random: Random, graph: Graph, text: string): void {
  const { search: hits, facets } = graph.search(text, {
    ...{ prefix: random.below(2) === 0, fuzzy: random.of([0, 1, 2, "auto"] as const) },
    ...{ match: random.of(["all", "any", 2] as const), cursor: true, facets: { brand: 2 } },
    ...random.of([{}, { condition: { text: { query: text } } }]),
    ...{ result: "dict", fields: ["id", "text"], highlight: { title: 20 } },
  } as const);
  assert.ok(Array.isArray(hits) && Array.isArray(facets.brand));
  graph.textStatistics(text);
}

test("never cause an error", () => {
  const random = new Random();
  const graph = makeGraph(random);
  for (let count = 0; count < TEXTS; count++) {
    const text = randomText(random);
    try {
      search(random, graph, text);
    } catch (error) {
      assert.unreachable(`seed ${SEED}: ${JSON.stringify(text)}: ${(error as Error).stack}`);
    }
  }
});

test("may be a megabyte long", () => {
  const random = new Random();
  const graph = makeGraph(random);
  for (const piece of ["red ", '"', '-"red ', "\ud83d", "a", "日", "* "]) {
    search(random, graph, piece.repeat(LONG / piece.length));
  }
});

test("have cursors that are rejected when altered", () => {
  const random = new Random();
  const graph = makeGraph(random);
  const { cursor } = graph.search("red", { cursor: true, hits: 3 });
  assert.type(cursor, "string");
  const next = graph.search("red", { cursor: cursor!, hits: 3 });
  assert.is(next.search.length, 3);
  const text = cursor as string;
  for (let count = 0; count < TEXTS; count++) {
    const offset = random.below(text.length);
    const character = random.of(["A", "b", "0", "-", "_", "=", "", "\ud83d", "%"]);
    const altered = text.slice(0, offset) + character + text.slice(offset + 1);
    if (altered === text) continue;
    assert.throws(
      () => graph.search("red", { cursor: altered, hits: 3 }),
      (error: Error) => error instanceof QueryError,
      `seed ${SEED}: ${altered}`,
    );
  }
  const isRefused = (error: Error): boolean => error instanceof QueryError;
  assert.throws(() => graph.search("blue", { cursor: text }), isRefused);
  assert.throws(() => graph.vertices({ cursor: text }), isRefused);
});

test.run();
