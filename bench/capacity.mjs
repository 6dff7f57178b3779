// Memory of graphs by content, in bytes: the numbers of docs/guides/capacity.md. Each row uses its
// own graph, and measures the growth from half of the contents to all, which excludes fixed costs.
//
//   node capacity.mjs [--count 100000]

import { setTimeout as sleep } from "node:timers/promises";
import { printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { initialize, svc } from "./lib/package.mjs";

const VECTOR_LENGTH = 128;
const ARCS_PER_VERTEX = 10;
const WORDS_PER_TEXT = 20;
const VOCABULARY = 20_000;

const { count } = readOptions({ count: 100_000 });
let state = 1;

/** `atMost`: bytes that the guide promises. */
const ROWS = [
  { label: "vertex, id of 16 characters", atMost: 190, add: addVertex },
  { label: "arc", atMost: 50, before: addVertex, add: addArcs, units: ARCS_PER_VERTEX },
  { label: "number", atMost: 12, before: addVertex, add: property((n) => n) },
  { label: "text of 10 characters", atMost: 85, before: addVertex, add: property(text(10)) },
  { label: "text of 100 characters", atMost: 190, before: addVertex, add: property(text(100)) },
  { label: "vector of 128 components", atMost: 180, before: addVertex, add: addVector },
  {
    label: "vector of 128 components, indexed",
    atMost: 360,
    before: addVertex,
    index: (graph) => graph.index("vectors", { length: VECTOR_LENGTH }),
    add: addVector,
  },
  {
    label: "number, indexed",
    atMost: 90,
    before: addVertex,
    index: (graph) => graph.index("property", { key: "value" }),
    add: property((n) => n),
  },
  {
    label: "word of a text, indexed",
    atMost: 20,
    before: addVertex,
    index: (graph) => graph.index("text", { keys: ["value"] }),
    add: property(words),
    units: WORDS_PER_TEXT,
  },
];

await initialize();
const targets = [];
for (const row of ROWS) {
  const value = (await measureGrowth(row)) / count / (row.units ?? 1);
  targets.push({ label: row.label, value, atMost: row.atMost, unit: "bytes" });
}
printTargets(targets);
await svc.system.unload();

/** Returns the growth by the second half of the contents, in bytes. */
async function measureGrowth({ label, before, index, add }) {
  const graph = new svc.Graph(label.replaceAll(/\W/g, ""));
  for (let n = 0; before !== undefined && n < 2 * count; n++) before(graph, n);
  index?.(graph);
  for (let n = 0; n < count; n++) add(graph, n);
  const half = await usedBytes(graph);
  for (let n = count; n < 2 * count; n++) add(graph, n);
  const bytes = (await usedBytes(graph)) - half;
  graph.close();
  return bytes;
}

/** Returns the memory of a graph once its indexes have caught up. */
async function usedBytes(graph) {
  const bytes = () =>
    Object.entries(graph.getMemoryUsage())
      .filter(([metric]) => !metric.startsWith("system."))
      .reduce((sum, [, value]) => sum + value, 0);
  for (let former = -1; former !== bytes(); await sleep(2000)) former = bytes();
  return bytes();
}

function random(limit) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

function id(n) {
  return `vertex-${String(n).padStart(9, "0")}`;
}

function addVertex(graph, n) {
  graph.createVertex(id(n));
}

function addArcs(graph) {
  for (let n = 0; n < ARCS_PER_VERTEX; n++) {
    graph.connect(id(random(2 * count)), ["to", 5, 1], id(random(2 * count)));
  }
}

function property(make) {
  return (graph, n) => {
    const vertex = graph.openVertex(id(n));
    vertex.setProperty("value", make(n));
    vertex.close();
  };
}

function text(length) {
  return (n) => String(n).padStart(length, "x");
}

/** Returns a text of words, of which some are frequent. */
function words() {
  const word = () => `word${Math.floor(VOCABULARY ** (random(1000) / 1000))}`;
  return Array.from({ length: WORDS_PER_TEXT }, word).join(" ");
}

function addVector(graph, n) {
  const vertex = graph.openVertex(id(n));
  vertex.setVector(Array.from({ length: VECTOR_LENGTH }, () => random(2000) - 1000));
  vertex.close();
}
