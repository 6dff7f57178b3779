// Declaring and dropping an index of texts, within a mutation, by `apply` alone.

import type { GraphStore } from "../store/graph-store.js";
import { parseDefinition, readKeys } from "../texts/index-definition.js";
import { findTextIndex } from "../texts/text-indexes.js";

/**
 * Declares an index, in place of one of the same name; 0 if that was so already. Its keys count as
 * used meanwhile, so that their codes mean nothing else.
 */
export function declareTexts(store: GraphStore, text: string): number {
  const { texts, keys } = store;
  const definition = parseDefinition(text)!;
  const known = findTextIndex(texts, definition.name);
  if (known?.text === text) return 0;
  const codes = readKeys(definition).map((name) => keys.codeOf(name));
  for (const code of codes) keys.addCount(code, 1);
  if (known !== null) dropTexts(store, definition.name);
  texts.declare(text, codes);
  return 1;
}

/** Drops an index; 0 if there was none. */
export function dropTexts({ texts, keys }: GraphStore, name: string): number {
  const known = findTextIndex(texts, name);
  if (known === null) return 0;
  for (const key of readKeys(known.definition)) keys.addCount(keys.codeOf(key), -1);
  texts.drop(known.place);
  return 1;
}
