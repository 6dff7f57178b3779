// How a graph stores and compares its vectors: precision and measure. A precision applies to
// vectors that are set from then on; `convertVectors` converts the others while the graph serves.

import { MEASURE_NAMES } from "../../base/measure-names.js";
import { PRECISIONS } from "../../base/precisions.js";
import { ValueError } from "../model/errors.js";
import { invalidArgument } from "../model/invalid-argument.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { isBinary } from "../vectors/binary-vector.js";
import { VectorIndex } from "../vectors/index-layout.js";
import { listVertices } from "../vectors/list-vertices.js";
import { MEASURES, type VectorMeasure } from "../vectors/measures/measures.js";
import { Precision, type VectorPrecision } from "../vectors/precision.js";
import { encodeSetting, settingIndex } from "../vectors/similarity-settings.js";
import {
  countComponents,
  hasBits,
  hasFeatures,
  readPrecision,
  Space,
  slotLength,
} from "../vectors/vector-layout.js";
import { toPrecision, type VectorParts } from "../vectors/vector-parts.js";
import type { VectorTable } from "../vectors/vector-table.js";
import { begin, beginChange } from "./change-vertex.js";
import { findVectors, UNNAMED } from "./vectors.js";
import { requireWritable } from "./vertex-key.js";

/** How a graph stores and compares its vectors. */
export interface VectorSettings {
  /** Representation of the stored components (default: "int8"). */
  readonly precision: VectorPrecision;
  /**
   * Definition of `similarity`: the cosine (default), the dot product, the negated distance, or the
   * negated number of different components.
   */
  readonly measure: VectorMeasure;
}

/** Settings of the vectors without a name, and of those with one. */
export interface ConfiguredVectors extends Partial<VectorSettings> {
  readonly named?: { readonly [name: string]: Partial<VectorSettings> };
}

/** Vectors converted per mutation. */
const BATCH = 16;

/** Returns the current settings of a table. */
export function vectorSettings(vectors: VectorTable): VectorSettings {
  return {
    precision: PRECISIONS[vectors.precision]!,
    measure: vectors.measure.name as VectorMeasure,
  };
}

/**
 * Changes settings of the vectors of a name.
 * @throws ValueError, QueryError, AccessError, CapacityError
 */
export function changeVectorSettings(
  store: GraphStore,
  settings: Partial<VectorSettings>,
  name = UNNAMED,
): void {
  const { precision, measure } = settings;
  if (precision !== undefined) {
    if (precision === "binary") {
      refuseSigns(store, name);
      requireBinary(store, name);
    }
    change(store, name, "precision", findName("precision", PRECISIONS, precision));
  }
  if (measure !== undefined) {
    change(store, name, "measure", findName("measure", MEASURE_NAMES, measure));
  }
}

/** @throws ValueError if there is a sign index, which binary vectors do not have */
function refuseSigns(store: GraphStore, name: string): void {
  const vectors = findVectors(store, name);
  if (vectors === null || !hasSigns(store, vectors)) return;
  throw new ValueError("precision binary: drop the sign indexes first");
}

/**
 * Checks before any change that all vectors can become binary without loss. Vectors that are set
 * meanwhile are checked when they are converted.
 * @throws ValueError if a vector has other components than 0 and 1
 */
function requireBinary(store: GraphStore, name: string): void {
  const vectors = findVectors(store, name);
  for (const space of vectors?.spaces() ?? []) {
    const length = vectors!.readSpace(space, Space.Length);
    if (hasFeatures(length) || hasBits(length)) continue;
    for (const vertices of listVertices(vectors!, space, BATCH)) {
      for (const vertex of vertices) readVector(store, vectors!, vertex, Precision.Binary);
    }
  }
}

/**
 * Returns the vector of a vertex in a precision.
 * @throws ValueError if the precision is binary and a component is neither 0 nor 1
 */
function readVector(
  { ids }: GraphStore,
  vectors: VectorTable,
  vertex: number,
  precision: number,
): VectorParts {
  const parts = vectors.get(vertex);
  if (precision !== Precision.Binary || isBinary(parts)) return toPrecision(parts, precision);
  throw new ValueError(
    `the vector of '${ids.idOf(vertex)}' is not of 0 and 1: precision binary would lose it`,
  );
}

function findName(option: string, names: readonly string[], name: unknown): number {
  const position = names.indexOf(name as string);
  if (position >= 0) return position;
  throw invalidArgument(`invalid ${option}`, name, names.join(", "), `.${option}`);
}

function change(
  store: GraphStore,
  name: string,
  setting: "precision" | "measure",
  value: number,
): void {
  store.writer.mutate(() => {
    const known = findVectors(store, name);
    if (known !== null && readNow(known, setting) === value) return;
    requireWritable(store);
    const key = name === UNNAMED ? 0 : ensureKeyCode(store, name);
    const vectors = store.vectorFields.require(key);
    if (setting === "measure" && (hasIndex(vectors) || hasSigns(store, vectors))) {
      throw new ValueError(
        "the measure of indexed vectors cannot change: drop their indexes first",
      );
    }
    const operation = begin(store, OperationCode.SetSimilarity, 0);
    operation.name = settingIndex(setting);
    operation.value = encodeSetting(setting, value);
    operation.flags = key;
    apply(store, operation);
  });
}

function readNow(vectors: VectorTable, setting: "precision" | "measure"): number {
  return setting === "precision" ? vectors.precision : MEASURES.indexOf(vectors.measure);
}

function hasIndex(vectors: VectorTable): boolean {
  return vectors.spaces().some((space) => readEf(vectors, space) !== 0);
}

/** Returns whether the vectors have a sign index. */
function hasSigns({ vectorFields }: GraphStore, { key }: VectorTable): boolean {
  return vectorFields.allSigns().some(({ vectors, ef }) => vectors.key === key && ef !== 0);
}

/** Returns the `ef` of the index of a space; 0 if it has none. */
export function readEf(vectors: VectorTable, space: number): number {
  const index = vectors.readSpace(space, Space.Index);
  return index === 0 ? 0 : vectors.writer.memory.lists.words[index + VectorIndex.Ef]!;
}

/** Returns the number of numeric vectors whose precision differs from that of their table. */
export function countOtherPrecision({ vectorFields }: GraphStore): number {
  const counts = vectorFields.all().flatMap((vectors) =>
    vectors.spaces().map((space) => {
      const length = vectors.readSpace(space, Space.Length);
      const isOther = !hasFeatures(length) && readPrecision(length) !== vectors.precision;
      return isOther ? vectors.readSpace(space, Space.Count) : 0;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Converts all vectors to the precision of the graph, and moves their indexes; yields the number
 * converted so far after each batch. Searches find every vector meanwhile. If it is interrupted,
 * another run converts the rest.
 * @throws AccessError, CapacityError
 */
export function* convertVectors(store: GraphStore): Generator<number, number, void> {
  let converted = 0;
  for (const table of store.vectorFields.all()) {
    converted = yield* convertTable(store, table, converted);
  }
  return converted;
}

/** @param before number of vectors converted in other tables */
function* convertTable(
  store: GraphStore,
  vectors: VectorTable,
  before: number,
): Generator<number, number, void> {
  const { epoch, precision, key } = vectors;
  let converted = before;
  for (const space of vectors.spaces()) {
    const length = vectors.readSpace(space, Space.Length);
    if (hasFeatures(length) || readPrecision(length) === precision) continue;
    const ef = readEf(vectors, space);
    const target = slotLength(countComponents(length), false, precision);
    if (ef !== 0) changeVectorIndex(store, key, target, ef);
    // No vector of the old precision is added meanwhile: the setting has changed before.
    for (const vertices of listVertices(vectors, space, BATCH)) {
      if (vectors.epoch !== epoch || vectors.precision !== precision) return converted;
      converted += convertBatch(store, vectors, vertices, length);
      yield converted;
    }
    if (ef !== 0) changeVectorIndex(store, key, length, 0);
  }
  return converted;
}

/**
 * Creates or drops the index of vectors of one length.
 * @param key key code of their name, 0 for none
 * @param ef 0 to drop the index
 */
export function changeVectorIndex(
  store: GraphStore,
  key: number,
  length: number,
  ef: number,
): number {
  return store.writer.mutate(() => {
    requireWritable(store);
    const operation = begin(store, OperationCode.IndexVectors, 0);
    operation.name = key;
    operation.value = length;
    operation.flags = ef;
    return apply(store, operation);
  });
}

/** Converts those vectors that still have the length word; returns their number. */
function convertBatch(
  store: GraphStore,
  vectors: VectorTable,
  vertices: readonly number[],
  length: number,
): number {
  return store.writer.mutate(() => {
    requireWritable(store);
    let converted = 0;
    for (const vertex of vertices) {
      const slot = vectors.slotOf(vertex);
      if (slot === 0 || vectors.memory.lengthIn(slot) !== length) continue;
      const parts = readVector(store, vectors, vertex, vectors.precision);
      const operation = beginChange(store, OperationCode.SetVector, vertex);
      operation.name = vectors.key;
      operation.vector = parts;
      converted += apply(store, operation);
    }
    return converted;
  });
}
