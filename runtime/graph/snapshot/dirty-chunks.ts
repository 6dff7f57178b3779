// Dirty chunks: parts of a graph's memory that differ from the snapshot file. Writers set dirty
// marks; the code that clears a mark must write the chunk to the file.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA } from "../memory/layout.js";
import { usedWords } from "../memory/used-words.js";
import type { GraphStore } from "../store/graph-store.js";
import { chunkWords, countChunks } from "./snapshot-format.js";
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
      // Some header words change without being marked.
      const isMarked = dirty.words[id * CHUNKS_PER_ARENA + chunk] !== 0 || id === header.id;
      if (!isMarked && file.wordsWritten(id, chunk) === words) continue;
      const last = runs.at(-1);
      if (last?.arena.id === id && isNext(last, chunk)) last.words += words;
      else runs.push({ arena: arenas[id]!, chunk, words });
    }
  });
  return runs;
}

/** Clears the marks of chunks. Requires the mutex. */
export function clearDirtyMarks(store: GraphStore, runs: readonly DirtyRun[]): void {
  const { words } = store.memory.dirty;
  for (const { arena, chunk, words: length } of runs) {
    assert(length <= arena.words.length - chunk * CHUNK_WORDS, "cleared chunks are in the arena");
    const first = arena.id * CHUNKS_PER_ARENA + chunk;
    words.fill(0, first, first + countChunks(length));
  }
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
