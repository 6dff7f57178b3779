// Writes a consistent state of a graph's memory to a snapshot file while other threads change it:
//
//   1  under the mutex: clear all dirty marks
//   2  write the chunks straight from shared memory
//   3  repeat for chunks dirtied meanwhile, as long as they are many and decrease
//   4  under the mutex: copy the remaining dirty chunks
//   5  write the copies
//
// Writers wait for step 4 only, readers never. Step 2 may read torn data, but everything changed
// meanwhile is marked and written again.

import type { GraphMemory } from "../../memory/graph-memory.js";
import { ARENAS } from "../../memory/layout.js";
import { nowSeconds } from "../../memory/time.js";
import { usedWords } from "../../memory/used-words.js";
import type { GraphStore } from "../../store/graph-store.js";
import {
  clearDirtyMarks,
  countWords,
  type DirtyRun,
  dirtyChunks,
  runWords,
} from "./dirty-chunks.js";
import type { SnapshotPoint, StoredArena } from "./snapshot-format.js";
import type { SnapshotWriter } from "./snapshot-writer.js";

/** Maximum size of the copy of step 4: 4 MiB. */
const MAX_COPIED_WORDS = 2 ** 20;
/** Memory touched per turn: 8 MiB. */
const STEP_WORDS = 2 ** 21;

/** State of a graph at the end of step 4. */
interface FinalState {
  readonly header: SnapshotPoint;
  /** Chunks that the file still lacks. */
  readonly copies: readonly (readonly [DirtyRun, Uint32Array])[];
}

/** Writes the memory, yielding after each run of chunks; returns the state in the file. */
export function* writeMemory(
  store: GraphStore,
  file: SnapshotWriter,
): Generator<undefined, SnapshotPoint, void> {
  const left = yield* writeLive(store, file);
  const { header, copies } = copyRest(store, file, yield* allocateTouched(left));
  for (const [{ arena, chunk }, words] of copies) {
    file.write(arena.id, chunk, words);
    yield;
  }
  return header;
}

/** Steps 1 to 3; returns the approximate number of words left to copy. */
function* writeLive(store: GraphStore, file: SnapshotWriter): Generator<undefined, number, void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    let runs: DirtyRun[] = [];
    const words = store.writer.mutate(() => {
      const changed = dirtyChunks(store, file);
      const count = countWords(changed);
      if (count <= MAX_COPIED_WORDS || count > before / 2) return count;
      clearDirtyMarks(store, changed);
      runs = changed;
      return count;
    });
    if (runs.length === 0) return words;
    before = words;
    for (const run of runs) {
      file.write(run.arena.id, run.chunk, runWords(run));
      yield;
    }
  }
}

/** Allocates memory and touches its pages in advance, which makes the copy ten times faster. */
function* allocateTouched(words: number): Generator<undefined, Uint32Array, void> {
  const memory = new Uint32Array(words);
  for (let at = 0; at < words; at += STEP_WORDS) {
    memory.fill(0, at, at + STEP_WORDS);
    yield;
  }
  return memory;
}

/** Step 4: copies under the mutex. */
function copyRest(store: GraphStore, file: SnapshotWriter, memory: Uint32Array): FinalState {
  return store.writer.mutate(() => {
    const changed = dirtyChunks(store, file);
    clearDirtyMarks(store, changed);
    let used = 0;
    const copies = changed.map((run) => {
      const words = runWords(run);
      const copy = memory.subarray(used, used + words.length);
      // More chunks may have become dirty while the memory was allocated.
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

/** Returns the arenas as a snapshot contains them. */
export function storedArenas(memory: GraphMemory): StoredArena[] {
  const used = usedWords(memory);
  return ARENAS.map((name, id) => ({ name, words: used[id]! }));
}
