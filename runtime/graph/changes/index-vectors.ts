// Asking for an index of vectors, and what became of it.

import { ValueError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { MAX_EF, MIN_EF, VectorIndex } from "../vectors/index-layout.js";
import { MAX_COMPONENTS } from "../vectors/scratch-buffers.js";
import { Space } from "../vectors/vector-layout.js";
import { paddedLength } from "../vectors/vector-parts.js";
import { begin } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/** What an index of vectors is asked for with. */
export interface VectorIndexOptions {
  /** Components of the vectors, which are padded to a multiple of 32. */
  readonly length: number;
  /** Candidates that are looked at for each vector; 100 unless given. More take longer. */
  readonly ef?: number;
}

/** State of an index of vectors. */
export interface VectorIndexState {
  readonly length: number;
  readonly ef: number;
  /** Vectors of this length. */
  readonly vectors: number;
  /** Of these, those that the index leads to; a search looks at the others one by one. */
  readonly indexed: number;
  /** Vectors that were replaced or removed and that the index still leads through. */
  readonly dead: number;
}

const DEFAULT_EF = 100;

/**
 * Asks for an index, or gives one another `ef`.
 * @throws ValueError, AccessError
 */
export function indexVectors(store: GraphStore, options: VectorIndexOptions): void {
  const { length, ef = DEFAULT_EF } = options;
  checkLength(length);
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    throw new ValueError(`ef must be an integer of ${MIN_EF} to ${MAX_EF}`);
  }
  changeIndex(store, length, ef);
}

/**
 * Drops an index; searches look at every vector from then on. False if there is none.
 * @throws ValueError, AccessError
 */
export function dropVectorIndex(
  store: GraphStore,
  options: Pick<VectorIndexOptions, "length"> | undefined,
): boolean {
  const length = options?.length ?? 0;
  checkLength(length);
  return changeIndex(store, length, 0) > 0;
}

function checkLength(length: number): void {
  if (Number.isInteger(length) && length >= 1 && length <= MAX_COMPONENTS) return;
  throw new ValueError(`length must be an integer of 1 to ${MAX_COMPONENTS}`);
}

/** @param ef 0 to drop it */
function changeIndex(store: GraphStore, length: number, ef: number): number {
  return store.writer.mutate(() => {
    requireWritable(store);
    const operation = begin(store, OperationCode.IndexVectors, 0);
    operation.value = paddedLength(length);
    operation.flags = ef;
    return apply(store, operation);
  });
}

/** Takes no lock: figures of an index that is being built need not fit together. */
export function vectorIndexes({ vectors, memory }: GraphStore): VectorIndexState[] {
  const states: VectorIndexState[] = [];
  for (const space of vectors.spaces()) {
    const index = vectors.inSpace(space, Space.Index);
    if (index === 0) continue;
    const word = (which: number): number => memory.lists.words[index + which]!;
    if (word(VectorIndex.Ef) === 0) continue;
    const dead = word(VectorIndex.Dead);
    states.push({
      length: vectors.inSpace(space, Space.Length),
      ef: word(VectorIndex.Ef),
      vectors: vectors.inSpace(space, Space.Count),
      indexed: Math.max(0, word(VectorIndex.Nodes) - dead),
      dead,
    });
  }
  return states;
}
