// How a graph stores and compares its vectors: precision and measure. A precision applies to
// vectors that are set from then on; `convertVectors` converts the others while the graph serves.

import { ValueError } from "../model/errors.js";
import { invalidArgument } from "../model/invalid-argument.js";
import { apply } from "../operations/apply.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { VectorIndex } from "../vectors/index-layout.js";
import { MEASURES } from "../vectors/measures/measures.js";
import { PRECISIONS, type VectorPrecision } from "../vectors/precision.js";
import { bitsOfSetting, settingIndex } from "../vectors/similarity-settings.js";
import {
  computeStride,
  countComponents,
  hasFeatures,
  readPrecision,
  SLAB_WORDS,
  Slab,
  Slot,
  Space,
  slotLength,
} from "../vectors/vector-layout.js";
import { toPrecision } from "../vectors/vector-parts.js";
import { begin, beginChange } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/** Name of a measure in options. */
export type VectorMeasure = "cosine" | "dot" | "l2";

/** How a graph stores and compares its vectors. */
export interface VectorSettings {
  /** Digits of stored vectors (default: "int8"). */
  readonly precision: VectorPrecision;
  /** Definition of `similarity`: the cosine (default), the dot product or the negated distance. */
  readonly measure: VectorMeasure;
}

/** Vectors converted per mutation. */
const BATCH = 16;

/** Returns the current settings. */
export function vectorSettings({ vectors }: GraphStore): VectorSettings {
  return {
    precision: PRECISIONS[vectors.precision]!,
    measure: vectors.measure.name as VectorMeasure,
  };
}

/**
 * Changes settings.
 * @throws ValueError, QueryError, AccessError
 */
export function changeVectorSettings(store: GraphStore, settings: Partial<VectorSettings>): void {
  const { precision, measure } = settings;
  if (precision !== undefined) {
    change(store, "precision", findName("precision", PRECISIONS, precision));
  }
  if (measure !== undefined) {
    const names = MEASURES.map(({ name }) => name);
    change(store, "measure", findName("measure", names, measure));
  }
}

function findName(option: string, names: readonly string[], name: unknown): number {
  const place = names.indexOf(name as string);
  if (place >= 0) return place;
  throw invalidArgument(`invalid ${option}`, name, names.join(", "), `.${option}`);
}

function change(store: GraphStore, name: "precision" | "measure", value: number): void {
  const { vectors } = store;
  store.writer.mutate(() => {
    const now = name === "precision" ? vectors.precision : MEASURES.indexOf(vectors.measure);
    if (now === value) return;
    requireWritable(store);
    if (name === "measure" && hasIndex(store)) {
      throw new ValueError(
        "the measure of indexed vectors cannot change: drop their indexes first",
      );
    }
    const operation = begin(store, OperationCode.SetSimilarity, 0);
    operation.name = settingIndex(name);
    operation.value = bitsOfSetting(name, value);
    apply(store, operation);
  });
}

function hasIndex(store: GraphStore): boolean {
  return store.vectors.spaces().some((space) => readEf(store, space) !== 0);
}

/** Returns the `ef` of the index of a space; 0 if it has none. */
function readEf({ vectors, memory }: GraphStore, space: number): number {
  const index = vectors.readSpace(space, Space.Index);
  return index === 0 ? 0 : memory.lists.words[index + VectorIndex.Ef]!;
}

/** Returns the number of vectors of numbers whose precision is another one. */
export function countOtherPrecision({ vectors }: GraphStore): number {
  return vectors.spaces().reduce((sum, space) => {
    const length = vectors.readSpace(space, Space.Length);
    const isOther = !hasFeatures(length) && readPrecision(length) !== vectors.precision;
    return isOther ? sum + vectors.readSpace(space, Space.Count) : sum;
  }, 0);
}

/**
 * Converts all vectors to the precision of the graph, and moves their indexes; yields the number
 * converted so far after each batch. Searches find every vector meanwhile. If it is interrupted,
 * another run converts the rest.
 * @throws AccessError, CapacityError
 */
export function* convertVectors(store: GraphStore): Generator<number, number, void> {
  const { vectors } = store;
  const { epoch, precision } = vectors;
  let converted = 0;
  for (const space of vectors.spaces()) {
    const length = vectors.readSpace(space, Space.Length);
    if (hasFeatures(length) || readPrecision(length) === precision) continue;
    const ef = readEf(store, space);
    const target = slotLength(countComponents(length), false, precision);
    if (ef !== 0) changeVectorIndex(store, target, ef);
    // Vertices that get a vector of the old precision meanwhile cannot exist: all are set by the
    // setting, which changed before.
    for (const vertices of batches(store, space, length)) {
      if (vectors.epoch !== epoch || vectors.precision !== precision) return converted;
      converted += convertBatch(store, vertices, length);
      yield converted;
    }
    if (ef !== 0) changeVectorIndex(store, length, 0);
  }
  return converted;
}

/** @param ef 0 to drop the index */
export function changeVectorIndex(store: GraphStore, length: number, ef: number): number {
  return store.writer.mutate(() => {
    requireWritable(store);
    const operation = begin(store, OperationCode.IndexVectors, 0);
    operation.value = length;
    operation.flags = ef;
    return apply(store, operation);
  });
}

/** Yields the vertices with a vector in a space. */
function* batches(
  { vectors, memory }: GraphStore,
  space: number,
  length: number,
): Generator<number[], void, void> {
  const stride = computeStride(length);
  let slab = vectors.readSpace(space, Space.FirstSlab);
  while (slab !== 0) {
    memory.refresh();
    const { words } = vectors.memory;
    const used = words[slab + Slab.Used]!;
    for (let first = 0; first < used; first += BATCH) {
      const vertices: number[] = [];
      for (let at = first; at < Math.min(used, first + BATCH); at++) {
        const vertex = words[slab + SLAB_WORDS + at * stride + Slot.Vertex]!;
        if (vertex !== 0) vertices.push(vertex);
      }
      if (vertices.length > 0) yield vertices;
    }
    slab = vectors.memory.words[slab + Slab.Next]!;
  }
}

/** Returns the number of vectors that were still of that length word, and were converted. */
function convertBatch(store: GraphStore, vertices: readonly number[], length: number): number {
  const { vectors, writer } = store;
  return writer.mutate(() => {
    requireWritable(store);
    let converted = 0;
    for (const vertex of vertices) {
      const slot = vectors.slotOf(vertex);
      if (slot === 0 || vectors.memory.lengthIn(slot) !== length) continue;
      const parts = toPrecision(vectors.get(vertex), vectors.precision);
      beginChange(store, OperationCode.SetVector, vertex).vector = parts;
      converted += apply(store, store.operation);
    }
    return converted;
  });
}
