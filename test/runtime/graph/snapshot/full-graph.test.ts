// A graph whose texts fill all the memory that there is for them: it must come back like any other.
// What is never touched costs nothing, so that most of the memory is only said to be in use.
// FULL=1 saves and loads it as well, which takes 8 GiB of disk.
// limit: 600 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { MAX_ARENA_WORDS } from "../../../../runtime/graph/memory/arena.js";
import { ALLOCATOR_WORDS, ALLOCATORS } from "../../../../runtime/graph/memory/layout.js";
import { CapacityError } from "../../../../runtime/graph/model/errors.js";
import { loadGraph } from "../../../../runtime/graph/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/snapshot/save-graph.js";
import { decodeHeader, encodeHeader } from "../../../../runtime/graph/snapshot/snapshot-format.js";
import { storedArenas } from "../../../../runtime/graph/snapshot/stored-arenas.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("full graphs");
/** Left of the memory for texts, of 4 GiB. */
const LEFT_WORDS = 2 ** 18;
const TEXT_LENGTH = 100_000;

/** A store with so many texts that there is no room for another one, however short. */
function fullStore(): GraphStore {
  const store = GraphStore.create("full", TEST_THREAD);
  const { header, strings } = store.memory;
  const bump = ALLOCATORS + strings.id * ALLOCATOR_WORDS;
  store.writer.mutate(() => store.writer.put(header, bump, 2 ** 30 - LEFT_WORDS));
  const graph = openStore(store);
  for (let length = TEXT_LENGTH; length > 0; length >>>= 1) fill(graph, length);
  return store;
}

/** Adds texts of one length until there is no room for another one. */
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

test("what a full graph says of its memory is accepted when it is read", () => {
  const store = fullStore();
  const arenas = storedArenas(store.memory);
  assert.ok(arenas[store.memory.strings.id]!.words > 2 ** 30 - LEFT_WORDS, "it is full");
  const header = { name: "full", savedAt: 1, operationCount: 1, arenas };
  const page = encodeHeader({ ...header, tablePage: 1, tableChecksum: 0 });
  assert.equal(decodeHeader(page).arenas, arenas);
});

test("nothing that is stored may take more than a snapshot can hold", () => {
  const { writer, memory } = GraphStore.create("full", TEST_THREAD);
  for (const arena of memory.arenas) {
    assert.throws(
      () => writer.ensureWords(arena, MAX_ARENA_WORDS + 1),
      (error: Error) => error instanceof CapacityError,
    );
  }
});

if (process.env.FULL !== undefined) {
  test("a full graph comes back", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-full-"));
    try {
      const store = fullStore();
      saveGraph(store, folder);
      const loaded = loadGraph("full", folder, TEST_THREAD)!;
      assert.is(loaded.order, store.order);
      const last = [...openStore(store).vertices()].at(-1)!;
      const textOf = (graph: Graph): unknown => graph.getVertex(last).getProperty("text");
      assert.equal(textOf(openStore(loaded)), textOf(openStore(store)));
      const properties = { text: "x".repeat(TEXT_LENGTH) };
      assert.throws(
        () => openStore(loaded).createVertex("another", { properties }),
        (error: Error) => error instanceof CapacityError,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
