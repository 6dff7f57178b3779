// Writes the memory of a graph to a snapshot file as it stands at one moment, while others change it.
//
//   1  under the mutex: take the marks off all chunks
//   2  write them straight from the shared memory
//   3  again with those that were marked meanwhile, as long as they are many and get fewer
//   4  under the mutex: copy aside those that were marked since
//   5  write the copies
//
// Writers wait for step 4 only, readers for nothing. What step 2 reads may be torn; whatever was
// changed meanwhile is marked and written again.

import type { Arena } from "../memory/arena.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { nowSeconds } from "../time.js";
import { chunksOf, type SnapshotHeader, wordsOfChunk } from "./snapshot-format.js";
import type { SnapshotWriter } from "./snapshot-writer.js";
import { usedWords } from "./stored-arenas.js";

/** So few chunks are copied aside at once: 32 MiB. */
const FEW_CHUNKS = 4;

interface Chunk {
  readonly arena: Arena;
  readonly chunk: number;
  readonly words: number;
}

/** A graph as it stood at one moment. */
interface Moment {
  readonly header: Omit<SnapshotHeader, "tablePage" | "tableChecksum">;
  /** What the file does not hold yet. */
  readonly copies: readonly (readonly [Chunk, Uint32Array])[];
}

/** Yields after each chunk; returns what the file then holds. */
export function* writeMemory(
  store: GraphStore,
  file: SnapshotWriter,
): Generator<undefined, Moment["header"], void> {
  yield* writeLive(store, file);
  const { header, copies } = copyRest(store, file);
  for (const [{ arena, chunk }, words] of copies) {
    file.write(arena.id, chunk, words);
    yield;
  }
  return header;
}

/** Steps 1 to 3. */
function* writeLive(store: GraphStore, file: SnapshotWriter): Generator<undefined, void, void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const chunks = store.writer.mutate(() => {
      const found = changedChunks(store, file);
      const isWorthIt = found.length > FEW_CHUNKS && found.length <= before / 2;
      return isWorthIt ? unmarked(store, found) : [];
    });
    if (chunks.length === 0) return;
    before = chunks.length;
    for (const { arena, chunk, words } of chunks) {
      file.write(arena.id, chunk, wordsAt(arena, chunk, words));
      yield;
    }
  }
}

/** Step 4: a moment at which nobody writes. */
function copyRest(store: GraphStore, file: SnapshotWriter): Moment {
  return store.writer.mutate(() => {
    const copies = unmarked(store, changedChunks(store, file)).map(
      (place) => [place, wordsAt(place.arena, place.chunk, place.words).slice()] as const,
    );
    const header = {
      name: store.name,
      savedAt: nowSeconds(),
      operationCount: store.operationCount,
      arenaWords: usedWords(store.memory),
    };
    return { header, copies };
  });
}

/** With the mutex: what is not in the file as it is in memory. */
function changedChunks(store: GraphStore, file: SnapshotWriter): Chunk[] {
  const { arenas, header, dirty } = store.memory;
  const changed: Chunk[] = [];
  usedWords(store.memory).forEach((used, id) => {
    for (let chunk = 0; chunk < chunksOf(used); chunk++) {
      const words = wordsOfChunk(used, chunk);
      // Not all of the header is marked when it changes.
      const isDirty = dirty.words[id * CHUNKS_PER_ARENA + chunk] !== 0 || id === header.id;
      if (!isDirty && file.wordsWritten(id, chunk) === words) continue;
      changed.push({ arena: arenas[id]!, chunk, words });
    }
  });
  return changed;
}

/** With the mutex: the same chunks, not marked any more; whoever takes a mark away writes them. */
function unmarked(store: GraphStore, chunks: Chunk[]): Chunk[] {
  const { words } = store.memory.dirty;
  for (const { arena, chunk } of chunks) words[arena.id * CHUNKS_PER_ARENA + chunk] = 0;
  return chunks;
}

function wordsAt(arena: Arena, chunk: number, words: number): Uint32Array {
  const first = chunk * CHUNK_WORDS;
  return arena.words.subarray(first, first + words);
}
