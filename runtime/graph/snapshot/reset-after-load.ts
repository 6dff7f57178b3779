// Prepares the memory of a loaded graph before another thread sees it: validates it and resets the
// state that belonged to the threads of the saving process.

import { legacyIdentity, readIdentity, setIdentity } from "../memory/graph-identity.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import {
  ARENAS,
  Header,
  RECORD_WORDS,
  ReadonlyBy,
  RecordWord,
  SEQUENCE_WORDS,
  THREADS_WORDS,
} from "../memory/layout.js";
import { usedWordsInArena } from "../memory/used-words.js";
import type { SnapshotHeader } from "./snapshot-format.js";
import { orderAllocators } from "./stored-arenas.js";
import { validateArenaExtents } from "./validate-extents.js";

/** Header words without meaning in another process. */
const VOLATILE = [
  Header.Mutex,
  Header.Generation,
  Header.UndoCount,
  Header.CommittedCount,
  Header.IndexSequence,
  Header.StringSequence,
  Header.EventsSuspended,
  Header.EventsRunning,
  Header.EventsDone,
  Header.Saving,
  Header.Erased,
  Header.QueryCount,
  Header.QueryTimeUs,
  Header.QueryTimeUsHigh,
  Header.LocksHeld,
  Header.LockReleases,
  Header.Fence,
  Header.NameReuses,
  Header.Batches,
  Header.SaveFailedAt,
  Header.Moves,
  ...Array.from({ length: THREADS_WORDS }, (_, word) => Header.Threads + word),
];

/**
 * Validates and resets the memory of a loaded graph.
 * @returns vertices that were locked
 * @throws CorruptSnapshotError
 */
export function resetAfterLoad(memory: GraphMemory, header: SnapshotHeader): number[] {
  const { words } = memory.header;
  for (const word of VOLATILE) words[word] = 0;
  words[Header.Readonly]! &= ReadonlyBy.Graph;
  orderAllocators(words, header.arenas);
  validateArenaExtents(words, header.arenas);
  for (const [id, arena] of memory.arenas.entries()) {
    // Arenas that the file lacks are empty, but must have the size the graph needs.
    const used = usedWordsInArena(words, ARENAS[id]!, id);
    if (used > arena.words.length) arena.grow(used);
  }
  if (readIdentity(memory) === null) setIdentity(memory, legacyIdentity(memory));
  memory.sequence.grow(words[Header.HandleEnd]! * SEQUENCE_WORDS);
  words[Header.SavedOperationCount] = words[Header.OperationCount]!;
  words[Header.SavedOperationCountHigh] = words[Header.OperationCountHigh]!;
  words[Header.SavedAt] = header.savedAt;
  const groups = header.arenas.find(({ name }) => name === "groups")?.words ?? 0;
  for (let group = 0; group < groups; group += 2) {
    memory.groups.words[group]! &= ~1;
  }
  return releaseVertices(memory);
}

/** Clears the locks of vertices, whose holders are gone; returns the vertices. */
function releaseVertices({ header, record: { words } }: GraphMemory): number[] {
  const held: number[] = [];
  const end = header.words[Header.HandleEnd]!;
  for (let vertex = 1; vertex < end; vertex++) {
    const base = vertex * RECORD_WORDS;
    const generation = words[base + RecordWord.Generation]!;
    if (generation > header.words[Header.VertexSerial]!) {
      header.words[Header.VertexSerial] = generation;
    }
    if (words[base + RecordWord.LockCount] === 0 && words[base + RecordWord.Owner] === 0) continue;
    words[base + RecordWord.LockCount] = 0;
    words[base + RecordWord.Owner] = 0;
    held.push(vertex);
  }
  return held;
}
