// Which indexes of texts a graph has, by their names.

import { parseDefinition, type TextIndexDefinition } from "./index-definition.js";
import type { TextTable } from "./text-table.js";

export interface DeclaredTextIndex {
  /** Its place in the directory. */
  readonly place: number;
  readonly definition: TextIndexDefinition;
  /** The definition as it is stored. */
  readonly text: string;
}

export function declaredTextIndexes(table: TextTable): DeclaredTextIndex[] {
  return table.indexes().flatMap((place) => {
    const text = table.definition(place)?.text ?? "";
    const definition = parseDefinition(text);
    return definition === null ? [] : [{ place, definition, text }];
  });
}

/** Null if there is none. */
export function findTextIndex(table: TextTable, name: string): DeclaredTextIndex | null {
  return declaredTextIndexes(table).find(({ definition }) => definition.name === name) ?? null;
}
