// Memory layout of the vector index: a hierarchical navigable small world graph (HNSW). The slot of
// a vector identifies its node. One thread adds nodes and changes lists, in mutations. Concurrent
// searches may read partly written lists, but each word of a list is a slot of the index.
//
//   index   in `lists`: words below                        one per space with an index
//   node    in `links`: {slot, level, upper layers, count, 32 slots}
//   upper   in `links`: {count, 16 slots} for each layer above the lowest
//
// The slot of a replaced or removed vector keeps its node until a sweep has removed it from all
// lists (hnsw-vacuum.ts); until then it is not reused.

import type { Writer } from "../memory/writer.js";
import { Slot } from "./vector-layout.js";

export const VectorIndex = {
  /** Number of candidates examined for each new node; 0: no index requested. */
  Ef: 0,
  EntrySlot: 1,
  TopLevel: 2,
  /** Number of nodes, and of nodes without a vertex. */
  Nodes: 3,
  Dead: 4,
  /** Slots without a vertex, linked through `Slot.Scale`. */
  Retired: 5,
  /** Retired slots that the current sweep removes from the lists. */
  Sweeping: 6,
  /** Every current vector written before this value of the table's `writes` has a node. */
  CompleteTo: 7,
  /** 0 until the builder has visited every vector once. */
  IsComplete: 8,
  /** Incremented before slots of the index are reused. */
  Sweeps: 9,
  /** 1 from the drop until all nodes are removed; a new index is built afterwards. */
  Dropping: 10,
} as const;
export const INDEX_WORDS = 16;

export const Node = { Slot: 0, Level: 1, Upper: 2, Count: 3, Neighbors: 4 } as const;
/** Number of neighbors selected for a new node, and the capacity of its lists, per layer. */
export const LINKS = 16;
export const LINKS_LOWEST = 32;
export const NODE_WORDS = Node.Neighbors + LINKS_LOWEST;
export const UPPER_WORDS = 1 + LINKS;
export const MAX_LEVEL = 12;
/** Range of the number of candidates. */
export const MIN_EF = 8;
export const MAX_EF = 4096;

/** Within a mutation: marks a slot with a node as having no vertex. */
export function retire(writer: Writer, slot: number, index: number): void {
  const { vectors, lists } = writer.memory;
  writer.put(vectors, slot + Slot.Scale, lists.words[index + VectorIndex.Retired]!);
  writer.put(lists, index + VectorIndex.Retired, slot);
  writer.add(lists, index + VectorIndex.Dead, 1);
}
