// Creates, drops and lists vector indexes.

import { PRECISIONS } from "../../base/precisions.js";
import { ValueError } from "../model/errors.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { MAX_EF, MIN_EF, VectorIndex } from "../vectors/index-layout.js";
import type { VectorMeasure } from "../vectors/measures/measures.js";
import { Precision, type VectorPrecision } from "../vectors/precision.js";
import { MAX_COMPONENTS } from "../vectors/scratch-buffers.js";
import { findSigns } from "../vectors/sign-table.js";
import {
  countComponents,
  readPrecision,
  Space,
  signIndexLength,
  slotLength,
} from "../vectors/vector-layout.js";
import { paddedLength } from "../vectors/vector-parts.js";
import type { VectorTable } from "../vectors/vector-table.js";
import { changeVectorIndex, changeVectorSettings, readEf } from "./vector-settings.js";
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
  /** Measure of these vectors (default: unchanged); all indexes of a name share it. */
  readonly measure?: VectorMeasure;
  /**
   * True for an index of the signs of the vectors (default: false): much smaller, and faster for
   * long vectors, but a search needs more candidates.
   */
  readonly signs?: boolean;
}

/** State of a vector index. */
export interface VectorIndexState {
  /** Name of the vectors, if they have one. */
  readonly name?: string;
  readonly length: number;
  readonly precision: VectorPrecision;
  readonly measure: VectorMeasure;
  readonly ef: number;
  /** True for a sign index. */
  readonly signs: boolean;
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
  const { length, ef = DEFAULT_EF, measure, name = UNNAMED, signs = false } = options;
  checkLength(length);
  if (!Number.isInteger(ef) || ef < MIN_EF || ef > MAX_EF) {
    throw new ValueError(`ef must be an integer of ${MIN_EF} to ${MAX_EF}`);
  }
  if (typeof signs !== "boolean") throw new TypeError("signs must be true or false");
  // Before any change: a refused index must leave the measure as it is.
  if (signs) refuseBits(findVectors(store, name), measure);
  if (measure !== undefined) changeVectorSettings(store, { measure }, name);
  store.writer.mutate(() => {
    requireWritable(store);
    const key = name === UNNAMED ? 0 : ensureKeyCode(store, name);
    const table = store.vectorFields.require(key);
    const padded = paddedLength(length);
    requireForm(table, padded, signs);
    const ordinary = slotLength(padded, false, table.precision);
    changeVectorIndex(store, key, signs ? signIndexLength(padded) : ordinary, ef);
  });
}

/**
 * @param measure that the vectors will have
 * @throws ValueError if the vectors are binary, which have no signs
 */
function refuseBits(table: VectorTable | null, measure = table?.measure.name): void {
  if (table?.precision !== Precision.Binary && measure !== "hamming") return;
  throw new ValueError("signs: vectors of 0 and 1 have none; an index of them compares bits");
}

/** @throws ValueError if the vectors have no signs, or already have an index of the other form */
function requireForm(table: VectorTable, length: number, isOfSigns: boolean): void {
  if (isOfSigns) refuseBits(table);
  const signs = findSigns(table, length);
  const hasOther = isOfSigns
    ? PRECISIONS.some((_, precision) => indexEf(table, slotLength(length, false, precision)) !== 0)
    : signs !== null && signs.ef !== 0;
  if (!hasOther) return;
  const existing = isOfSigns ? "an index without signs" : "a sign index";
  throw new ValueError(`vectors of length ${length} have ${existing}: drop it first`);
}

/** Returns the `ef` of the index of a length word; 0 if there is none. */
function indexEf(table: VectorTable, length: number): number {
  const space = table.spaceOf(length);
  return space === 0 ? 0 : readEf(table, space);
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
  const padded = paddedLength(length);
  const lengths = PRECISIONS.map((_, precision) => slotLength(padded, false, precision));
  if (findSigns(table, padded) !== null) lengths.push(signIndexLength(padded));
  const dropped = lengths.map((word) => changeVectorIndex(store, table.key, word, 0));
  return dropped.some((count) => count > 0);
}

function checkLength(length: number): void {
  if (Number.isInteger(length) && length >= 1 && length <= MAX_COMPONENTS) return;
  throw new ValueError(`length must be an integer of 1 to ${MAX_COMPONENTS}`);
}

/** Takes no lock: the values of an index being built may be inconsistent. */
export function vectorIndexes(store: GraphStore): VectorIndexState[] {
  const { vectorFields } = store;
  const ofVectors = vectorFields.all().flatMap((table) =>
    table.spaces().flatMap((space) => {
      const length = table.readSpace(space, Space.Length);
      const count = table.readSpace(space, Space.Count);
      const source = { table, space, precision: readPrecision(length), signs: false };
      return createIndexState(store, table, source, count);
    }),
  );
  const ofSigns = vectorFields.allSigns().flatMap((signs) => {
    const { vectors, table, space, count } = signs;
    const source = { table, space, precision: vectors.precision, signs: true };
    return space === 0 ? [] : createIndexState(store, vectors, source, count);
  });
  return [...ofVectors, ...ofSigns];
}

interface IndexSource {
  /** Table of the nodes. */
  readonly table: VectorTable;
  readonly space: number;
  readonly precision: number;
  readonly signs: boolean;
}

/** Returns an empty list if the space has no index. */
function createIndexState(
  { memory, keys }: GraphStore,
  vectors: VectorTable,
  { table, space, precision, signs }: IndexSource,
  count: number,
): VectorIndexState[] {
  const index = table.readSpace(space, Space.Index);
  const ef = readEf(table, space);
  if (ef === 0) return [];
  const word = (which: number): number => memory.lists.words[index + which]!;
  const dead = word(VectorIndex.Dead);
  const state = {
    ...(vectors.key !== 0 && { name: keys.nameOf(vectors.key) }),
    length: countComponents(table.readSpace(space, Space.Length)),
    precision: PRECISIONS[precision]!,
    measure: vectors.measure.name as VectorMeasure,
    ...{ ef, signs, vectors: count },
    indexed: Math.max(0, word(VectorIndex.Nodes) - dead),
    dead,
  };
  return [state];
}
