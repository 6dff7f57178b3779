// Graphs of small memory: reserved addresses, refused changes, and persistence.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { relocateGraph } from "../../../../runtime/graph/manager/graph-compactor.js";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { trackGraph } from "../../../../runtime/graph/manager/track-graph.js";
import { reservationFor, reservedBytes } from "../../../../runtime/graph/memory/graph-memory.js";
import { ARENAS, Header } from "../../../../runtime/graph/memory/layout.js";
import { D_OUT, M_INT, V_GT } from "../../../../runtime/graph/model/constants.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ folder: string }>("memory size of graphs");
const GIB = 2 ** 30;
const HUB_ARCS = 200;

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-memory-size-"));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function makeSmall(): GraphStore {
  const store = GraphStore.create("small", TEST_THREAD, { size: "small" });
  const graph = openStore(store);
  for (let index = 0; index < HUB_ARCS; index++)
    graph.connect("hub", ["to", M_INT, index], `leaf ${index}`);
  return store;
}

test("reserves less than 4 GiB", () => {
  const reservations = ARENAS.map((arena) => reservationFor(arena, "small", false));
  assert.ok(reservedBytes(reservations) < 4 * GIB);
  const { memories } = makeSmall().share;
  assert.ok(memories.every((memory) => memory instanceof SharedArrayBuffer));
});

test("counts the arcs of hubs without a kernel", () => {
  const store = makeSmall();
  const graph = openStore(store);
  assert.is(graph.degree("hub", ["to", D_OUT, M_INT, V_GT, 49]), 150);
  assert.is(graph.degree("hub", ["to", D_OUT]), HUB_ARCS);
  assert.is(graph.deleteVertex("hub"), 1);
  assert.is(graph.order, 0);
  checkStore(store);
});

test("refuses vectors, and empties the graph", () => {
  const store = makeSmall();
  const graph = openStore(store);
  assert.throws(
    () => graph.createVertex("a", { vector: [1, 2, 3] }),
    (error: Error) => error instanceof CapacityError && /has no vectors/.test(error.message),
  );
  assert.not(graph.hasVertex("a"));
  const hub = graph.openVertex("hub");
  assert.equal(hub.vector, []);
  hub.close();
  graph.truncate();
  assert.is(graph.order, 0);
  checkStore(store);
});

test("is full at 128 MiB of one kind of data", () => {
  const store = makeSmall();
  const { writer, memory } = store;
  assert.throws(
    () => writer.mutate(() => writer.ensureWords(memory.strings, 2 ** 25 + 2 ** 16)),
    (error: Error) => error instanceof CapacityError && /reached 128 MiB/.test(error.message),
  );
});

test("is preserved when the graph is compacted, saved and loaded", ({ folder }) => {
  const store = makeSmall();
  trackGraph(store, () => undefined);
  assert.ok(relocateGraph(store));
  assert.ok(store.share.memories.every((memory) => memory instanceof SharedArrayBuffer));
  saveGraph(store, folder);
  const loadedStore = loadGraph("small", folder, TEST_THREAD)!;
  assert.is(loadedStore.share.size, "small");
  assert.is(loadedStore.memory.header.words[Header.IsSmall], 1);
  assert.is(openStore(loadedStore).degree("hub", ["to", D_OUT]), HUB_ARCS);
  const largeStore = loadGraph("small", folder, TEST_THREAD, { size: "large" })!;
  assert.is(largeStore.share.size, "large");
  openStore(largeStore).createVertex("a", { vector: [1, 2, 3] });
  saveGraph(largeStore, folder);
  // It has vectors now, which small memory cannot hold.
  assert.is(loadGraph("small", folder, TEST_THREAD, { size: "small" })!.share.size, "auto");
});

test.run();
