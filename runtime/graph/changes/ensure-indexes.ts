// Creates the configured indexes that a graph does not have yet.

import type { GraphStore } from "../store/graph-store.js";
import { paddedLength } from "../vectors/vector-parts.js";
import { indexProperties, propertyIndexes } from "./index-properties.js";
import { hasTextIndex, indexTexts, type TextIndexOptions } from "./index-texts.js";
import { indexVectors, type VectorIndexOptions, vectorIndexes } from "./index-vectors.js";

/** An index of the configuration. */
export type ConfiguredIndex =
  | { readonly text: TextIndexOptions }
  | { readonly property: string }
  | { readonly ids: true }
  | { readonly vectors: VectorIndexOptions };

/**
 * Creates an index unless the graph has it with the same definition.
 * @throws ValueError, AccessError, CapacityError
 */
export function ensureIndex(store: GraphStore, index: ConfiguredIndex): void {
  if ("text" in index) {
    if (!hasTextIndex(store, index.text)) indexTexts(store, index.text);
  } else if ("vectors" in index) {
    if (!hasVectorIndex(store, index.vectors)) indexVectors(store, index.vectors);
  } else {
    const key = "property" in index ? index.property : null;
    const isThere = propertyIndexes(store).some((known) => known.key === key);
    if (!isThere) indexProperties(store, key, true);
  }
}

function hasVectorIndex(
  store: GraphStore,
  { length, ef, name, signs = false }: VectorIndexOptions,
): boolean {
  return vectorIndexes(store).some((known) => {
    const isSame = known.name === name && known.length === paddedLength(length);
    return isSame && known.signs === signs && (ef === undefined || known.ef === ef);
  });
}
