// Creates, drops and lists property and id indexes.

import { EnumerationError, ValueError } from "../model/errors.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { ID_KEY } from "../store/property-indexes.js";
import { begin } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/** An index of a property, or of ids: then `key` is null. */
export interface PropertyIndexState {
  readonly key: string | null;
  /** Number of indexed vertices. */
  readonly entries: number;
}

/**
 * Creates or drops an index. Creation scans all vertices under the mutex: seconds per million.
 * @param key null for ids
 * @returns false if nothing changed
 * @throws ValueError, AccessError, CapacityError
 */
export function indexProperties(store: GraphStore, key: unknown, isRequested: boolean): boolean {
  if (key !== null && typeof key !== "string") {
    throw new ValueError("a property index requires `key`");
  }
  return store.writer.mutate(() => {
    requireWritable(store);
    const code = key === null ? ID_KEY : resolveKeyCode(store, key, isRequested);
    const operation = begin(store, OperationCode.IndexProperty, 0);
    operation.name = code;
    operation.value = isRequested ? 1 : 0;
    return apply(store, operation) > 0;
  });
}

/** @throws EnumerationError if an index to drop has an unknown key */
function resolveKeyCode(store: GraphStore, key: string, isRequested: boolean): number {
  if (isRequested) return ensureKeyCode(store, key);
  const code = store.keys.codeOf(key);
  if (code === 0) throw new EnumerationError(`cannot index '${key}': no such property key`);
  return code;
}

export function propertyIndexes({ writer, indexes, keys }: GraphStore): PropertyIndexState[] {
  writer.beginReading();
  try {
    return indexes.all().map(({ key, entries }) => ({
      key: key === ID_KEY ? null : keys.nameOf(key),
      entries,
    }));
  } finally {
    writer.end();
  }
}
