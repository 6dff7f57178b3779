// The text indexes of a graph by name.

import { parseDefinition, type TextIndexDefinition } from "./index-definition.js";
import type { TextTable } from "./text-table.js";

export interface DeclaredTextIndex {
  /** Position in the directory. */
  readonly place: number;
  readonly definition: TextIndexDefinition;
  /** The stored definition. */
  readonly text: string;
}

/** By position: the definition, until another index takes the position. */
type KnownIndexes = Map<number, { readonly generation: number; readonly index: DeclaredTextIndex }>;

const known = new WeakMap<TextTable, KnownIndexes>();

export function declaredTextIndexes(table: TextTable): DeclaredTextIndex[] {
  const indexes = known.get(table) ?? new Map();
  known.set(table, indexes);
  return table.indexes().flatMap((place) => readDeclared(table, place, indexes) ?? []);
}

function readDeclared(
  table: TextTable,
  place: number,
  indexes: KnownIndexes,
): DeclaredTextIndex | null {
  const found = indexes.get(place);
  if (found !== undefined && table.isSame({ index: place, generation: found.generation })) {
    return found.index;
  }
  const stored = table.definition(place);
  const definition = stored === null ? null : parseDefinition(stored.text);
  if (stored === null || definition === null) return null;
  const index = { place, definition, text: stored.text };
  indexes.set(place, { generation: stored.generation, index });
  return index;
}

/** Returns null if there is none. */
export function findTextIndex(table: TextTable, name: string): DeclaredTextIndex | null {
  return declaredTextIndexes(table).find(({ definition }) => definition.name === name) ?? null;
}
