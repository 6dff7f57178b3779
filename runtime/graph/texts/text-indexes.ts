// The text indexes of a graph by name.

import type { GraphMemory } from "../memory/graph-memory.js";
import { Header } from "../memory/layout.js";
import { parseDefinition, type TextIndexDefinition } from "./index-definition.js";
import { DIRECTORY_WORDS, Entry, entryAt, INDEX_PLACES } from "./text-layout.js";
import type { TextTable } from "./text-table.js";

export interface DeclaredTextIndex {
  /** Position in the directory. */
  readonly place: number;
  readonly definition: TextIndexDefinition;
  /** The stored definition. */
  readonly text: string;
}

/** Reads of all entries before one that waits for the writer. */
const MAX_READINGS = 8;

/** By position: the definition, until another index takes the position. */
type KnownIndexes = Map<number, { readonly generation: number; readonly index: DeclaredTextIndex }>;

const known = new WeakMap<TextTable, KnownIndexes>();

/** Returns all indexes at one moment. */
export function declaredTextIndexes(table: TextTable): DeclaredTextIndex[] {
  const indexes = known.get(table) ?? new Map();
  known.set(table, indexes);
  return readAllEntries(table, () =>
    table.indexes().flatMap((place) => readDeclared(table, place, indexes) ?? []),
  );
}

/**
 * Returns the result of a read during which no index was declared, dropped or replaced. A read of
 * several entries could miss an index that a change moves.
 */
export function readAllEntries<T>({ writer, reader }: TextTable, read: () => T): T {
  if (writer.isWriting) return read();
  for (let attempt = 0; attempt < MAX_READINGS; attempt++) {
    const before = sumSequences(writer.memory);
    const result = read();
    reader.fence();
    if (before !== null && sumSequences(writer.memory) === before) return result;
  }
  writer.beginReading();
  try {
    return read();
  } finally {
    writer.end();
  }
}

/** Returns the sum of the sequences of all entries; null while an entry changes. */
function sumSequences(memory: GraphMemory): number | null {
  const directory = memory.header.words[Header.TextDirectory]!;
  if (directory === 0) return 0;
  if (directory + DIRECTORY_WORDS > memory.texts.ints.length) memory.refresh();
  let sum = 0;
  for (let index = 0; index < INDEX_PLACES; index++) {
    const at = entryAt(directory, index) + Entry.Sequence;
    const sequence = Atomics.load(memory.texts.ints, at);
    if ((sequence & 1) === 1) return null;
    sum += sequence >>> 0;
  }
  return sum;
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
