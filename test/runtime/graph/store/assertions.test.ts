// Assertions of the graph engine: memory that violates an assumption stops the change that relies
// on it, before that writes anything else.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AssertionError } from "../../../../runtime/base/assert.js";
import { drainTransactions } from "../../../../runtime/graph/log/drain-transactions.js";
import { clearDirtyMarks } from "../../../../runtime/graph/manager/snapshot/dirty-chunks.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { SnapshotReader } from "../../../../runtime/graph/manager/snapshot/snapshot-reader.js";
import { SnapshotWriter } from "../../../../runtime/graph/manager/snapshot/snapshot-writer.js";
import { BlockAllocator } from "../../../../runtime/graph/memory/block-allocator.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { CommitRing, createRingMemory } from "../../../../runtime/graph/memory/commit-ring.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  RECORD_WORDS,
  RecordWord,
  SIDE_WORDS,
  Side,
} from "../../../../runtime/graph/memory/layout.js";
import { undo } from "../../../../runtime/graph/memory/undo-log.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  folder: string;
}
const test = suite<Context>("assertions");

test.before.each((context) => {
  context.store = GraphStore.create("test", TEST_THREAD);
  context.folder = mkdtempSync(join(tmpdir(), "svc-assertions-"));
});

test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

/** Runs a mutation that must fail with an assertion. */
function fails({ writer }: GraphStore, assumption: string, change: () => unknown): void {
  assertFails(assumption, () => writer.mutate(change));
}

function assertFails(assumption: string, run: () => unknown): void {
  assert.throws(
    run,
    (error: unknown) => error instanceof AssertionError && error.message.endsWith(assumption),
  );
}

test("reject blocks that were never allocated", ({ store }) => {
  const { writer, memory } = store;
  const blocks = new BlockAllocator(memory.cells, 2);
  fails(store, "a freed block was allocated before", () => blocks.release(writer, 2 ** 20, 0));
  writer.mutate(() => blocks.free(writer, blocks.allocate(writer, 0), 0));
  memory.header.words[ALLOCATORS + memory.cells.id * ALLOCATOR_WORDS + 1] = 3;
  fails(store, "a free block was allocated before", () => blocks.allocate(writer, 0));
});

test("reject an undo log that ends before its entries", ({ store }) => {
  assertFails("the undo log holds its entries", () => undo(store.memory, 2 ** 30));
});

test("reject words that are no transaction", () => {
  const clock = new CommitClock();
  const ring = new CommitRing(createRingMemory(2 ** 14), clock);
  ring.isOn = true;
  assertFails("a transaction has records", () => ring.prepare(1, 0));
  assertFails("a rollback goes back", () => ring.rollBackTo(8, 1));
  const offset = ring.reserve(4);
  ring.prepare(1, 0);
  ring.publish();
  const drain = () => drainTransactions([{ ring, number: 0 }], clock, () => true);
  const head = ring.words[offset - 4]!;
  ring.words[offset - 4] = head + (8 << 8);
  assertFails("a transaction ends where it is complete", drain);
  ring.words[offset - 4] = 0;
  assertFails("the ring has a transaction at each position", drain);
});

test("reject arcs that a run or its index does not have", ({ store }) => {
  const graph = openStore(store);
  for (let terminal = 0; terminal < 100; terminal++) graph.connect("hub", "to", `t${terminal}`);
  const hub = store.ids.find("hub");
  const { outArcs } = store;
  fails(store, "the run has the arc to remove", () => outArcs.removeAt(hub, -1));
  fails(store, "the run has the arc to remove", () => outArcs.removeAt(hub, 100));
  fails(store, "the run has the arc to change", () => outArcs.setValue(hub, 100, 1));
  fails(store, "an arc has two ends", () => outArcs.add(hub, 0, 1, 1));
  const index = store.memory.out.words[hub * SIDE_WORDS + Side.Index]!;
  store.memory.outArcs.words.fill(0, index, index + 256);
  fails(store, "the index has every arc of its run", () => outArcs.removeAt(hub, 50));
});

test("reject strings without a reference", ({ store }) => {
  const { strings, writer, memory } = store;
  const pointer = writer.mutate(() => strings.intern("text"));
  memory.strings.words[pointer] = 0;
  fails(store, "a released string has a reference", () => strings.release(pointer));
  fails(store, "an indexed string is referenced", () => strings.intern("text"));
});

test("reject counts of unknown names, and negative ones", ({ store }) => {
  const code = store.writer.mutate(() => store.keys.define("key"));
  fails(store, "a counted code is defined", () => store.keys.addCount(code + 1, 1));
  fails(store, "a use count is never negative", () => store.keys.addCount(code, -1));
});

test("reject vertices that a list or the heap does not have", ({ store }) => {
  const graph = openStore(store);
  graph.createVertex("a", { type: "t", lifespan: 100 });
  graph.createVertex("b", { type: "u" });
  const [a, b] = [store.ids.find("a"), store.ids.find("b")];
  const { typeLists, vertices, expiry, memory } = store;
  fails(store, "a vertex is in the list of its type", () =>
    typeLists.remove(vertices.typeOf(a), b),
  );
  memory.record.words[b * RECORD_WORDS + RecordWord.EventPosition] = 1;
  fails(store, "a vertex knows its position", () => expiry.cancel(b));
});

test("reject releases of locks that are not held", ({ store }) => {
  const graph = openStore(store);
  graph.createVertex("a");
  const vertex = store.ids.find("a");
  const entry = store.writer.mutate(() => store.locks.add(1, vertex, true));
  fails(store, "a lock is not released more often than taken", () =>
    store.locks.addCount(entry, -2),
  );
});

test("reject properties that exist already, or do not", ({ store }) => {
  const graph = openStore(store);
  graph.createVertex("a", { properties: { one: 1 } });
  const vertex = store.ids.find("a");
  const code = store.keys.codeOf("one");
  const { groups } = store.properties;
  fails(store, "an inserted property is missing", () => groups.insert(vertex, code));
  fails(store, "a removed property exists", () => groups.remove(vertex, code + 1));
});

test("reject snapshots that lack a chunk", ({ store, folder }) => {
  const writer = new SnapshotWriter(join(folder, "file"));
  const header = { name: "test", savedAt: 1, operationCount: 0 };
  const arenas = [{ name: "header", words: 4096 }];
  assertFails("every chunk was written", () => writer.finish({ ...header, arenas }));
  writer.close();
  assertFails("chunks are written to an open file", () => writer.write(0, 0, new Uint32Array(8)));
  saveGraph(store, folder);
  const reader = new SnapshotReader(join(folder, "graph.snapshot"));
  assertFails("the target has room for the arena", () => reader.readArena(0, new Uint32Array(8)));
  reader.close();
  const { header: arena } = store.memory;
  const run = { arena, chunk: 0, words: 2 ** 30 };
  assertFails("cleared chunks are in the arena", () => clearDirtyMarks(store, [run]));
});

test.run();
