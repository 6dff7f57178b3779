// Checks ids, strings and names from outside: indexes are exact, every string has its number of
// references, and no block is leaked.

import * as assert from "uvu/assert";
import { blockUnits } from "../../../../runtime/graph/memory/block-allocator.js";
import { Header, RECORD_WORDS, RecordWord } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { kindOfCell } from "../../../../runtime/graph/store/property-cells.js";
import { PropertyKind } from "../../../../runtime/graph/store/property-values.js";
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";
import { checkPropertyIndexes } from "./check-property-indexes.js";
import { checkUniqueValues, listDescriptors } from "./check-unique-values.js";
import { vectorLists } from "./check-vectors.js";

const UNIT = { ids: 1, strings: 1, index: 16, lists: 16 } as const;
const ID_HEAD_WORDS = 2;
const STRING_HEAD_WORDS = 4;
const SEGMENTS = 256;
const TABLE_BITS = 5;
const NAME_TABLES = [Header.Relationships, Header.Types, Header.Keys];
const NAME_WORDS = 3;
const TYPE_HEAD_WORDS = 4;
const PAGE_WORDS = 1024;

/** @throws at the first inconsistency */
export function checkTexts(store: GraphStore, used: readonly number[]): void {
  const { ids, index, strings } = store.memory;
  const indexBlocks: Block[] = [];
  const idBlocks = listEntries(store, Header.IdSegments, indexBlocks);
  const stringBlocks = listEntries(store, Header.StringSegments, indexBlocks);
  checkUniqueValues(store, used, listEntries(store, Header.UniqueSegments, indexBlocks));
  checkBlocks(store, index, UNIT.index, indexBlocks);
  checkIds(store, used, idBlocks);
  const idWords = (block: number): number => ID_HEAD_WORDS + wordsFor(ids.words[block + 1]!);
  checkBlocks(
    store,
    ids,
    UNIT.ids,
    idBlocks.map((block) => [block, blockWords(UNIT.ids, idWords(block))]),
  );
  checkStrings(store, used, stringBlocks);
  const stringWords = (block: number): number =>
    STRING_HEAD_WORDS + wordsFor((strings.words[block + 1]! & 0x7fff_ffff) - 1);
  checkBlocks(
    store,
    strings,
    UNIT.strings,
    stringBlocks.map((block) => [block, blockWords(UNIT.strings, stringWords(block))]),
  );
  checkLists(store, used);
}

function wordsFor(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** All entries of an index; its blocks are added to a list. */
function listEntries(store: GraphStore, directoryWord: number, blocks: Block[]): number[] {
  const { header, index } = store.memory;
  const directory = header.words[directoryWord]!;
  const entries: number[] = [];
  if (directory === 0) return entries;
  blocks.push([directory, blockWords(UNIT.index, SEGMENTS * 2)]);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const table = index.words[directory + segment * 2]!;
    const before = entries.length;
    const slots = table === 0 ? 0 : 1 << (table & ((1 << TABLE_BITS) - 1));
    const start = (table >>> TABLE_BITS) * UNIT.index;
    if (table !== 0) blocks.push([start, blockWords(UNIT.index, slots * 2)]);
    for (let slot = 0; slot < slots; slot++) {
      const entry = index.words[start + slot * 2 + 1]!;
      if (entry !== 0) entries.push(entry);
    }
    const count = index.words[directory + segment * 2 + 1];
    assert.is(count, entries.length - before, `entries of segment ${segment}`);
  }
  return entries;
}

function checkIds(store: GraphStore, used: readonly number[], blocks: readonly number[]): void {
  const { record, ids } = store.memory;
  assert.is(blocks.length, used.length, "ids");
  for (const vertex of used) {
    const block = record.words[vertex * RECORD_WORDS + RecordWord.IdPointer]!;
    assert.is(ids.words[block], vertex, `id of vertex ${vertex} says so`);
  }
}

function checkStrings(store: GraphStore, used: readonly number[], blocks: readonly number[]): void {
  const { header, lists, strings } = store.memory;
  const references = new Map<number, number>();
  const refer = (block: number): void => {
    references.set(block, (references.get(block) ?? 0) + 1);
  };
  for (const word of NAME_TABLES) {
    const table = header.words[word]!;
    const count = lists.words[table + 1]!;
    for (let name = 0; name < count; name++) {
      const text = lists.words[table + 2 + name * NAME_WORDS]!;
      // Skipped codes have none.
      if (text !== 0) refer(text);
    }
  }
  const { groups } = store.properties;
  for (const vertex of used) {
    const listed = groups.list(vertex);
    for (let offset = 1; offset < listed.length; offset += 2) {
      const cell = listed[offset]!;
      const isText = kindOfCell(groups.cells.words[cell + 1]!) >= PropertyKind.String;
      if (isText) refer(groups.cells.words[cell]!);
    }
  }
  assert.is(header.words[Header.StringCount], blocks.length, "strings");
  assert.is(references.size, blocks.length, "strings that something refers to");
  for (const block of blocks) {
    assert.is(strings.words[block], references.get(block), `references to string ${block}`);
  }
}

/** Tables of names, heads of the type lists, their directories and pages. */
function checkLists(store: GraphStore, used: readonly number[]): void {
  const { header, lists } = store.memory;
  const blocks: Block[] = NAME_TABLES.map((word) => {
    const table = header.words[word]!;
    return [table, UNIT.lists * blockUnits(lists.words[table]!)];
  });
  const heads = header.words[Header.TypeLists]!;
  blocks.push([heads, blockWords(UNIT.lists, 256 * TYPE_HEAD_WORDS)]);
  for (let head = heads; head < heads + 256 * TYPE_HEAD_WORDS; head += TYPE_HEAD_WORDS) {
    const [directory, sizeClass, pages] = lists.words.subarray(head, head + 3);
    if (directory === 0) continue;
    blocks.push([directory!, UNIT.lists * blockUnits(sizeClass!)]);
    for (let page = 0; page < pages!; page++) {
      blocks.push([lists.words[directory! + page]!, PAGE_WORDS]);
    }
  }
  blocks.push(...vectorLists(store), ...checkPropertyIndexes(store, used));
  blocks.push(...listDescriptors(store));
  checkBlocks(store, lists, UNIT.lists, blocks);
}
