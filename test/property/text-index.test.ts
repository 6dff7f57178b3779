// The text index of a graph against a naive search, while properties are set and removed,
// vertices come and go and change their types, batches fail and the builder stops at any step.
// STEPS=n makes more changes, SEED=n the same again.
// limit: 120 s
// takes 10 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import type { Vertex } from "../../runtime/graph/api/vertex.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { editsFor } from "../../runtime/graph/texts/fuzzy-terms.js";
import { parseSearchText } from "../../runtime/graph/texts/search-text.js";
import { type ReadSearch, searchTexts } from "../../runtime/graph/texts/search-texts.js";
import { findTextIndex } from "../../runtime/graph/texts/text-indexes.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { type NaiveDocument, searchNaively } from "./support/naive-texts.js";
import { Random, SEED } from "./support/random.js";

const test = suite("text index");
const STEPS = Number(process.env.STEPS ?? rounds(1500));
const WORDS = Array.from({ length: 60 }, (_, index) => `w${"abcdef"[index % 6]}${index}`);
const KEYS = ["title", "body"];
const BRANDS = ["Acme", "Zeta", 7, 7.5];
const IDS = Array.from({ length: 120 }, (_, index) => `v${index}`);

/** Expected contents of the index, by id. */
class Model {
  readonly texts = new Map<
    string,
    { type: string | null; title?: string; body?: string; brand?: string | number }
  >();

  documents(type: string | null, findVertex: (id: string) => number): Map<number, NaiveDocument> {
    const matches = new Map<number, NaiveDocument>();
    for (const [id, texts] of this.texts) {
      if (type !== null && texts.type !== type) continue;
      if (texts.title === undefined && texts.body === undefined) continue;
      const words = (text = ""): string[] => (text === "" ? [] : text.split(" "));
      matches.set(findVertex(id), [words(texts.title), words(texts.body)]);
    }
    return matches;
  }
}

function randomText(random: Random): string {
  return Array.from({ length: random.below(9) }, () => {
    return WORDS[Math.floor((WORDS.length + 1) ** (random.below(1000) / 1000)) - 1]!;
  }).join(" ");
}

function write(graph: Graph, id: string, change: (vertex: Vertex) => void): void {
  const vertex = graph.openVertex(id);
  try {
    change(vertex);
  } finally {
    vertex.close();
  }
}

function change(random: Random, graph: Graph, model: Model): void {
  const id = random.of(IDS);
  const known = model.texts.get(id);
  const kind = random.below(12);
  if (known === undefined || kind === 0) {
    const type = random.of(["t", "u"]);
    if (known !== undefined) return;
    const title = randomText(random);
    graph.createVertex(id, { type, properties: { title, other: "none" } });
    model.texts.set(id, { type, title });
  } else if (kind === 1) {
    graph.deleteVertex(id);
    model.texts.delete(id);
  } else if (kind === 2) {
    known.type = random.of(["t", "u"]);
    write(graph, id, (vertex) => vertex.setType(known.type));
  } else if (kind === 3) {
    const key = random.of(KEYS) as "title" | "body";
    if (typeof known[key] !== "string") return;
    write(graph, id, (vertex) => vertex.removeProperty(key));
    delete known[key];
  } else if (kind === 4) {
    write(graph, id, (vertex) => vertex.setProperty("title", 7));
    delete known.title;
  } else if (kind === 5) {
    const brand = random.of(BRANDS);
    write(graph, id, (vertex) => vertex.setProperty("brand", brand));
    known.brand = brand;
  } else if (kind === 6) {
    if (known.brand === undefined) return;
    write(graph, id, (vertex) => vertex.removeProperty("brand"));
    delete known.brand;
  } else {
    const key = random.of(KEYS) as "title" | "body";
    const text = randomText(random);
    write(graph, id, (vertex) => vertex.setProperty(key, text));
    known[key] = text;
  }
}

/** A batch that fails leaves everything as it was. */
function failingBatch(random: Random, graph: Graph, model: Model): void {
  const unused = new Model();
  for (const [id, texts] of model.texts) unused.texts.set(id, { ...texts });
  assert.throws(
    () =>
      graph.batch(() => {
        for (let count = random.below(5); count >= 0; count--) change(random, graph, unused);
        throw new Error("no");
      }),
    /no/,
  );
}

interface Case {
  readonly text: string;
  readonly least: number | "all";
  readonly fuzzy: 0 | 1 | "auto";
  readonly isPrefix: boolean;
}

function randomCase(random: Random): Case {
  const word = (): string => WORDS[random.below(12)]!;
  const texts = [
    word(),
    `${word()} ${word()}`,
    `"${word()} ${word()}"`,
    `${word()} -${word()}`,
    `${word().slice(0, 2)}*`,
    `${word().replace("w", "ww")}*`,
    `${word()} ${word()} ${word()}`,
  ];
  return {
    text: random.of(texts),
    least: random.of(["all", 1] as const),
    fuzzy: random.of([0, 0, 1, "auto"] as const),
    isPrefix: random.below(3) === 0,
  };
}

function check(random: Random, store: GraphStore, model: Model): void {
  const declared = findTextIndex(store.texts, "text")!;
  const { text, least, fuzzy, isPrefix } = randomCase(random);
  const boosts = random.of([
    [1, 1],
    [2, 0],
    [3, 0.5],
  ]);
  let sought: ReturnType<ReadSearch> | null = null;
  const hits = 1 + random.below(5);
  const result = searchTexts(
    store,
    () => declared.position,
    (index) => {
      const { parts, excluded } = parseSearchText(text, index.analysis, isPrefix);
      const minMatches = least === "all" ? parts.length : least;
      sought = { parts, excluded, minMatches, boosts, fuzzy, synonyms: index.synonyms };
      return sought;
    },
    {
      ...{ hits, all: "scores", accepts: null },
      spend: () => undefined,
      statistics: null,
    },
  )!;
  const { parts, excluded, minMatches: minimum } = sought!;
  const { statistics } = result;
  const documents = model.documents(declared.definition.type, (id) => store.ids.find(id));
  const expected = searchNaively(documents, {
    ...{ parts, excluded, minMatches: minimum, boosts },
    edits: (form) => (fuzzy === "auto" ? editsFor(form) : fuzzy),
    statistics,
  });
  const label = JSON.stringify({ text, least, fuzzy, isPrefix, boosts });
  const { vertices, scores } = result.all!;
  assert.equal([...vertices].sort(), [...expected.keys()].sort(), label);
  for (const [index, vertex] of vertices.entries()) {
    const score = scores[index]!;
    assert.ok(Math.abs(score - expected.get(vertex)!) < 1e-9 * score, `${label}: ${score}`);
  }
  const best = [...expected.values()].sort((a, b) => b - a).slice(0, hits);
  assert.is(result.count, best.length, label);
  for (const [index, score] of best.entries()) {
    assert.ok(Math.abs(score - result.scores[index]!) < 1e-9 * score, `${label}: place ${index}`);
  }
}

/** Facets of a search, counted by columns and by the vertices that are in no segment. */
function checkFacets(random: Random, graph: Graph, model: Model, type: string | null): void {
  const word = random.of(WORDS.slice(0, 12));
  const counts = new Map<string | number, number>();
  for (const { type: textType, title = "", body = "", brand } of model.texts.values()) {
    if (brand === undefined || (type !== null && textType !== type)) continue;
    if (!`${title} ${body}`.split(" ").includes(word)) continue;
    counts.set(brand, (counts.get(brand) ?? 0) + 1);
  }
  const numbers = ["7", "7.5"].map((text) => counts.get(Number(text)) ?? 0);
  const { facets } = graph.search(word, {
    ...{ hits: random.below(4) },
    facets: { brand: 10, number: { property: "brand", ranges: [7.5] } },
  });
  const facetCounts = facets.brand.map(({ value, count }) => [value, count] as const);
  assert.equal(new Map(facetCounts), counts, word);
  assert.equal(
    facets.number.map(({ count }) => count),
    numbers,
    word,
  );
}

function build(random: Random, processor: TextProcessor): void {
  if (random.below(3) === 0) while (processor.run(1000));
  else processor.run(0.01);
}

for (const type of [null, "t"]) {
  test(`agrees with a naive search, type ${type}`, () => {
    const random = new Random(SEED + (type === null ? 0 : 1));
    const store = GraphStore.create("test", TEST_THREAD);
    const graph = openStore(store);
    const model = new Model();
    for (let count = 0; count < 100; count++) change(random, graph, model);
    const definition = { keys: KEYS, type, columns: ["brand", "title"] };
    graph.index("text", definition);
    let processor = new TextProcessor(store, assert.unreachable);
    for (let step = 0; step < STEPS; step++) {
      change(random, graph, model);
      if (random.below(20) === 0) failingBatch(random, graph, model);
      if (random.below(4) === 0) build(random, processor);
      // A builder that dies leaves its work to the next one.
      if (random.below(50) === 0) processor = new TextProcessor(store, assert.unreachable);
      if (random.below(3) === 0) check(random, store, model);
      if (random.below(3) === 0) checkFacets(random, graph, model, type);
      if (random.below(400) === 0) {
        graph.truncate();
        model.texts.clear();
        assert.equal(graph.textIndexes(), []);
        graph.index("text", definition);
      }
      if (random.below(200) === 0) {
        assert.is(graph.dropIndex("text"), true);
        graph.index("text", definition);
      }
    }
    while (processor.run(1000));
    for (let count = 0; count < 50; count++) check(random, store, model);
    for (let count = 0; count < 20; count++) checkFacets(random, graph, model, type);
    assert.is(graph.dropIndex("text"), true);
    while (processor.run(1000));
    checkStore(store);
  });
}

test.run();
