// Snapshots of other versions of the code: the previous format, and other sets of arenas.
// test/fixtures/snapshots holds a file written by that version and its contents.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import * as layout from "../../../../../runtime/graph/memory/layout.js";
import { M_INT } from "../../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../../support/check-store.js";
import { graphContent } from "../../support/graph-content.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const { ALLOCATORS, ALLOCATOR_WORDS, CHUNK_WORDS } = layout;
const FIXTURES = new URL("../../../../fixtures/snapshots/", import.meta.url);
const Word = { Checksum: 2, ArenaCount: 5, TablePage: 9, TableChecksum: 10, Arenas: 64 } as const;
const ENTRY_WORDS = 8;

const test = suite<{ folder: string }>("snapshot versions");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-versions-"));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function load(name: string, folder: string): GraphStore {
  const store = loadGraph(name, folder, TEST_THREAD, { warn: (line) => assert.unreachable(line) });
  assert.ok(store);
  checkStore(store);
  return store;
}

/** Supports any operation on a graph. */
function change(store: GraphStore): void {
  const graph = openStore(store);
  for (let step = 0; step < 100; step++) {
    graph.createVertex(`new${step}`, { type: "new", properties: { step, text: `text ${step}` } });
    graph.connect(`new${step}`, ["counts", M_INT, step], `v${step % 9}`, { lifespan: 900 + step });
  }
  checkStore(store);
}

test("loads version 1 and saves the current version", ({ folder }) => {
  const fixture = (name: string): Buffer => gunzipSync(readFileSync(new URL(name, FIXTURES)));
  writeFileSync(join(folder, "graph.snapshot"), fixture("version-1.snapshot.gz"));
  const content = JSON.parse(fixture("version-1.content.json.gz").toString());
  const plainContent = (store: GraphStore): unknown =>
    JSON.parse(JSON.stringify(graphContent(store)));
  const store = load("kept", folder);
  assert.equal(plainContent(store), content);
  assert.ok(saveGraph(store, folder, { isForced: true }) > 0);
  assert.equal(plainContent(load("kept", folder)), content);
  change(store);
  saveGraph(store, folder);
  assert.equal(graphContent(load("kept", folder)), graphContent(store));
});

/** Rotates the pages of a file by one word each. */
function readPage(words: Uint32Array, page: number): Uint32Array {
  return words.subarray(page * CHUNK_WORDS, (page + 1) * CHUNK_WORDS);
}

function checksum(words: Uint32Array): number {
  return crc32(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
}

/** The same snapshot as written by a version with these arenas, in this order. */
function withArenas(file: Buffer, names: readonly layout.ArenaName[]): Uint8Array {
  const words = new Uint32Array(Uint8Array.from(file).buffer);
  const header = readPage(words, 0);
  const table = words.subarray(header[Word.TablePage]! * CHUNK_WORDS);
  const entries = layout.ARENAS.map((_, id) => {
    const first = Word.Arenas + id * ENTRY_WORDS;
    return header.slice(first, first + ENTRY_WORDS);
  });
  const rows = new Map<string, number[]>();
  let row = 0;
  for (const [id, name] of layout.ARENAS.entries()) {
    const chunks = Math.ceil(entries[id]![ENTRY_WORDS - 1]! / CHUNK_WORDS);
    rows.set(name, [...table.subarray(row * 2, (row + chunks) * 2)]);
    row += chunks;
  }
  const graphHeader = readPage(words, rows.get("header")![0]!);
  const states = graphHeader.slice(ALLOCATORS);
  graphHeader.fill(0, ALLOCATORS);
  header.fill(0, Word.Arenas, Word.Arenas + layout.ARENAS.length * ENTRY_WORDS);
  for (const [index, name] of names.entries()) {
    const id = layout.ARENAS.indexOf(name);
    const state = states.subarray(id * ALLOCATOR_WORDS, (id + 1) * ALLOCATOR_WORDS);
    graphHeader.set(state, ALLOCATORS + index * ALLOCATOR_WORDS);
    header.set(entries[id]!, Word.Arenas + index * ENTRY_WORDS);
  }
  rows.get("header")![1] = checksum(graphHeader);
  const newTable = Uint32Array.from(names.flatMap((name) => rows.get(name)!));
  header[Word.ArenaCount] = names.length;
  header[Word.TableChecksum] = checksum(newTable);
  header[Word.Checksum] = 0;
  header[Word.Checksum] = checksum(header);
  const pages = words.slice(0, header[Word.TablePage]! * CHUNK_WORDS);
  return Buffer.concat([new Uint8Array(pages.buffer), new Uint8Array(newTable.buffer)]);
}

test("finds arenas by name, and treats missing ones as empty", ({ folder }) => {
  const store = GraphStore.create("other", TEST_THREAD);
  const graph = openStore(store);
  for (let arc = 0; arc < 300; arc++)
    graph.connect(`v${arc % 7}`, ["likes", M_INT, arc], `w${arc}`);
  saveGraph(store, folder);
  const file = join(folder, "graph.snapshot");
  const missing: readonly string[] = ["journal", "locks", "events", "groups", "cells"];
  const names = layout.ARENAS.filter((name) => !missing.includes(name)).reverse();
  writeFileSync(file, withArenas(readFileSync(file), names));
  const loadedStore = load("other", folder);
  assert.equal(graphContent(loadedStore), graphContent(store));
  change(loadedStore);
  saveGraph(loadedStore, folder);
  assert.equal(graphContent(load("other", folder)), graphContent(loadedStore));
});

test("rejects another layout as another version", () => {
  // A change of these constants requires a higher VERSION in snapshot-format.ts and a conversion of
  // the previous format.
  const { ARC_WORDS, HEADER_WORDS, LIST_UNIT_WORDS, RECORD_WORDS, SIDE_WORDS } = layout;
  const sizes = { ARC_WORDS, HEADER_WORDS, LIST_UNIT_WORDS, RECORD_WORDS, SIDE_WORDS };
  assert.equal(
    { ...sizes, ALLOCATORS, ALLOCATOR_WORDS, CHUNK_WORDS },
    {
      ...{ ARC_WORDS: 3, HEADER_WORDS: 4096, LIST_UNIT_WORDS: 16, RECORD_WORDS: 16, SIDE_WORDS: 4 },
      ...{ ALLOCATORS: 64, ALLOCATOR_WORDS: 64, CHUNK_WORDS: 4096 },
    },
  );
});

test.run();
