// Writes the results of algorithms: a number per vertex, to one property, in batches.

import { LockedError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { validatePropertyKey, validatePropertyValue } from "../store/property-values.js";
import type { Access } from "../store/session-view.js";
import { applyProperty } from "./properties.js";
import { isLockedByOther, requireWritable } from "./vertex-key.js";

/** Vertices per transaction. */
export const VERTICES_PER_BATCH = 1000;
const MAX_WAIT_MS = 10_000;

/** A number for each vertex. */
export interface VertexNumbers {
  readonly vertices: Uint32Array;
  /** Generation of each vertex, which tells whether its handle has been reused. */
  readonly generations: Uint32Array;
  numberAt(position: number): number;
}

/** Returns the generations of vertices. */
export function readGenerations({ vertices }: GraphStore, handles: Uint32Array): Uint32Array {
  const generations = new Uint32Array(handles.length);
  for (let position = 0; position < handles.length; position++) {
    generations[position] = vertices.generationOf(handles[position]!);
  }
  return generations;
}

/**
 * Writes the numbers to the vertices that still exist and are not virtual. Yields the number of
 * batches written, or -1 while it waits for locked vertices.
 * @throws AccessError, ConstraintError, ValueError; LockedError after waiting for 10 seconds
 */
export function* writeNumbers(
  access: Access,
  key: string,
  numbers: VertexNumbers,
): Generator<number, void, void> {
  const { store } = access;
  const name = validatePropertyKey(key);
  let positions = new Uint32Array(numbers.vertices.length);
  for (let position = 0; position < positions.length; position++) positions[position] = position;
  let giveUpAt = Number.POSITIVE_INFINITY;
  for (let written = 0; positions.length > 0; ) {
    const locked: number[] = [];
    for (let from = 0; from < positions.length; from += VERTICES_PER_BATCH) {
      const some = positions.subarray(from, from + VERTICES_PER_BATCH);
      store.writer.mutate(() => {
        requireWritable(store);
        for (const position of some)
          if (!write(access, name, numbers, position)) locked.push(position);
      });
      yield ++written;
    }
    if (locked.length === 0) return;
    giveUpAt = Math.min(giveUpAt, performance.now() + MAX_WAIT_MS);
    if (performance.now() > giveUpAt) {
      const id = store.ids.idOf(numbers.vertices[locked[0]!]!);
      throw new LockedError(`Object is locked: '${id}'`);
    }
    positions = Uint32Array.from(locked);
    yield -1;
  }
}

/** Returns false for a vertex that another session has locked. */
function write(
  access: Access,
  key: string,
  { vertices, generations, numberAt }: VertexNumbers,
  position: number,
): boolean {
  const { store } = access;
  const vertex = vertices[position]!;
  if (!store.vertices.isReal(vertex)) return true;
  if (store.vertices.generationOf(vertex) !== generations[position]) return true;
  if (isLockedByOther(access, vertex)) return false;
  applyProperty(store, vertex, key, validatePropertyValue(numberAt(position)));
  return true;
}
