// Creates, drops and lists vector indexes.

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

/** Parameters of a vector index. */
export interface VectorIndexOptions {
  /** Components of the vectors, padded to a multiple of 32. */
  readonly length: number;
  /** Candidates examined per inserted vector (default: 100); more take longer. */
  readonly ef?: number;
}

/** State of a vector index. */
export interface VectorIndexState {
  readonly length: number;
  readonly ef: number;
  /** Vectors of this length. */
  readonly vectors: number;
  /** Vectors in the index; a search scans the others one by one. */
  readonly indexed: number;
  /** Replaced or removed vectors whose nodes the index still traverses. */
  readonly dead: number;
}

const DEFAULT_EF = 100;

/**
 * Creates an index, or changes its `ef`.
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
 * Drops an index, so that searches scan all vectors; false if there is none.
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

/** Takes no lock: the values of an index being built may be inconsistent. */
export function vectorIndexes({ vectors, memory }: GraphStore): VectorIndexState[] {
  const states: VectorIndexState[] = [];
  for (const space of vectors.spaces()) {
    const index = vectors.readSpace(space, Space.Index);
    if (index === 0) continue;
    const word = (which: number): number => memory.lists.words[index + which]!;
    if (word(VectorIndex.Ef) === 0) continue;
    const dead = word(VectorIndex.Dead);
    states.push({
      length: vectors.readSpace(space, Space.Length),
      ef: word(VectorIndex.Ef),
      vectors: vectors.readSpace(space, Space.Count),
      indexed: Math.max(0, word(VectorIndex.Nodes) - dead),
      dead,
    });
  }
  return states;
}
