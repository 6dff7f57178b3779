// The text indexes of a graph by name.

import type { GraphMemory } from "../memory/graph-memory.js";
import { Header } from "../memory/layout.js";
import { parseDefinition, type TextIndexDefinition } from "./index-definition.js";
import { DIRECTORY_WORDS, Entry, entryAt, INDEX_PLACES } from "./text-layout.js";
import type { TextTable } from "./text-table.js";

export interface DeclaredTextIndex {
  /** Position in the directory. */
  readonly position: number;
  readonly definition: TextIndexDefinition;
  /** The stored definition. */
  readonly text: string;
}

/** Number of attempts without a lock. */
const MAX_ATTEMPTS = 8;

/** Parsed definitions by position. Each is valid while the generation is unchanged. */
type CachedIndexes = Map<
  number,
  { readonly generation: number; readonly index: DeclaredTextIndex }
>;

const cachedIndexes = new WeakMap<TextTable, CachedIndexes>();

/** Returns all indexes, read consistently. */
export function declaredTextIndexes(table: TextTable): DeclaredTextIndex[] {
  const indexes = cachedIndexes.get(table) ?? new Map();
  cachedIndexes.set(table, indexes);
  return readAllEntries(table, () =>
    table.indexes().flatMap((position) => readDeclared(table, position, indexes) ?? []),
  );
}

/**
 * Repeats a read until no index has been declared, dropped or replaced during it. Otherwise, a read
 * of several entries could miss an index that a change moves.
 */
export function readAllEntries<T>({ writer, reader }: TextTable, read: () => T): T {
  if (writer.isWriting) return read();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
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
  position: number,
  indexes: CachedIndexes,
): DeclaredTextIndex | null {
  const cached = indexes.get(position);
  if (cached !== undefined && table.isSame({ index: position, generation: cached.generation })) {
    return cached.index;
  }
  const stored = table.definition(position);
  const definition = stored === null ? null : parseDefinition(stored.text);
  if (stored === null || definition === null) return null;
  const index = { position, definition, text: stored.text };
  indexes.set(position, { generation: stored.generation, index });
  return index;
}

/** Returns an index by name; null if it does not exist. */
export function findTextIndex(table: TextTable, name: string): DeclaredTextIndex | null {
  return declaredTextIndexes(table).find(({ definition }) => definition.name === name) ?? null;
}
