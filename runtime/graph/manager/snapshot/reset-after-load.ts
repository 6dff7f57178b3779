// Prepares the memory of a loaded graph before another thread sees it: validates it and resets the
// state that belonged to the threads of the saving process.

import { legacyIdentity, readIdentity, setIdentity } from "../../memory/graph-identity.js";
import type { GraphMemory } from "../../memory/graph-memory.js";
import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  ALLOCATORS_END,
  AllocatorWord,
  ARENAS,
  Header,
  RECORD_WORDS,
  ReadonlyBy,
  RecordWord,
  SEQUENCE_WORDS,
  THREADS_WORDS,
} from "../../memory/layout.js";
import { usedWordsInArena } from "../../memory/used-words.js";
import { DataError } from "../../model/errors.js";
import type { SnapshotHeader, StoredArena } from "./snapshot-format.js";
import { validateArenaExtents } from "./snapshot-reader.js";

/** Header words without meaning in another process. */
const VOLATILE = [
  Header.Mutex,
  Header.Generation,
  Header.UndoCount,
  Header.CommittedCount,
  Header.IndexSequence,
  Header.StringSequence,
  Header.UniqueSequence,
  Header.IsJoint,
  Header.EventsSuspended,
  Header.EventsRunning,
  Header.EventsDone,
  Header.Saving,
  Header.Erased,
  Header.Replaced,
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
  Header.Enlarging,
  Header.NotEnlarged,
  Header.Stores,
  Header.BaseChecksum,
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

/** Clears the locks of vertices, whose holders no longer exist; returns the vertices. */
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

/**
 * Reorders the allocators of a loaded header to the order of `ARENAS`; arenas missing in the file
 * get empty ones.
 * @param words words of the graph header
 * @param stored arenas in the order of the header
 */
function orderAllocators(words: Uint32Array, stored: readonly StoredArena[]): void {
  const states = words.slice(ALLOCATORS, ALLOCATORS_END);
  words.fill(0, ALLOCATORS, ALLOCATORS_END);
  for (const [position, { name }] of stored.entries()) {
    const first = position * ALLOCATOR_WORDS;
    const state = states.subarray(first, first + ALLOCATOR_WORDS);
    // The file contained the holes, too, so loading has allocated their memory.
    state[AllocatorWord.ReleasedWords] = 0;
    words.set(state, ALLOCATORS + arenaId(name) * ALLOCATOR_WORDS);
  }
}

/** @throws DataError for an unknown arena */
export function arenaId(name: string): number {
  const id = (ARENAS as readonly string[]).indexOf(name);
  if (id >= 0) return id;
  throw new DataError(`unknown section "${name}"; this version of svc-server cannot read it`);
}
