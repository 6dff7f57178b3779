// Creates, drops and lists vector indexes.

import { PRECISIONS } from "../../base/precisions.js";
import { ValueError } from "../model/errors.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { MAX_EF, MIN_EF, VectorIndex } from "../vectors/index-layout.js";
import type { VectorMeasure } from "../vectors/measures/measures.js";
import type { VectorPrecision } from "../vectors/precision.js";
import { MAX_COMPONENTS } from "../vectors/scratch-buffers.js";
import { countComponents, readPrecision, Space, slotLength } from "../vectors/vector-layout.js";
import { paddedLength } from "../vectors/vector-parts.js";
import type { VectorTable } from "../vectors/vector-table.js";
import { changeVectorIndex, changeVectorSettings } from "./vector-settings.js";
import { findVectors, UNNAMED } from "./vectors.js";
import { requireWritable } from "./vertex-key.js";

/** Parameters of a vector index. */
export interface VectorIndexOptions {
  /** Components of the vectors, padded to a multiple of 32. */
  readonly length: number;
  /** Name of the vectors (default: those without a name). */
  readonly name?: string;
  /** Candidates examined per inserted vector (default: 100); more take longer. */
  readonly ef?: number;
  /** Measure of these vectors (default: as it is); all indexes of a name have the same. */
  readonly measure?: VectorMeasure;
}

/** State of a vector index. */
export interface VectorIndexState {
  /** Name of the vectors, if they have one. */
  readonly name?: string;
  readonly length: number;
  readonly precision: VectorPrecision;
  readonly measure: VectorMeasure;
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
  const { length, ef = DEFAULT_EF, measure, name = UNNAMED } = options;
  checkLength(length);
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    throw new ValueError(`ef must be an integer of ${MIN_EF} to ${MAX_EF}`);
  }
  if (measure !== undefined) changeVectorSettings(store, { measure }, name);
  store.writer.mutate(() => {
    requireWritable(store);
    const key = name === UNNAMED ? 0 : ensureKeyCode(store, name);
    const { precision } = store.vectorFields.require(key);
    changeVectorIndex(store, key, slotLength(paddedLength(length), false, precision), ef);
  });
}

/**
 * Drops an index, so that searches scan all vectors; false if there is none.
 * @throws ValueError, AccessError
 */
export function dropVectorIndex(
  store: GraphStore,
  options: Pick<VectorIndexOptions, "length" | "name"> | undefined,
): boolean {
  const { length = 0, name = UNNAMED } = options ?? {};
  checkLength(length);
  const table = findVectors(store, name);
  if (table === null) return false;
  const dropped = PRECISIONS.map((_, precision) =>
    changeVectorIndex(store, table.key, slotLength(paddedLength(length), false, precision), 0),
  );
  return dropped.some((count) => count > 0);
}

function checkLength(length: number): void {
  if (Number.isInteger(length) && length >= 1 && length <= MAX_COMPONENTS) return;
  throw new ValueError(`length must be an integer of 1 to ${MAX_COMPONENTS}`);
}

/** Takes no lock: the values of an index being built may be inconsistent. */
export function vectorIndexes(store: GraphStore): VectorIndexState[] {
  return store.vectorFields.all().flatMap((table) => indexesOfTable(store, table));
}

function indexesOfTable({ memory, keys }: GraphStore, vectors: VectorTable): VectorIndexState[] {
  const states: VectorIndexState[] = [];
  const named = vectors.key === 0 ? {} : { name: keys.nameOf(vectors.key) };
  for (const space of vectors.spaces()) {
    const index = vectors.readSpace(space, Space.Index);
    if (index === 0) continue;
    const word = (which: number): number => memory.lists.words[index + which]!;
    if (word(VectorIndex.Ef) === 0) continue;
    const dead = word(VectorIndex.Dead);
    const length = vectors.readSpace(space, Space.Length);
    states.push({
      ...named,
      length: countComponents(length),
      precision: PRECISIONS[readPrecision(length)]!,
      measure: vectors.measure.name as VectorMeasure,
      ef: word(VectorIndex.Ef),
      vectors: vectors.readSpace(space, Space.Count),
      indexed: Math.max(0, word(VectorIndex.Nodes) - dead),
      dead,
    });
  }
  return states;
}
