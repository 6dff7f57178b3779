// How an index of vectors lies in memory: a graph of layers in which each node knows vectors near
// its own (HNSW). Nodes are named by the slots of their vectors. Only one thread adds nodes and
// changes lists, as mutations like all others; whoever searches reads lists as they are at that
// moment, which may be half written: each word names a slot that belongs to the index.
//
//   index   in `lists`: words below                        one for a space that has been asked for
//   node    in `links`: {slot, level, upper layers, count, 32 slots}
//   upper   in `links`: {count, 16 slots} for each layer above the lowest
//
// The slot of a vector that was replaced or removed stays as a way until the lists of all others
// were rid of it (hnsw-sweep.ts): until then nobody else gets it.

import type { Writer } from "../memory/writer.js";
import { Slot } from "./vector-layout.js";

export const VectorIndex = {
  /** Candidates that are looked at for each new node; 0 where no index is wanted. */
  Ef: 0,
  EntrySlot: 1,
  TopLevel: 2,
  /** Nodes, and how many of them are of no vertex any more. */
  Nodes: 3,
  Dead: 4,
  /** Slots that no vertex has any more, linked through `Slot.Scale`. */
  Retired: 5,
  /** Those that lists are being rid of. */
  Sweeping: 6,
  /** `writes` of the table before which every vector that still counts has a node. */
  CompleteTo: 7,
  /** 0 until it has seen every vector once. */
  IsComplete: 8,
  /** Raised before slots that it had are used for anything else. */
  Sweeps: 9,
  /** 1 from its drop until it has no node left; who asks for it again waits for that. */
  Dropping: 10,
} as const;
export const INDEX_WORDS = 16;

export const Node = { Slot: 0, Level: 1, Upper: 2, Count: 3, Neighbors: 4 } as const;
/** Neighbours that a new node gets on each layer, and how many it may have there. */
export const LINKS = 16;
export const LINKS_LOWEST = 32;
export const NODE_WORDS = Node.Neighbors + LINKS_LOWEST;
export const UPPER_WORDS = 1 + LINKS;
export const MAX_LEVEL = 12;
/** Candidates that may be looked at. */
export const MIN_EF = 8;
export const MAX_EF = 4096;

/** In a mutation: a slot that has a node is of no vertex any more. */
export function retire(writer: Writer, slot: number, index: number): void {
  const { vectors, lists } = writer.memory;
  writer.put(vectors, slot + Slot.Scale, lists.words[index + VectorIndex.Retired]!);
  writer.put(lists, index + VectorIndex.Retired, slot);
  writer.add(lists, index + VectorIndex.Dead, 1);
}
