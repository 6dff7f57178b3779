// Checks the vectors of a graph from outside: every slot is free or belongs to one vertex, and its
// metadata matches its vector.

import * as assert from "uvu/assert";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { isFeatureList } from "../../../../runtime/graph/vectors/features.js";
import { INDEX_WORDS } from "../../../../runtime/graph/vectors/index-layout.js";
import {
  computeSlabShare,
  computeStride,
  RING_WORDS,
  SLAB_UNIT_WORDS,
  SLAB_WORDS,
  Slab,
  Slot,
  SPACE_WORDS,
  Space,
} from "../../../../runtime/graph/vectors/vector-layout.js";
import { featureParts } from "../../../../runtime/graph/vectors/vector-parts.js";
import {
  FIELD_DIRECTORY_WORDS,
  FIELD_WORDS,
  Field,
  PAGE_WORDS,
} from "../../../../runtime/graph/vectors/vector-root.js";
import type { VectorTable } from "../../../../runtime/graph/vectors/vector-table.js";
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";
import { checkIndexes } from "./check-indexes.js";
import { fingerprintModel } from "./vector-model.js";

/** @throws at the first inconsistency */
export function checkVectors(store: GraphStore, used: readonly number[]): void {
  const slabs: Block[] = [];
  for (const table of store.vectorFields.all()) checkTable(store, table, used, slabs);
  for (const { table } of store.vectorFields.allSigns()) {
    // Signs outlive their vector, and the vertex; their fingerprints are not read.
    const named = store.memory.header.words[Header.HandleEnd]!;
    const owners = Array.from({ length: named }, (_, vertex) => vertex);
    checkTable(store, table, owners, slabs, false);
  }
  checkBlocks(store, store.memory.vectors, SLAB_UNIT_WORDS, slabs);
  checkIndexes(store);
}

function checkTable(
  store: GraphStore,
  table: VectorTable,
  used: readonly number[],
  slabs: Block[],
  hasParts = true,
): void {
  const owners = new Map<number, number>();
  for (const vertex of used) {
    const slot = table.slotOf(vertex);
    if (slot === 0) continue;
    assert.not(owners.has(slot), `slot ${slot} is of one vertex`);
    owners.set(slot, vertex);
    if (hasParts) checkParts(table, vertex);
  }
  assert.is(table.count, owners.size, "count of vectors");
  const end = store.memory.vectorSlots.words.length;
  for (let vertex = 0; vertex < end; vertex++) {
    if (table.slotOf(vertex) !== 0) assert.is(owners.get(table.slotOf(vertex)), vertex);
  }
  let checkedCount = 0;
  for (const space of table.spaces())
    checkedCount += checkSpace(store, table, space, { owners, slabs });
  assert.is(checkedCount, owners.size, "every vector lies in a slab");
}

function checkParts(table: VectorTable, vertex: number): void {
  const parts = table.get(vertex);
  const { bytes, squares, fingerprint } = parts;
  if (parts.isFeatures) {
    assert.ok(isFeatureList(bytes), `features of ${vertex}`);
    assert.equal(parts, featureParts(bytes));
    assert.equal(fingerprint, featureParts(bytes).fingerprint);
    return;
  }
  assert.is(
    squares,
    bytes.reduce((sum, byte) => sum + byte * byte, 0),
  );
  const signs = (BigInt(fingerprint.high) << 32n) | BigInt(fingerprint.low);
  assert.is(signs, fingerprintModel([...bytes]), `fingerprint of ${vertex}`);
}

/** Blocks of `lists` that vectors use. */
export function vectorLists(store: GraphStore): Block[] {
  const ring = store.memory.header.words[Header.VectorRing]!;
  return [
    ...store.vectorFields.all().flatMap(listsOfTable),
    ...store.vectorFields.allSigns().flatMap(({ table }) => listsOfTable(table)),
    ...(ring === 0 ? [] : [[ring, RING_WORDS] as Block]),
    ...fieldBlocks(store),
  ];
}

function listsOfTable(table: VectorTable): Block[] {
  const spaces = table.spaces();
  const indexes = spaces
    .map((space) => table.readSpace(space, Space.Index))
    .filter((index) => index !== 0);
  return [
    ...spaces.map((space): Block => [space, SPACE_WORDS]),
    ...indexes.map((index): Block => [index, INDEX_WORDS]),
  ];
}

/** Blocks of names: their words, ring, directory and pages. */
function fieldBlocks({ memory }: GraphStore): Block[] {
  const { words } = memory.lists;
  const blocks: Block[] = [];
  let field = memory.header.words[Header.VectorFields]!;
  for (; field !== 0; field = words[field + Field.Next]!) {
    const [ring, directory] = [words[field + Field.Ring]!, words[field + Field.Directory]!];
    blocks.push([field, FIELD_WORDS], [directory, FIELD_DIRECTORY_WORDS]);
    const center = words[field + Field.Center]!;
    if (center !== 0) blocks.push([center, words[field + Field.Signs]!]);
    if (ring !== 0) blocks.push([ring, RING_WORDS]);
    for (const page of words.subarray(directory, directory + FIELD_DIRECTORY_WORDS)) {
      if (page !== 0) blocks.push([page, PAGE_WORDS]);
    }
  }
  return blocks;
}

/** Returns how many vertices have a vector in the space. */
function checkSpace(
  { memory }: GraphStore,
  vectors: VectorTable,
  space: number,
  { owners, slabs }: { owners: ReadonlyMap<number, number>; slabs: Block[] },
): number {
  const { words } = memory.vectors;
  const stride = computeStride(vectors.readSpace(space, Space.Length));
  const share = computeSlabShare(vectors.readSpace(space, Space.Length));
  const free = new Set<number>();
  for (let slot = vectors.readSpace(space, Space.FreeSlot); slot !== 0; ) {
    assert.not(free.has(slot), `slot ${slot} is free once`);
    free.add(slot);
    slot = words[slot + Slot.Scale]!;
  }
  let [count, slots] = [0, 0];
  for (let slab = vectors.readSpace(space, Space.FirstSlab); slab !== 0; ) {
    const minWords = SLAB_WORDS + words[slab + Slab.Slots]! * share;
    slabs.push([slab, blockWords(SLAB_UNIT_WORDS, minWords)]);
    slots += words[slab + Slab.Slots]!;
    for (let index = 0; index < words[slab + Slab.Used]!; index++) {
      const slot = slab + SLAB_WORDS + index * stride;
      const vertex = words[slot + Slot.Vertex]!;
      const isWay = words[slot + Slot.Node] !== 0;
      assert.is(free.has(slot), vertex === 0 && !isWay, `slot ${slot} is used or free`);
      if (vertex === 0) continue;
      assert.is(owners.get(slot), vertex, `slot ${slot} is its vertex's`);
      count++;
    }
    if (words[slab + Slab.Next] === 0) assert.is(vectors.readSpace(space, Space.LastSlab), slab);
    slab = words[slab + Slab.Next]!;
  }
  assert.is(vectors.readSpace(space, Space.Count), count);
  assert.is(vectors.readSpace(space, Space.Slots), slots);
  return count;
}
