// Declares and drops text indexes. Call within a mutation, from `apply` only.

import type { GraphStore } from "../store/graph-store.js";
import { parseDefinition, readKeys } from "../texts/index-definition.js";
import { findTextIndex } from "../texts/text-indexes.js";

/**
 * Declares an index, replacing that of the same name; 0 if its definition is the same. While the
 * index exists, its keys count as used, so that their codes are not reassigned.
 */
export function declareTexts(store: GraphStore, text: string): number {
  const { texts, keys } = store;
  const definition = parseDefinition(text)!;
  const old = findTextIndex(texts, definition.name);
  if (old?.text === text) return 0;
  const codes = readKeys(definition).map((name) => keys.codeOf(name));
  for (const code of codes) keys.addCount(code, 1);
  if (old !== null) dropTexts(store, definition.name);
  texts.declare(text, codes);
  return 1;
}

/** Drops an index; 0 if there was none. */
export function dropTexts({ texts, keys }: GraphStore, name: string): number {
  const index = findTextIndex(texts, name);
  if (index === null) return 0;
  for (const key of readKeys(index.definition)) keys.addCount(keys.codeOf(key), -1);
  texts.drop(index.position);
  return 1;
}
