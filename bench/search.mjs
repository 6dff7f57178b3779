// Text search: whole calls of `graph.search` next to SQLite FTS5, MiniSearch and Orama, over two
// generated corpora. Result lists are compared in the same run: matches with those of FTS5, the ten
// best with a scorer that looks at every text.
//
// Products with two facets are compared with FTS5 alone, and their counts with those of SQLite.
//
// The binding of tantivy for Node cannot be installed from the registry, so it is not a peer.
//
//   node search.mjs [--rounds 3] [--searches 50] [--titles 50000] [--passages 10000]
//     [--products 50000]
//
// At full size: --titles 1000000 --passages 170000 --products 200000

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { initialize, svc } from "./lib/package.mjs";
import { threadSeconds } from "./lib/process-figures.mjs";
import { startPeers } from "./peers/text/peers.mjs";
import { startProducts } from "./peers/text/products.mjs";

const TOP = 10;
const ALL = 10_000;
const K1 = 1.2;
const B = 0.75;
/** Scores are single-precision numbers. */
const TOLERANCE = 1e-4;
/** Number of titles from which the targets apply. */
const TARGET_TITLES = 1_000_000;
const TARGET_PRODUCTS = 200_000;
/** Limits of the facet of prices. */
const LIMITS = [50, 100, 200];
/** Maximum bytes per posting with positions, and the number of texts from which it applies. */
const MOST_BYTES = { titles: 4.5, passages: 6 };
const MIN_TEXTS = { titles: 1_000_000, passages: 50_000 };
/** Minimum CPU time of FTS5, in that of svc, by class of searches. */
const LEAST = new Map([
  ["1 word", 30],
  ["2 words, any", 30],
  ["3 words, any", 30],
  ["2 words", 8],
  ["phrase of 2", 3],
  ["prefix of 5", 30],
]);
/** Changes that a search compares one by one, and repetitions of their measurement. */
const PENDING = 4096;
/** Searches before the changes are in the index. */
const PENDING_SEARCHES = 5;
const CHANGE_ROUNDS = 25;
const CATEGORIES = 40;
const TAGS = 4;

const options = readOptions({
  rounds: 3,
  searches: 50,
  titles: 50_000,
  passages: 10_000,
  products: 50_000,
});
let state = 1;
await initialize();
const targets = [];
await measureFacets(generateProducts(options.products));
measureAdjacent(options.products);
await measureChanges(generateTexts(options.titles, 30_000, 4, 11));
await measureCorpus("titles", generateTexts(options.titles, 30_000, 4, 11));
await measureCorpus("passages", generateTexts(options.passages, 60_000, 40, 160));
printTargets(targets);
await svc.system.unload();

function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

/** Returns texts of words whose frequencies follow Zipf's law. */
function generateTexts(count, vocabulary, shortest, longest) {
  const words = Array.from({ length: vocabulary }, (_, rank) => spell(rank));
  return Array.from({ length: count }, () => {
    const length = shortest + Math.floor(random() * (longest - shortest + 1));
    const rank = () => Math.floor(vocabulary ** random()) - 1;
    return Array.from({ length }, () => words[rank()]).join(" ");
  });
}

/** Returns a distinct word of letters for each number. */
function spell(number) {
  const syllables = "ba ce di fo gu ha ke li mo nu pa re si to vu za".split(" ");
  let rest = (Math.imul(number + 1, 40_503) & 0xffff) + (number & ~0xffff);
  let word = "";
  for (let at = 0; at < 4 || rest > 0; at++) {
    word += syllables[rest & 15];
    rest >>>= 4;
  }
  return word;
}

async function measureCorpus(name, texts) {
  const graph = new svc.Graph(name);
  for (const [number, text] of texts.entries()) {
    const vertex = graph.newVertex(String(number));
    vertex.setProperty("title", text);
    vertex.close();
  }
  const begun = process.cpuUsage();
  graph.index("text", { keys: ["title"] });
  while (!isBuilt(graph)) await new Promise((done) => setTimeout(done, 50));
  const { user, system } = process.cpuUsage(begun);
  const peers = await startPeers(texts);
  reportIndex(name, graph, texts, peers, (user + system) / 1e6);
  const classes = searchClasses(texts);
  const lists = texts.map((text) => text.split(" "));
  for (const queryClass of classes) compareResults(graph, peers, lists, queryClass);
  const names = ["svc", ...peers.map((peer) => peer.name)];
  const rows = classes.map((queryClass) => [
    queryClass.label,
    ...measureClass(graph, peers, queryClass),
  ]);
  console.log(
    `\n${texts.length} ${name}, ${options.searches} searches a class: us of CPU a search`,
  );
  printTable(
    ["", ...names],
    rows.map(([label, ...us]) => [label, ...us.map(formatUs)]),
  );
  const fts5 = names.indexOf("FTS5");
  for (const [label, ...us] of rows) {
    if (fts5 < 0 || !LEAST.has(label)) continue;
    const value = us[fts5] / us[0];
    const atLeast = texts.length < TARGET_TITLES ? undefined : LEAST.get(label);
    targets.push({ label: `${name}, ${label}: FTS5 / svc`, value, atLeast, unit: "times" });
  }
}

/** Prints the build time next to that of FTS5, and the size of the index in bytes per posting. */
function reportIndex(name, graph, texts, peers, seconds) {
  const postings = texts.reduce((sum, text) => sum + new Set(text.split(" ")).size, 0);
  const [{ bytes, segments }] = graph.textIndexes();
  console.log(`\n${name}: built in ${seconds.toFixed(1)} s of CPU, ${segments} segments`);
  const fts5 = peers.find((peer) => peer.name === "FTS5");
  if (fts5 !== undefined) {
    const value = fts5.buildSeconds / seconds;
    targets.push({ label: `${name}, build: FTS5 / svc`, value, unit: "times" });
  }
  const isLarge = texts.length >= (MIN_TEXTS[name] ?? 0);
  const atMost = isLarge ? MOST_BYTES[name] : undefined;
  targets.push({ label: `${name}: bytes per posting`, value: bytes / postings, atMost, unit: "B" });
}

/** Returns products of which a quarter have the word `red`. */
function generateProducts(count) {
  const titles = generateTexts(count, 5000, 5, 9);
  return titles.map((title, number) => ({
    title: number % 4 === 0 ? `${title} red` : title,
    brand: `brand ${Math.floor(random() * 50)}`,
    price: Math.floor(random() * 500),
  }));
}

/** One word with two facets: the target is for 200,000 products. */
async function measureFacets(products) {
  const graph = new svc.Graph("products");
  for (const [number, properties] of products.entries()) {
    graph.createVertex(String(number), { properties });
  }
  graph.index("text", { keys: ["title"], columns: ["brand", "price"] });
  while (!isBuilt(graph)) await new Promise((done) => setTimeout(done, 50));
  const facets = { brand: 10, price: { ranges: LIMITS } };
  const run = () => graph.search("red", { hits: TOP, facets }).facets;
  const peer = await startProducts(products, LIMITS);
  if (peer !== null) {
    const [found, expected] = [run(), peer("red")].map(({ brand, price }) => [brand, price]);
    const shown = JSON.stringify(expected);
    if (JSON.stringify(found) !== shown) throw new Error(`other facets than FTS5: ${shown}`);
  }
  const us = medianUs(run);
  const isLarge = products.length >= TARGET_PRODUCTS;
  const label = `1 word and 2 facets of ${products.length} products`;
  targets.push({ label, value: us / 1000, atMost: isLarge ? 3 : undefined, unit: "ms" });
  if (peer === null) return;
  const value = medianUs(() => peer("red")) / us;
  targets.push({
    label: `${label}: FTS5 / svc`,
    value,
    atLeast: isLarge ? 20 : undefined,
    unit: "times",
  });
}

/** Two conditions on arcs to named vertices: the target is for 200,000 products. */
function measureAdjacent(count) {
  const graph = new svc.Graph("arcs");
  const some = (name, limit) => `${name}${Math.floor(random() * limit)}`;
  for (let number = 0; number < count; number++) {
    graph.connect(String(number), "in", some("category", CATEGORIES));
    graph.connect(String(number), "has", some("tag", TAGS));
  }
  const and = [
    { adjacent: { arc: "in", neighbor: "category3" } },
    { adjacent: { arc: "has", neighbor: "tag1" } },
  ];
  const us = medianUs(() => graph.vertices({ condition: { and }, hits: TOP, counts: true }));
  const atMost = count < TARGET_PRODUCTS ? undefined : 2;
  const label = `two adjacent conditions of ${count} products`;
  targets.push({ label, value: us / 1000, atMost, unit: "ms" });
}

/** Changes of titles with an index and without, and searches before they are in the index. */
async function measureChanges(texts) {
  const [plain, indexed] = ["plain", "changed"].map((name) => {
    const graph = new svc.Graph(name);
    for (const [number, title] of texts.entries()) {
      graph.createVertex(String(number), { properties: { title } });
    }
    return graph;
  });
  indexed.index("text", { keys: ["title"] });
  const [words] = searchClasses(texts).find(({ label }) => label === "2 words").searches;
  const run = () => search(indexed, "all", words, TOP);
  const figures = { plain: [], indexed: [], built: [], pending: [] };
  for (let round = 0; round < CHANGE_ROUNDS; round++) {
    while (!isBuilt(indexed)) await new Promise((done) => setTimeout(done, 50));
    figures.built.push(medianUs(run));
    figures.plain.push(changeUs(plain, texts, round));
    figures.indexed.push(changeUs(indexed, texts, round));
    // The first search reads the changed texts.
    run();
    const us = usOf(run, PENDING_SEARCHES);
    if (indexed.textIndexes()[0].pending >= PENDING) figures.pending.push(us);
  }
  const [plainUs, indexedUs, builtUs, pendingUs] = Object.values(figures).map(median);
  const value = indexedUs / plainUs;
  targets.push({ label: "setProperty with an index / without", value, atMost: 3, unit: "times" });
  const label = `${PENDING} changes add to a search`;
  targets.push({ label, value: (pendingUs - builtUs) / 1000, atMost: 0.3, unit: "ms" });
}

/** Changes titles of open vertices; returns the CPU time of each change. */
function changeUs(graph, texts, round) {
  const vertices = Array.from({ length: PENDING }, (_, at) => {
    return graph.openVertex(String((at * 7 + round) % texts.length));
  });
  const begun = threadSeconds();
  for (const [at, vertex] of vertices.entries()) {
    vertex.setProperty("title", texts[(at * 13 + round * 31) % texts.length]);
  }
  const us = ((threadSeconds() - begun) / PENDING) * 1e6;
  for (const vertex of vertices) vertex.close();
  return us;
}

/** Returns the median CPU time of a call in microseconds. */
function medianUs(run) {
  for (let count = 0; count < options.searches; count++) run();
  return median(Array.from({ length: options.rounds }, () => usOf(run, options.searches)));
}

/** Returns the CPU time of each of several calls in microseconds. */
function usOf(run, calls) {
  const begun = threadSeconds();
  for (let count = 0; count < calls; count++) run();
  return ((threadSeconds() - begun) / calls) * 1e6;
}

function formatUs(us) {
  return us === null ? "" : us.toFixed(0);
}

function isBuilt(graph) {
  const [{ complete, pending }] = graph.textIndexes();
  return complete && pending === 0;
}

/** Searches of words that a random text contains. */
function searchClasses(texts) {
  const some = (make) =>
    Array.from({ length: options.searches }, () => {
      const words = texts[Math.floor(random() * texts.length)].split(" ");
      return make(words, Math.floor(random() * (words.length - 3)));
    });
  const next = (count) => some((words, at) => words.slice(at, at + count));
  return [
    { label: "1 word", kind: "all", searches: next(1) },
    { label: "2 words", kind: "all", searches: next(2) },
    { label: "2 words, any", kind: "any", searches: next(2) },
    { label: "3 words, any", kind: "any", searches: next(3) },
    { label: "phrase of 2", kind: "phrase", searches: next(2) },
    {
      label: "prefix of 5",
      kind: "prefix",
      searches: some((words, at) => [words[at].slice(0, 5)]),
    },
    { label: "1 typo", kind: "fuzzy", searches: some((words, at) => [misspell(words[at])]) },
  ];
}

/** Replaces the fourth letter. */
function misspell(word) {
  return `${word.slice(0, 3)}x${word.slice(4)}`;
}

/** Searches the graph; returns the ids as numbers. */
function search(graph, kind, words, hits) {
  const text = kind === "phrase" ? `"${words.join(" ")}"` : words.join(" ");
  const match = kind === "any" ? "any" : "all";
  const asked = { hits, match, prefix: kind === "prefix", fuzzy: kind === "fuzzy" ? 1 : 0 };
  return graph.search(text, { ...asked, fields: ["id", "text"], result: "list" });
}

/** @throws Error if a list differs from that of FTS5 or of the scorer */
function compareResults(graph, peers, lists, { label, kind, searches }) {
  const fts5 = peers.find((peer) => peer.name === "FTS5");
  for (const words of searches) {
    const found = search(graph, kind, words, ALL).map(([id]) => Number(id));
    if (kind !== "fuzzy" && fts5 !== undefined && found.length < ALL) {
      requireEqual(found.toSorted(byNumber), fts5.matches(kind, words), `${label}: ${words}`);
    }
    if (kind !== "all" && kind !== "any") continue;
    const scores = search(graph, kind, words, TOP).map(([, score]) => score);
    requireEqual(scores, bestScores(lists, words, kind), `scores of ${label}: ${words}`);
  }
}

function byNumber(a, b) {
  return a - b;
}

function requireEqual(found, expected, label) {
  const isEqual =
    found.length === expected.length &&
    found.every((value, at) => Math.abs(value - expected[at]) <= TOLERANCE * Math.abs(value));
  if (isEqual) return;
  throw new Error(`${label}: found ${found.slice(0, TOP)}, not ${expected.slice(0, TOP)}`);
}

/** Returns the ten best BM25 scores, calculated from the texts. */
function bestScores(lists, words, kind) {
  const counts = lists.map((list) => words.map((word) => countWord(list, word)));
  const idfs = words.map((_, at) => {
    const frequency = counts.filter((row) => row[at] > 0).length;
    return Math.log(1 + (lists.length - frequency + 0.5) / (frequency + 0.5));
  });
  const average = lists.reduce((sum, list) => sum + list.length, 0) / lists.length;
  const minimum = kind === "all" ? words.length : 1;
  const scores = counts.flatMap((row, document) => {
    if (row.filter((count) => count > 0).length < minimum) return [];
    const share = 1 - B + (B * roundLength(lists[document].length)) / average;
    return [row.reduce((sum, count, at) => sum + (idfs[at] * count) / (count + K1 * share), 0)];
  });
  const best = scores.sort((a, b) => b - a).slice(0, TOP);
  return best.map((score) => score * (K1 + 1));
}

function countWord(list, word) {
  let count = 0;
  for (const entry of list) if (entry === word) count++;
  return count;
}

/** Rounds a length as Lucene does: exact below 40, then four significant bits above 24. */
function roundLength(length) {
  if (length < 40) return length;
  const shift = 28 - Math.clz32(length - 24);
  return 24 + (((length - 24) >>> shift) << shift);
}

/** Returns the CPU time per search of the graph and of each peer; null for what a peer lacks. */
function measureClass(graph, peers, { kind, searches }) {
  const runs = [
    (words) => search(graph, kind, words, TOP),
    ...peers.map((peer) => (peer.has(kind) ? (words) => peer.search(kind, words, TOP) : null)),
  ];
  return runs.map((run) => {
    if (run === null) return null;
    let at = 0;
    return medianUs(() => run(searches[at++ % searches.length]));
  });
}
