// Computes the signs of vectors, and frees the signs of a dropped index, in small steps. Runs only
// in the interconnect thread; if the thread dies, its successor continues.

import { listVertices } from "./list-vertices.js";
import type { SignTable } from "./sign-table.js";
import { toDirection } from "./signs.js";
import { Space } from "./vector-layout.js";
import { equalComponents, type VectorParts } from "./vector-parts.js";

/** Number of vertices per step. */
const BATCH = 16;
/** Number of vectors whose mean is the center. Scanning fewer vectors is fast without signs. */
const MIN_CENTER_SAMPLE = 256;
const MAX_CENTER_SAMPLE = 1024;

/** Returns whether there are too few vectors to compute signs. */
export function hasTooFewVectors(signs: SignTable): boolean {
  return !signs.hasCenter && signs.count < MIN_CENTER_SAMPLE;
}

/** Computes missing and outdated signs of all vectors; yields after each step. */
export function* fillSigns(signs: SignTable): Generator<undefined, void, void> {
  if (hasTooFewVectors(signs)) return;
  if (!signs.hasCenter) yield* chooseCenter(signs);
  const { vectors, table } = signs;
  const { writes } = vectors;
  const changed = signs.isFilled ? vectors.changedSince(signs.signsTo) : null;
  if (changed === null) yield* fillAll(signs);
  else {
    for (let at = 0; at < changed.length; at += BATCH) {
      update(signs, changed.subarray(at, at + BATCH));
      yield;
    }
  }
  table.writer.mutate(() => {
    if (isRequested(signs)) signs.setFilled(writes);
  });
}

function* fillAll(signs: SignTable): Generator<undefined, void, void> {
  const { vectors, table } = signs;
  for (const space of signs.spaces()) {
    for (const vertices of listVertices(vectors, space, BATCH)) {
      update(signs, vertices);
      yield;
    }
  }
  // Removes the signs of vectors that have been removed.
  for (const vertices of listVertices(table, signs.space, BATCH)) {
    update(signs, vertices);
    yield;
  }
}

/** Chooses the center: the mean of a sample of the vectors. */
function* chooseCenter(signs: SignTable): Generator<undefined, void, void> {
  const { vectors, table, length } = signs;
  const isScaled = vectors.measure.name === "cosine";
  const step = Math.ceil(signs.count / MAX_CENTER_SAMPLE);
  const sums = new Float64Array(length);
  let [visited, added] = [0, 0];
  for (const space of signs.spaces()) {
    for (const vertices of listVertices(vectors, space, BATCH)) {
      for (const vertex of vertices) {
        const parts = visited++ % step === 0 ? vectors.get(vertex) : null;
        if (parts === null || parts.bytes.length !== length || parts.isFeatures) continue;
        const numbers = toDirection(parts, isScaled);
        for (let at = 0; at < length; at++) sums[at]! += numbers[at]!;
        added++;
      }
      yield;
    }
  }
  const center = sums.map((sum) => sum / Math.max(1, added));
  table.writer.mutate(() => {
    if (isRequested(signs) && !signs.hasCenter) signs.setCenter(center);
  });
}

/** Updates the signs of vertices. The next run includes vectors that are replaced meanwhile. */
function update(signs: SignTable, vertices: Iterable<number>): void {
  const { vectors, table, length } = signs;
  if (!isRequested(signs) || !signs.hasCenter) return;
  const changes = new Map<number, VectorParts | null>();
  for (const vertex of vertices) {
    const parts = vectors.get(vertex);
    const isCovered = parts.bytes.length === length && !parts.isFeatures;
    const computed = isCovered ? signs.compute(parts) : null;
    const stored = table.has(vertex) ? table.get(vertex) : null;
    const isSame =
      computed === null || stored === null
        ? computed === stored
        : equalComponents(computed, stored);
    if (!isSame) changes.set(vertex, computed);
  }
  if (changes.size === 0) return;
  table.writer.mutate(() => {
    if (!isRequested(signs)) return;
    for (const [vertex, computed] of changes) {
      if (computed === null) table.remove(vertex);
      else table.set(vertex, computed);
    }
  });
}

/** Frees the signs of a dropped index, after its nodes. */
export function* clearSigns(signs: SignTable): Generator<undefined, void, void> {
  const { table, space } = signs;
  if (space === 0) return;
  for (const vertices of listVertices(table, space, BATCH)) {
    table.writer.mutate(() => {
      if (!signs.exists || isRequested(signs)) return;
      for (const vertex of vertices) table.remove(vertex);
    });
    yield;
  }
  table.writer.mutate(() => {
    if (!signs.exists || isRequested(signs) || table.readSpace(space, Space.Count) > 0) return;
    signs.release();
  });
}

/** Returns false once the index is dropped or the graph truncated. */
function isRequested(signs: SignTable): boolean {
  return signs.exists && signs.ef !== 0;
}
