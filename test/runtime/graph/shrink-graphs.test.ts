// Compaction of graphs: contents afterwards, conditions, and threads that delay it.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphCompactor, relocateGraph } from "../../../runtime/graph/manager/graph-compactor.js";
import { GraphRegistry } from "../../../runtime/graph/manager/graph-registry.js";
import { loadGraph } from "../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../runtime/graph/manager/snapshot/save-graph.js";
import { trackGraph } from "../../../runtime/graph/manager/track-graph.js";
import { countReleasedWords } from "../../../runtime/graph/memory/free-space.js";
import { Header } from "../../../runtime/graph/memory/layout.js";
import { forgetThread, hasThread } from "../../../runtime/graph/memory/safepoint.js";
import { usedWords } from "../../../runtime/graph/memory/used-words.js";
import { D_OUT, M_INT, V_GT } from "../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { checkStore } from "./support/check-store.js";
import { graphContent } from "./support/graph-content.js";
import { openStore, TEST_THREAD } from "./support/make-graph.js";

const test = suite("graph compaction");
const OTHER_THREAD = TEST_THREAD + 1;
const ARCS = 200;
const LENGTH = 64;

function followed(name = "test"): GraphStore {
  const store = GraphStore.create(name, TEST_THREAD);
  assert.ok(trackGraph(store, () => {}));
  return store;
}

/** A graph in a thread that has used each part of it. */
function questions(store: GraphStore): () => unknown {
  const graph = openStore(store);
  const arc = ["to", D_OUT, M_INT, V_GT, 50] as const;
  const known = graph.newNeighborhoodQuery("hub", { arc });
  const vector = Array.from({ length: LENGTH }, (_, index) => index % 7);
  return () => [
    graph.vertices(),
    graph.neighborhood("hub", { arc, result: "list" }),
    known.count(),
    graph.vertices({ condition: { property: { name: "text 7" } } }),
    graph.nearest(vector, { hits: 5 }),
  ];
}

function fill(store: GraphStore): void {
  const graph = openStore(store);
  for (let index = 0; index < ARCS; index++) {
    const id = `vertex ${index}`;
    graph.connect("hub", ["to", M_INT, index], id);
    graph.createVertex(id, { type: "some", properties: { name: `text ${index}`, index } });
    const vertex = graph.openVertex(id);
    vertex.setVector(Array.from({ length: LENGTH }, (_, position) => (position * index) % 11));
    vertex.close();
  }
}

test("preserves the graph, which can be changed, saved and loaded", () => {
  const store = followed();
  fill(store);
  const query = questions(store);
  const before = [graphContent(store), query()];
  const memory = store.memory.record.words.buffer;
  assert.ok(relocateGraph(store));
  assert.is.not(store.memory.record.words.buffer, memory);
  assert.equal([graphContent(store), query()], before);
  checkStore(store);
  openStore(store).deleteVertex("vertex 3");
  fill(store);
  checkStore(store);
  const folder = mkdtempSync(join(tmpdir(), "svc-moved-"));
  try {
    saveGraph(store, folder);
    const loadedStore = loadGraph("test", folder, TEST_THREAD)!;
    assert.equal(graphContent(loadedStore), graphContent(store));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("invalidates cached ids of handles", () => {
  const store = followed();
  const graph = openStore(store);
  graph.createVertex("old");
  assert.equal(graph.vertices(), ["old"]);
  graph.truncate();
  assert.ok(relocateGraph(store));
  graph.createVertex("new");
  assert.equal(graph.vertices(), ["new"]);
});

test("rejects a share from before the relocation", () => {
  const store = followed();
  const old = { ...store.share, memories: [...store.share.memories] };
  assert.ok(relocateGraph(store));
  assert.not.ok(trackGraph(GraphStore.attach(old, OTHER_THREAD), () => {}));
  assert.ok(trackGraph(GraphStore.attach(store.share, OTHER_THREAD), () => {}));
});

test("waits while a graph is saved or a thread misses the safepoint", () => {
  const store = followed();
  fill(store);
  store.memory.header.words[Header.Saving] = OTHER_THREAD;
  assert.not.ok(relocateGraph(store), "it is being saved");
  store.memory.header.words[Header.Saving] = 0;
  const { memories } = store.share;
  assert.ok(trackGraph(GraphStore.attach({ ...store.share, memories }, OTHER_THREAD), () => {}));
  assert.ok(hasThread(store.memory, OTHER_THREAD));
  assert.not.ok(relocateGraph(store), "one answers for two");
  forgetThread(store.memory, OTHER_THREAD);
  assert.ok(relocateGraph(store));
  checkStore(store);
});

test("relocates only graphs that have shrunk a lot, once all threads have them", () => {
  const graphs = new GraphRegistry(TEST_THREAD);
  const lines: string[] = [];
  let threads = [OTHER_THREAD];
  const shrinker = new GraphCompactor(
    graphs,
    () => threads,
    (line) => lines.push(line),
  );
  const createdStore = GraphStore.create("large", TEST_THREAD);
  const shared = { share: createdStore.share, path: null, logPath: "large", isLocal: false };
  const { store } = graphs.add(shared)!;
  const graph = openStore(store);
  const bytes = (): number => {
    store.memory.refresh();
    return store.memory.arenas.reduce((sum, { words }) => sum + words.byteLength, 0);
  };
  const text = "x".repeat(100_000);
  for (let index = 0; index < 800; index++) {
    graph.createVertex(`${index}`, { properties: { text: `${index}${text}` } });
  }
  const full = bytes();
  const look = (): void => {
    shrinker.slice();
    assert.is(lines.length, 0);
    assert.is(bytes(), full);
  };
  look();
  graph.truncate();
  look();
  threads = [TEST_THREAD];
  shrinker.slice();
  assert.is(lines.length, 0, "it waits before it tries again");
  new GraphCompactor(
    graphs,
    () => threads,
    (line) => lines.push(line),
  ).slice();
  assert.match(lines.join(), /^graph "large": released \d+ MiB of memory$/);
  assert.ok(bytes() < full / 2, `${full} became ${bytes()}`);
  graph.createVertex("again");
  assert.equal(graph.vertices(), ["again"]);
});

test("releases the space between scattered strings, and uses it again", () => {
  const graphs = new GraphRegistry(TEST_THREAD);
  const lines: string[] = [];
  const shrinker = new GraphCompactor(
    graphs,
    () => [TEST_THREAD],
    (line) => lines.push(line),
  );
  const createdStore = GraphStore.create("scattered", TEST_THREAD);
  const shared = { share: createdStore.share, path: null, logPath: "scattered", isLocal: false };
  const { store } = graphs.add(shared)!;
  const graph = openStore(store);
  const text = "x".repeat(100_000);
  const create = (index: number) =>
    graph.createVertex(`${index}`, { properties: { text: `${index}${text}` } });
  for (let index = 0; index < 900; index++) create(index);
  const { strings } = store.memory;
  const released = (): number => countReleasedWords(store.memory, strings) * 4;
  const lastKept = 880;
  for (let index = 0; index < 900; index++) if (index % 110 !== 0) graph.deleteVertex(`${index}`);
  const end = (): number => usedWords(store.memory)[strings.id]!;
  const before = [graphContent(store), end()] as const;
  const folder = mkdtempSync(join(tmpdir(), "svc-scattered-"));
  saveGraph(store, folder);
  shrinker.slice();
  assert.match(lines.join(), /^graph "scattered": released \d+ MiB of memory$/);
  assert.ok(released() > 64 * 2 ** 20, `${released()} bytes`);
  assert.ok(isDeepStrictEqual(graphContent(store), before[0]));
  assert.ok(end() < before[1], "the end lies behind the last string");
  checkStore(store);
  shrinker.slice();
  assert.is(lines.length, 1, "once");
  try {
    // The free lists differ from the snapshot, although no operation has changed the graph.
    graph.createVertex("new");
    saveGraph(store, folder);
    assert.ok(existsSync(join(folder, "graph.snapshot.delta")));
    const loadedStore = loadGraph("scattered", folder, TEST_THREAD)!;
    assert.ok(isDeepStrictEqual(graphContent(loadedStore), graphContent(store)));
    checkStore(loadedStore);
    assert.is(
      countReleasedWords(loadedStore.memory, loadedStore.memory.strings),
      0,
      "all was read",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  const endBefore = end();
  for (let index = 1; index < lastKept; index++) if (index % 110 !== 0) create(index);
  assert.is(end(), endBefore);
  assert.ok(released() < 8 * 2 ** 20, `${released()} bytes`);
  checkStore(store);
});

test("logs once after a minute which busy thread prevents it", () => {
  const graphs = new GraphRegistry(TEST_THREAD);
  const lines: string[] = [];
  const createdStore = GraphStore.create("kept", TEST_THREAD);
  const shared = { share: createdStore.share, path: null, logPath: "kept", isLocal: false };
  const { store } = graphs.add(shared)!;
  // As large as if it had been full.
  store.memory.strings.grow(2 ** 25);
  const { now } = performance;
  let ahead = 0;
  performance.now = () => now.call(performance) + ahead;
  try {
    const shrinker = new GraphCompactor(
      graphs,
      () => [OTHER_THREAD],
      (line) => lines.push(line),
    );
    for (; ahead < 30_000; ahead += 500) shrinker.slice();
    assert.equal(lines, []);
    for (; ahead < 300_000; ahead += 500) shrinker.slice();
  } finally {
    performance.now = now;
  }
  assert.is(lines.length, 1);
  assert.match(lines[0]!, /^graph "kept": 1\d\d MiB of unused memory not released for 1 min: /);
});

test.run();
