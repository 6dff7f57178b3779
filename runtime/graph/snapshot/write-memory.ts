// Writes the memory of a graph to a snapshot file as it is at one moment, while others change it.
//
//   1  under the mutex: take the marks off all chunks
//   2  write them straight from the shared memory
//   3  again with those that were marked meanwhile, as long as they are many and get fewer
//   4  under the mutex: copy aside those that were marked since
//   5  write the copies
//
// Writers wait for step 4 only, readers for nothing. What step 2 reads may be torn; whatever was
// changed meanwhile is marked and written again.

import { nowSeconds } from "../memory/time.js";
import type { GraphStore } from "../store/graph-store.js";
import {
  clearDirtyMarks,
  countWords,
  type DirtyRun,
  dirtyChunks,
  wordsOfRun,
} from "./dirty-chunks.js";
import type { SnapshotPoint } from "./snapshot-format.js";
import type { SnapshotWriter } from "./snapshot-writer.js";
import { storedArenas } from "./stored-arenas.js";

/** So little is copied aside at once: 4 MiB. */
const FEW_WORDS = 2 ** 20;
/** Memory touched at once: 8 MiB. */
const STEP_WORDS = 2 ** 21;

/** A graph as it stood at one moment. */
interface Moment {
  readonly header: SnapshotPoint;
  /** What the file does not hold yet. */
  readonly copies: readonly (readonly [DirtyRun, Uint32Array])[];
}

/** Yields after each piece; returns what the file then holds. */
export function* writeMemory(
  store: GraphStore,
  file: SnapshotWriter,
): Generator<undefined, SnapshotPoint, void> {
  const left = yield* writeLive(store, file);
  const { header, copies } = copyRest(store, file, yield* touchedMemory(left));
  for (const [{ arena, chunk }, words] of copies) {
    file.write(arena.id, chunk, words);
    yield;
  }
  return header;
}

/** Steps 1 to 3; returns how many words are left to be copied, about. */
function* writeLive(store: GraphStore, file: SnapshotWriter): Generator<undefined, number, void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    let runs: DirtyRun[] = [];
    const words = store.writer.mutate(() => {
      const changed = dirtyChunks(store, file);
      const count = countWords(changed);
      if (count <= FEW_WORDS || count > before / 2) return count;
      clearDirtyMarks(store, changed);
      runs = changed;
      return count;
    });
    if (runs.length === 0) return words;
    before = words;
    for (const run of runs) {
      file.write(run.arena.id, run.chunk, wordsOfRun(run));
      yield;
    }
  }
}

/** Memory whose first use does not cost anything any more: copying is then ten times as fast. */
function* touchedMemory(words: number): Generator<undefined, Uint32Array, void> {
  const memory = new Uint32Array(words);
  for (let at = 0; at < words; at += STEP_WORDS) {
    memory.fill(0, at, at + STEP_WORDS);
    yield;
  }
  return memory;
}

/** Step 4: a moment at which nobody writes. */
function copyRest(store: GraphStore, file: SnapshotWriter, memory: Uint32Array): Moment {
  return store.writer.mutate(() => {
    const changed = dirtyChunks(store, file);
    clearDirtyMarks(store, changed);
    let used = 0;
    const copies = changed.map((run) => {
      const words = wordsOfRun(run);
      const copy = memory.subarray(used, used + words.length);
      // More may have been changed while memory was touched.
      if (copy.length < words.length) return [run, words.slice()] as const;
      used += words.length;
      copy.set(words);
      return [run, copy] as const;
    });
    const header = {
      name: store.name,
      savedAt: nowSeconds(),
      operationCount: store.operationCount,
      arenas: storedArenas(store.memory),
    };
    return { header, copies };
  });
}
