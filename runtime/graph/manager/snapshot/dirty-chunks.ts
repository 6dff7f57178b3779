// Dirty chunks: parts of a graph's memory that differ from the snapshot files. Writers set dirty
// marks. A save replaces the marks of the chunks that it writes by `DirtyMark.Saved`: a delta needs
// all chunks changed since the last full snapshot, even if a former delta had them. Only a complete
// full snapshot removes the marks.

import { assert } from "../../../base/assert.js";
import type { Arena } from "../../memory/arena.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA, DirtyMark, Header } from "../../memory/layout.js";
import { usedWords } from "../../memory/used-words.js";
import type { GraphStore } from "../../store/graph-store.js";
import { chunkWords, countChunks, type SnapshotIdentity } from "./snapshot-format.js";
import type { SnapshotWriter } from "./snapshot-writer.js";

/** Maximum chunks per write: 1 MiB, which still is in the CPU cache after its checksum. */
const MAX_RUN_CHUNKS = 64;

/** Consecutive chunks of one arena. */
export interface DirtyRun {
  readonly arena: Arena;
  /** First chunk. */
  readonly chunk: number;
  /** Only the last chunk of an arena may be partial. */
  words: number;
}

/** Returns the chunks that differ from the file. Requires the mutex. */
export function dirtyChunks(store: GraphStore, file: SnapshotWriter): DirtyRun[] {
  const { arenas, header, dirty } = store.memory;
  const runs: DirtyRun[] = [];
  usedWords(store.memory).forEach((used, id) => {
    for (let chunk = 0; chunk < countChunks(used); chunk++) {
      const words = chunkWords(used, chunk);
      const mark = dirty.words[id * CHUNKS_PER_ARENA + chunk]!;
      // Some header words change without being marked.
      const isChanged = mark === DirtyMark.Changed || id === header.id;
      const written = file.wordsWritten(id, chunk, mark === DirtyMark.Clean);
      if (!isChanged && written === words) continue;
      const last = runs.at(-1);
      if (last?.arena.id === id && isNext(last, chunk)) last.words += words;
      else runs.push({ arena: arenas[id]!, chunk, words });
    }
  });
  return runs;
}

/** Marks chunks as saved. Requires the mutex. */
export function clearDirtyMarks(store: GraphStore, runs: readonly DirtyRun[]): void {
  const { words } = store.memory.dirty;
  for (const { arena, chunk, words: length } of runs) {
    assert(length <= arena.words.length - chunk * CHUNK_WORDS, "cleared chunks are in the arena");
    const first = arena.id * CHUNKS_PER_ARENA + chunk;
    words.fill(DirtyMark.Saved, first, first + countChunks(length));
  }
}

/** Returns the approximate number of words in a delta written now. */
export function countChangedWords({ memory }: GraphStore): number {
  let chunks = 0;
  usedWords(memory).forEach((used, id) => {
    const first = id * CHUNKS_PER_ARENA;
    for (let at = first; at < first + countChunks(used); at++) {
      if (memory.dirty.words[at] !== DirtyMark.Clean) chunks++;
    }
  });
  return chunks * CHUNK_WORDS;
}

/**
 * Makes a complete snapshot of the graph the base of the next deltas. Chunks changed after it stay
 * marked.
 */
export function setBase(store: GraphStore, base: SnapshotIdentity): void {
  const { dirty, header } = store.memory;
  store.writer.mutate(() => {
    header.words[Header.BaseChecksum] = base.checksum;
    const { words } = dirty;
    for (const arena of store.memory.arenas) {
      const first = arena.id * CHUNKS_PER_ARENA;
      const end = first + countChunks(arena.words.length);
      for (let at = first; at < end; at++) {
        if (words[at] === DirtyMark.Saved) words[at] = DirtyMark.Clean;
      }
    }
  });
}

export function runWords({ arena, chunk, words }: DirtyRun): Uint32Array {
  const first = chunk * CHUNK_WORDS;
  return arena.words.subarray(first, first + words);
}

export function countWords(runs: readonly DirtyRun[]): number {
  return runs.reduce((sum, { words }) => sum + words, 0);
}

function isNext(run: DirtyRun, chunk: number): boolean {
  const chunks = countChunks(run.words);
  return chunk === run.chunk + chunks && chunks < MAX_RUN_CHUNKS;
}
