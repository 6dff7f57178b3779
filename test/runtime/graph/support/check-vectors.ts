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
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";
import { checkIndexes } from "./check-indexes.js";
import { fingerprintModel } from "./vector-model.js";

/** @throws at the first inconsistency */
export function checkVectors(store: GraphStore, used: readonly number[]): void {
  const { vectors, memory } = store;
  const owners = new Map<number, number>();
  for (const vertex of used) {
    const slot = vectors.slotOf(vertex);
    if (slot === 0) continue;
    assert.not(owners.has(slot), `slot ${slot} is of one vertex`);
    owners.set(slot, vertex);
    checkParts(store, vertex);
  }
  assert.is(vectors.count, owners.size, "count of vectors");
  const end = memory.vectorSlots.words.length;
  for (let vertex = 0; vertex < end; vertex++) {
    if (vectors.slotOf(vertex) !== 0) assert.is(owners.get(vectors.slotOf(vertex)), vertex);
  }
  let seen = 0;
  const slabs: Block[] = [];
  for (const space of vectors.spaces()) seen += checkSpace(store, space, { owners, slabs });
  checkBlocks(store, memory.vectors, SLAB_UNIT_WORDS, slabs);
  checkIndexes(store);
  assert.is(seen, owners.size, "every vector lies in a slab");
}

function checkParts(store: GraphStore, vertex: number): void {
  const parts = store.vectors.get(vertex);
  const { bytes, squares, fingerprintHigh, fingerprintLow } = parts;
  if (parts.isFeatures) {
    assert.ok(isFeatureList(bytes), `features of ${vertex}`);
    assert.equal(parts, featureParts(bytes));
    return;
  }
  assert.is(
    squares,
    bytes.reduce((sum, byte) => sum + byte * byte, 0),
  );
  const fingerprint = (BigInt(fingerprintHigh) << 32n) | BigInt(fingerprintLow);
  assert.is(fingerprint, fingerprintModel([...bytes]), `fingerprint of ${vertex}`);
}

/** Blocks of `lists` that vectors use. */
export function vectorLists({ vectors, memory }: GraphStore): Block[] {
  const ring = memory.header.words[Header.VectorRing]!;
  const spaces = vectors.spaces().map((space): Block => [space, SPACE_WORDS]);
  const indexes = vectors
    .spaces()
    .map((space) => vectors.readSpace(space, Space.Index))
    .filter((index) => index !== 0);
  const blocks = [...spaces, ...indexes.map((index): Block => [index, INDEX_WORDS])];
  return ring === 0 ? blocks : [[ring, RING_WORDS], ...blocks];
}

/** Returns how many vertices have a vector in the space. */
function checkSpace(
  { vectors, memory }: GraphStore,
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
    const least = SLAB_WORDS + words[slab + Slab.Slots]! * share;
    slabs.push([slab, blockWords(SLAB_UNIT_WORDS, least)]);
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
