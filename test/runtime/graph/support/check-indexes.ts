// Checks the vector indexes from outside: each node belongs to a slot, each list entry is a slot
// with a node, and nodes without a vertex wait for the sweep.

import * as assert from "uvu/assert";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { HnswLinks } from "../../../../runtime/graph/vectors/hnsw-links.js";
import {
  LINKS_LOWEST,
  NODE_WORDS,
  Node,
  UPPER_WORDS,
  VectorIndex,
} from "../../../../runtime/graph/vectors/index-layout.js";
import {
  computeStride,
  SLAB_WORDS,
  Slab,
  Slot,
  Space,
} from "../../../../runtime/graph/vectors/vector-layout.js";
import type { VectorTable } from "../../../../runtime/graph/vectors/vector-table.js";
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";

/** @throws at the first inconsistency */
export function checkIndexes(store: GraphStore): void {
  const { vectorFields, memory } = store;
  const blocks: Block[] = [];
  const ofSigns = vectorFields.allSigns().map(({ table }) => table);
  for (const table of [...vectorFields.all(), ...ofSigns]) {
    for (const space of table.spaces()) {
      const nodes = listNodes(table, space);
      const index = table.readSpace(space, Space.Index);
      if (index === 0) assert.is(nodes.length, 0, "nodes belong to an index");
      else checkIndex(store, table, space, nodes);
      for (const slot of nodes) blocks.push(...listBlocks(store, slot));
    }
  }
  checkBlocks(store, memory.links, NODE_WORDS, blocks);
}

/** Slots of a space that have a node. */
function listNodes(vectors: VectorTable, space: number): number[] {
  const { words } = vectors.memory;
  const stride = computeStride(vectors.readSpace(space, Space.Length));
  const nodes: number[] = [];
  for (let slab = vectors.readSpace(space, Space.FirstSlab); slab !== 0; ) {
    for (let index = 0; index < words[slab + Slab.Used]!; index++) {
      const slot = slab + SLAB_WORDS + index * stride;
      if (words[slot + Slot.Node] !== 0) nodes.push(slot);
    }
    slab = words[slab + Slab.Next]!;
  }
  return nodes;
}

function checkIndex(
  { memory, writer }: GraphStore,
  vectors: VectorTable,
  space: number,
  nodes: readonly number[],
): void {
  const index = vectors.readSpace(space, Space.Index);
  const word = (field: number): number => memory.lists.words[index + field]!;
  const links = new HnswLinks(writer, vectors.readSpace(space, Space.Length));
  const known = new Set(nodes);
  const near = new Uint32Array(LINKS_LOWEST);
  assert.is(word(VectorIndex.Nodes), nodes.length, "count of nodes");
  const dead = nodes.filter((slot) => memory.vectors.words[slot + Slot.Vertex] === 0);
  assert.is(word(VectorIndex.Dead), dead.length, "count of nodes without vertex");
  const waiting = new Set<number>();
  for (const list of [VectorIndex.Retired, VectorIndex.Sweeping]) {
    for (let slot = word(list); slot !== 0; slot = memory.vectors.words[slot + Slot.Scale]!) {
      assert.not(waiting.has(slot), `slot ${slot} waits once`);
      waiting.add(slot);
    }
  }
  assert.equal([...waiting].sort(), [...dead].sort(), "nodes without vertex wait");
  for (const slot of nodes) {
    for (let level = 0; level <= links.levelOf(slot); level++) {
      for (const neighbor of near.subarray(0, links.copy(slot, level, near))) {
        assert.ok(known.has(neighbor), `slot ${slot} names a node`);
        assert.is.not(neighbor, slot);
        assert.ok(links.levelOf(neighbor) >= level, `slot ${neighbor} is on layer ${level}`);
      }
    }
  }
  if (nodes.length === 0) return;
  assert.ok(known.has(word(VectorIndex.EntrySlot)), "searches begin at a node");
  assert.is(word(VectorIndex.TopLevel), links.levelOf(word(VectorIndex.EntrySlot)));
}

function listBlocks({ memory }: GraphStore, slot: number): Block[] {
  const { words } = memory.links;
  const node = memory.vectors.words[slot + Slot.Node]!;
  assert.is(words[node + Node.Slot], slot, `node ${node} knows its slot`);
  const upper = words[node + Node.Upper]!;
  const level = words[node + Node.Level]!;
  const blocks: Block[] = [[node, NODE_WORDS]];
  if (upper !== 0) blocks.push([upper, blockWords(NODE_WORDS, level * UPPER_WORDS)]);
  return blocks;
}
