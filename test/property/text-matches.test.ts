// Random texts and searches against naive models: highlights, the condition `text`, reciprocal rank
// fusion, and words and keys in expressions. ROUNDS=n for more graphs than the default.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID, S_RANK } from "../../runtime/base/sort-constants.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("text matches");
const ROUNDS = rounds(15);
const WORDS = ["red", "rédder", "Blue", "shoe", "<b>", "&", "coat"];
const label = `seed ${SEED}`;

interface Product {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly vector: readonly number[] | null;
}

const fold = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const splitWords = (text: string): string[] => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map(fold);

function makeShop(random: Random) {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("text", { keys: ["title", "body"] });
  const text = (maxWords: number) =>
    random.list(maxWords, () => random.of(WORDS)).join(random.of([" ", ", "]));
  const products = Array.from({ length: random.below(60) }, (_, index): Product => {
    const vector = random.below(4) === 0 ? null : [random.below(9) - 4, random.below(9) - 4, 1];
    return { id: `p${index}`, title: text(5), body: text(30), vector };
  });
  for (const { id, title, body, vector } of products) {
    graph.createVertex(id, { properties: { title, body }, ...(vector !== null && { vector }) });
  }
  const processor = new TextProcessor(store, assert.unreachable);
  if (random.below(2) === 0) while (processor.run(1000));
  return { graph, products };
}

/** Returns a search of plain words, which may end with a prefix, and its model. */
function randomSearch(random: Random): { text: string; matches: (word: string) => boolean[] } {
  const words = [random.of(["red", "blue", "shoe", "coat"]), ...random.list(1, () => "red")];
  const prefix = random.below(3) === 0 ? random.of(["re", "sh", "b"]) : null;
  const text = [...words, ...(prefix === null ? [] : [`${prefix}*`])].join(" ");
  const matches = (word: string): boolean[] => [
    ...words.map((sought) => sought === word),
    ...(prefix === null ? [] : [word.startsWith(prefix)]),
  ];
  return { text, matches };
}

/** Counts the words of the search that a product contains. */
function countMatches({ title, body }: Product, matches: (word: string) => boolean[]): number {
  const partMatches = splitWords(`${title} ${body}`).map(matches);
  return (matches("") as boolean[]).filter((_, index) => partMatches.some((row) => row[index]))
    .length;
}

function eachShop(
  check: (random: Random, graph: Graph, products: readonly Product[]) => void,
): void {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const { graph, products } = makeShop(random);
    for (let search = 0; search < 5; search++) check(random, graph, products);
  }
}

test("the condition `text` matches the vertices that contain the words", () => {
  eachShop((random, graph, products) => {
    const { text, matches } = randomSearch(random);
    const match = random.of(["all", "any", 2] as const);
    const wordCount = matches("").length;
    const minimum = match === "all" ? wordCount : match === "any" ? 1 : Math.min(match, wordCount);
    const ids = (isKept: (product: Product) => boolean) =>
      products.flatMap((product) => (isKept(product) ? product.id : [])).sort();
    const condition = { text: { query: text, match } };
    const sorted = { sortby: S_ID } as const;
    const hasWords = (product: Product): boolean => countMatches(product, matches) >= minimum;
    const note = `${label} ${text} ${match}`;
    assert.equal(graph.vertices({ ...sorted, condition }), ids(hasWords), note);
    assert.equal(
      graph.vertices({ ...sorted, condition: { and: [{ virtual: false }, { not: condition }] } }),
      ids((product) => !hasWords(product)),
      note,
    );
    assert.equal(
      graph.vertices({ ...sorted, condition: { or: [condition, { id: "p1" }] } }),
      ids((product) => hasWords(product) || product.id === "p1"),
      note,
    );
  });
});

test("`text.words` counts the words of a match", () => {
  eachShop((random, graph, products) => {
    const { text, matches } = randomSearch(random);
    const shown = { fields: ["id", "rankscore"], result: "list", hits: -1, match: "any" } as const;
    const ranked = graph.search(text, { ...shown, rank: "text.words", sortby: S_RANK });
    const expected = products
      .map((product) => [product.id, countMatches(product, matches)] as const)
      .filter(([, words]) => words > 0);
    assert.equal(ranked.sort(), expected.sort(), `${label} ${text}`);
  });
});

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" } as const;
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPED[character as keyof typeof ESCAPED]);

test("highlights mark exactly the sought words, and escape everything else", () => {
  eachShop((random, graph, products) => {
    const { text, matches } = randomSearch(random);
    const options = { highlight: { title: 200 }, result: "dict", hits: -1, match: "any" } as const;
    const byId = new Map(products.map((product) => [product.id, product]));
    for (const { id, highlights } of graph.search(text, options)) {
      const { title } = byId.get(id)!;
      const marked = escapeHtml(title).replace(/[\p{L}\p{M}\p{N}]+/gu, (word) => {
        return matches(fold(word)).includes(true) ? `<em>${word}</em>` : word;
      });
      assert.is(highlights.title, marked, `${label} ${text}: ${title}`);
    }
  });
});

test("highlights of long texts are parts of them, with a marked word", () => {
  eachShop((random, graph, products) => {
    const { text } = randomSearch(random);
    const length = 1 + random.below(60);
    const options = { highlight: { body: length }, keys: ["body"], result: "dict" } as const;
    const byId = new Map(products.map((product) => [product.id, product]));
    for (const { id, highlights } of graph.search(text, options)) {
      const shown = highlights.body!;
      const plainText = shown.replace(/<\/?em>/g, "").replace(/^…|…$/gu, "");
      assert.ok(escapeHtml(byId.get(id)!.body).includes(plainText), `${label} ${text}: ${shown}`);
      if (length > 20) assert.match(shown, /<em>/, label);
    }
  });
});

test("fusion adds the reciprocal places of both orders", () => {
  eachShop((random, graph, products) => {
    const vector = [random.below(9) - 4, random.below(9) - 4, 1];
    const rrf = random.of([1, 10, 60]);
    const candidates = random.of([3, 10, 100]);
    const { text } = randomSearch(random);
    const byText = graph.search(text, { hits: candidates, match: "any" });
    const byVector = products.some((product) => product.vector !== null)
      ? graph.nearest(vector, { hits: candidates }).map(({ id }) => id)
      : [];
    const scores = new Map<string, number>();
    for (const order of [byText, byVector]) {
      for (const [index, id] of order.entries()) {
        scores.set(id, (scores.get(id) ?? 0) + 1 / (rrf + index + 1));
      }
    }
    const shown = { fields: ["id", "rankscore"], result: "list", hits: -1, match: "any" } as const;
    const fused = graph.search(text, { ...shown, vector, fuse: { rrf, candidates } });
    const round = (entries: Iterable<readonly [string, number]>) =>
      [...entries].map(([id, score]) => [id, score.toFixed(9)]).sort();
    const entries = fused as unknown as [string, number][];
    assert.equal(round(entries), round(scores), `${label} ${text}`);
    const ranks = entries.map(([, score]) => score);
    assert.equal(
      ranks,
      [...ranks].sort((a, b) => b - a),
      label,
    );
  });
});

test.run();
