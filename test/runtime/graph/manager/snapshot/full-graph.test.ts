// A graph whose strings fill their entire arena must load like any other. Untouched memory is not
// committed, so that most of the arena is only marked as used. FULL=1 also saves and loads it,
// which takes 8 GiB of disk.
// limit: 600 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { loadGraph } from "../../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import {
  decodeHeader,
  encodeHeader,
} from "../../../../../runtime/graph/manager/snapshot/snapshot-format.js";
import { storedArenas } from "../../../../../runtime/graph/manager/snapshot/write-memory.js";
import { MAX_ARENA_WORDS } from "../../../../../runtime/graph/memory/arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS } from "../../../../../runtime/graph/memory/layout.js";
import { CapacityError } from "../../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite("full graphs");
/** Free bytes of the string arena of 4 GiB. */
const LEFT_WORDS = 2 ** 18;
const TEXT_LENGTH = 100_000;

/** A store so full of strings that not even the shortest one fits. */
function fullStore(): GraphStore {
  const store = GraphStore.create("full", TEST_THREAD);
  const { header, strings } = store.memory;
  const bump = ALLOCATORS + strings.id * ALLOCATOR_WORDS;
  store.writer.mutate(() => store.writer.put(header, bump, 2 ** 30 - LEFT_WORDS));
  const graph = openStore(store);
  for (let length = TEXT_LENGTH; length > 0; length >>>= 1) fill(graph, length);
  return store;
}

/** Adds strings of one length until none fits. */
function fill(graph: Graph, length: number): void {
  for (let number = 0; ; number++) {
    const text = `${number}`.padEnd(length, ".");
    try {
      graph.createVertex(`${length}-${number}`, { properties: { text } });
    } catch (error) {
      if (error instanceof CapacityError) return;
      throw error;
    }
  }
}

test("pass the validation of arena sizes when loading", () => {
  const store = fullStore();
  const arenas = storedArenas(store.memory);
  assert.ok(arenas[store.memory.strings.id]!.words > 2 ** 30 - LEFT_WORDS, "it is full");
  const header = { name: "full", savedAt: 1, operationCount: 1, arenas, base: null };
  const page = encodeHeader({ ...header, tablePage: 1, tableChecksum: 0 });
  assert.equal(decodeHeader(page).arenas, arenas);
});

test("never store anything larger than a snapshot can hold", () => {
  const { writer, memory } = GraphStore.create("full", TEST_THREAD);
  for (const arena of memory.arenas) {
    assert.throws(
      () => writer.ensureWords(arena, MAX_ARENA_WORDS + 1),
      (error: Error) => error instanceof CapacityError,
    );
  }
});

if (process.env.FULL !== undefined) {
  test("survive a save and load", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-full-"));
    try {
      const store = fullStore();
      saveGraph(store, folder);
      const loadedStore = loadGraph("full", folder, TEST_THREAD)!;
      assert.is(loadedStore.order, store.order);
      const last = [...openStore(store).vertices()].at(-1)!;
      const readText = (graph: Graph): unknown => graph.getVertex(last).getProperty("text");
      assert.equal(readText(openStore(loadedStore)), readText(openStore(store)));
      const properties = { text: "x".repeat(TEXT_LENGTH) };
      assert.throws(
        () => openStore(loadedStore).createVertex("another", { properties }),
        (error: Error) => error instanceof CapacityError,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
