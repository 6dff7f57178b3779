// Arenas of automatic size: the memory that an empty graph reserves, enlargements, and refusals.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { trackGraph } from "../../../../runtime/graph/manager/track-graph.js";
import { isEnlarged } from "../../../../runtime/graph/memory/graph-memory.js";
import {
  enlargeAboveWords,
  Header,
  maxFirstWords,
} from "../../../../runtime/graph/memory/layout.js";
import { D_OUT, M_INT, V_GT } from "../../../../runtime/graph/model/constants.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { transpiledModule } from "../../../runner/transpiled.mjs";
import { checkStore } from "../support/check-store.js";
import { graphContent } from "../support/graph-content.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("enlargement");
const TEXT_BYTES = 120_000;
const isLinux = process.platform === "linux";

/** Source of a process that makes graphs and prints by how many GiB its addresses grew. */
const MAKE = `
  import(process.argv[1]).then(({ GraphStore }) => {
    const { readFileSync } = require("node:fs");
    const status = () => readFileSync("/proc/self/status", "utf8");
    const used = () => Number(/VmSize:\\s+(\\d+)/.exec(status())[1]);
    const before = used();
    const graphs = [];
    for (let index = 1; index <= 20; index++) graphs.push(GraphStore.create("g" + index, index));
    console.log(JSON.stringify({ graphs: graphs.length, gib: (used() - before) / 2 ** 20 }));
  });
`;

test("twenty empty graphs fit into 96 GiB of addresses, less than 4 GiB each", () => {
  if (!isLinux) return;
  const source = transpiledModule(
    new URL("../../../../runtime/graph/store/graph-store.ts", import.meta.url),
  ).href;
  const shell = `ulimit -v ${96 * 2 ** 20}; exec "$0" -e "$1" "$2"`;
  const args = ["-c", shell, process.execPath, MAKE, source];
  const { graphs, gib } = JSON.parse(execFileSync("sh", args, { encoding: "utf8" })) as {
    graphs: number;
    gib: number;
  };
  assert.is(graphs, 20);
  assert.ok(gib / graphs < 4, `${gib / graphs} GiB a graph`);
});

test("enlarges an arena before the next change once it is a quarter full", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const { strings, ids } = store.memory;
  const text = "x".repeat(TEXT_BYTES);
  const maxBytes = (enlargeAboveWords("strings") * 4) / TEXT_BYTES;
  const count = Math.ceil(maxBytes * 1.2);
  for (let index = 0; index < count; index++) {
    const isRequested = store.memory.header.words[Header.Enlarging] !== 0;
    graph.createVertex(`${index}`, { properties: { text: `${index}${text}` } });
    if (isRequested) assert.ok(isEnlarged(strings), "before the next change");
    if (index < maxBytes / 2) assert.not(isEnlarged(strings));
  }
  assert.ok(isEnlarged(strings));
  assert.not(isEnlarged(ids));
  assert.is(store.memory.header.words[Header.Enlarging], 0);
  for (let index = 0; index < count; index++) {
    assert.is(graph.getVertex(`${index}`)?.properties.text, `${index}${text}`);
  }
  checkStore(store);
});

test("enlarges arenas between the changes of a log that is replayed", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const { ids } = store.memory;
  store.writer.runUnshared(() => {
    store.memory.requestEnlargement(ids);
    store.writer.mutate(() => undefined);
  });
  assert.ok(isEnlarged(ids));
});

test("uses kernels for hubs and vectors from the second query on", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < 100; index++)
    graph.connect("hub", ["to", M_INT, index], `leaf ${index}`);
  const count = (): number =>
    graph.neighborhood("hub", { arc: ["to", D_OUT, M_INT, V_GT, 49] }).length;
  graph.createVertex("a", { vector: [1, 2, 3] });
  assert.is(graph.degree("hub", ["to", D_OUT, M_INT, V_GT, 49]), 50);
  assert.not(isEnlarged(store.memory.outArcs));
  assert.is(count(), 50);
  assert.ok(isEnlarged(store.memory.outArcs));
  assert.ok(isEnlarged(store.memory.vectors));
  assert.is(graph.degree("hub", ["to", D_OUT, M_INT, V_GT, 49]), 50);
  assert.equal(graph.nearest([1, 2, 3])[0]!.id, "a");
});

test("finds the same vectors before and after the enlargement", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const makeVector = (index: number): number[] =>
    Array.from({ length: 40 }, (_, position) => Math.sin(index * 7 + position));
  graph.batch(() => {
    for (let index = 0; index < 200; index++) {
      graph.createVertex(`${index}`, { vector: makeVector(index) });
    }
    assert.not(isEnlarged(store.memory.vectors), "not within a batch");
    const nearest = graph.nearest(makeVector(7), { hits: 5 });
    assert.is(nearest[0]!.id, "7");
    assert.is(nearest.length, 5);
  });
  const before = graph.nearest(makeVector(8), { hits: 9 });
  assert.ok(isEnlarged(store.memory.vectors));
  assert.equal(graph.nearest(makeVector(8), { hits: 9 }), before);
});

test("refuses a change that adds more than fits, and enlarges the arena for the next one", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const { writer, memory } = store;
  graph.createVertex("a");
  const before = graphContent(store);
  assert.throws(
    () => writer.mutate(() => writer.ensureWords(memory.strings, maxFirstWords("strings") * 2)),
    (error: Error) => error instanceof CapacityError && /memory "large"/.test(error.message),
  );
  assert.equal(graphContent(store), before);
  writer.mutate(() => writer.ensureWords(memory.strings, maxFirstWords("strings") + 1));
  assert.ok(isEnlarged(memory.strings));
});

test("waits for a thread that tracks the graph and is busy", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  assert.ok(trackGraph(store, () => {}));
  assert.ok(trackGraph(GraphStore.attach(store.share, TEST_THREAD + 1), () => {}));
  const graph = openStore(store);
  store.memory.requestEnlargement(store.memory.strings);
  graph.createVertex("a");
  assert.not(isEnlarged(store.memory.strings), "one thread answers for two");
  assert.is(store.memory.header.words[Header.Moves]! % 2, 0);
  assert.ok(graph.hasVertex("a"));
});

test("loads an arena that was enlarged as such", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-enlarged-"));
  try {
    const store = GraphStore.create("test", TEST_THREAD);
    const graph = openStore(store);
    const text = "y".repeat(TEXT_BYTES);
    for (let index = 0; index < 400; index++) {
      graph.createVertex(`${index}`, { properties: { text: `${index}${text}` } });
    }
    graph.createVertex("vector", { vector: [1, 2, 3] });
    saveGraph(store, folder);
    const { memory } = loadGraph("test", folder, TEST_THREAD)!;
    assert.ok(isEnlarged(memory.strings));
    assert.ok(isEnlarged(memory.vectors));
    assert.not(isEnlarged(memory.record));
    assert.is(memory.share.size, "auto");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("reserves everything at once for large memory", () => {
  const { memory } = GraphStore.create("test", TEST_THREAD, { size: "large" });
  assert.ok(memory.arenas.every(isEnlarged));
});

test.run();
