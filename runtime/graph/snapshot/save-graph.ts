// Writes a graph to its folder, so that at every moment one whole snapshot of it is found there.
//
//   1  under the mutex: clear the dirty marks
//   2  write all chunks straight from the shared memory, while others change it
//   3  again, only what has become dirty meanwhile, as long as that is much and gets less
//   4  under the mutex: copy aside what has become dirty since
//   5  write the copies, table and header; flush; rename
//
// Writers wait for step 4 only, readers for nothing. What step 2 reads may be torn; whatever was
// changed meanwhile is dirty and written again.

import { existsSync, fsync, fsyncSync } from "node:fs";
import { promisify } from "node:util";
import { DataError, OperationTimeout } from "../errors.js";
import type { Arena } from "../memory/arena.js";
import { CHUNK_WORDS, CHUNKS_PER_ARENA, Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { nowSeconds } from "../time.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { chunksOf, type SnapshotHeader, wordsOfChunk } from "./snapshot-format.js";
import { SnapshotWriter } from "./snapshot-writer.js";
import { usedWords } from "./stored-arenas.js";

/** So few chunks are copied aside at once: 32 MiB. */
const FEW_CHUNKS = 4;
const WORD_BYTES = 8;
/** A sleeper looks for itself this often, in case who would wake it has died. */
const SLEEP_MS = 50;
const flush = promisify(fsync);

export interface SaveOptions {
  /** Saves even if nothing has changed since the last time. */
  readonly isForced?: boolean;
  /** How long to wait for another save of this graph; 0: not at all, negative: for ever. */
  readonly timeoutMs?: number;
}

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

/** Between two steps of a save: a file that is to be flushed before the next one. */
type Step = { readonly descriptor: number } | undefined;

/**
 * Saves a graph; the folder is made where it is missing. Returns the number of 8-byte words written,
 * 0 if nothing has changed since the last time. The caller must hold no vertices.
 * @throws OperationTimeout while another thread saves
 * @throws DataError what the file system refuses
 */
export function saveGraph(store: GraphStore, folder: string, options: SaveOptions = {}): number {
  const files = new SnapshotFiles(folder);
  claimSaving(store, options.timeoutMs ?? 0);
  const steps = save(store, files, options.isForced ?? false);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (value !== undefined) fsyncSync(value.descriptor);
    }
  } catch (error) {
    throw savingError(store, folder, error);
  } finally {
    steps.return(0);
  }
}

/** As `saveGraph`, but lets the thread do something else every 8 MiB, and while disks are slow. */
export async function saveGraphGently(
  store: GraphStore,
  folder: string,
  options: SaveOptions = {},
): Promise<number> {
  const files = new SnapshotFiles(folder);
  claimSaving(store, 0);
  const steps = save(store, files, options.isForced ?? false);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (value === undefined) await nextTurn();
      else await flush(value.descriptor);
    }
  } catch (error) {
    throw savingError(store, folder, error);
  } finally {
    steps.return(0);
  }
}

/** Frees the right to save from a thread that died in a save; the old snapshot is untouched. */
export function releaseSaving(store: GraphStore, deadThread: number): void {
  const { ints } = store.memory.header;
  if (Atomics.compareExchange(ints, Header.Saving, deadThread, 0) !== deadThread) return;
  Atomics.notify(ints, Header.Saving);
}

/** Returns the number of 8-byte words written. Gives the right to save back, however it ends. */
function* save(
  store: GraphStore,
  files: SnapshotFiles,
  isForced: boolean,
): Generator<Step, number, void> {
  let file: SnapshotWriter | null = null;
  try {
    if (!isForced && isSaved(store, files)) return 0;
    files.makeFolder();
    file = new SnapshotWriter(files.temporary);
    yield* writeMemory(store, file);
    const { header, copies } = copyRest(store, file);
    for (const [{ arena, chunk }, words] of copies) {
      file.write(arena.id, chunk, words);
      yield;
    }
    const bytes = file.finish(header);
    yield { descriptor: file.descriptor };
    file.close();
    files.replace();
    file = null;
    setSaved(store, header);
    return Math.ceil(bytes / WORD_BYTES);
  } finally {
    try {
      file?.discard();
    } finally {
      releaseSaving(store, store.writer.thread);
    }
  }
}

/** Steps 1 to 3. */
function* writeMemory(store: GraphStore, file: SnapshotWriter): Generator<Step, void, void> {
  let changed = store.writer.mutate(() => takeChanged(store, file));
  for (let before = Number.POSITIVE_INFINITY; changed.length > FEW_CHUNKS; ) {
    if (changed.length > before / 2) return;
    before = changed.length;
    for (const { arena, chunk, words } of changed) {
      file.write(arena.id, chunk, wordsAt(arena, chunk, words));
      yield;
    }
    changed = store.writer.mutate(() => takeChanged(store, file));
  }
}

/** Step 4: a moment at which nobody writes. */
function copyRest(store: GraphStore, file: SnapshotWriter): Moment {
  return store.writer.mutate(() => {
    const copies = takeChanged(store, file).map(
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

/** With the mutex: what is not in the file as it is in memory; marks it as not changed since. */
function takeChanged(store: GraphStore, file: SnapshotWriter): Chunk[] {
  const { arenas, header, dirty } = store.memory;
  const changed: Chunk[] = [];
  usedWords(store.memory).forEach((used, id) => {
    for (let chunk = 0; chunk < chunksOf(used); chunk++) {
      const mark = id * CHUNKS_PER_ARENA + chunk;
      const words = wordsOfChunk(used, chunk);
      // Not all of the header is marked when it changes.
      const isDirty = dirty.words[mark] !== 0 || id === header.id;
      if (!isDirty && file.wordsWritten(id, chunk) === words) continue;
      dirty.words[mark] = 0;
      changed.push({ arena: arenas[id]!, chunk, words });
    }
  });
  return changed;
}

function wordsAt(arena: Arena, chunk: number, words: number): Uint32Array {
  const first = chunk * CHUNK_WORDS;
  return arena.words.subarray(first, first + words);
}

/** Waits until nobody else saves the graph. */
function claimSaving(store: GraphStore, timeoutMs: number): void {
  const { ints } = store.memory.header;
  const giveUpAt = timeoutMs < 0 ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  for (;;) {
    const other = Atomics.compareExchange(ints, Header.Saving, 0, store.writer.thread);
    if (other === 0) return;
    const rest = giveUpAt - performance.now();
    // Who saves gently must not wait for itself.
    if (rest <= 0 || other === store.writer.thread)
      throw new OperationTimeout(`graph "${store.name}" is being saved already`);
    Atomics.wait(ints, Header.Saving, other, Math.min(rest, SLEEP_MS));
  }
}

/** True if the folder holds the graph as it is. */
function isSaved(store: GraphStore, files: SnapshotFiles): boolean {
  const { words } = store.memory.header;
  return (
    words[Header.SavedOperationCount] === words[Header.OperationCount] &&
    words[Header.SavedOperationCountHigh] === words[Header.OperationCountHigh] &&
    words[Header.SavedAt] !== 0 &&
    existsSync(files.current)
  );
}

/** Only who saves writes these words, so that they need no journal. */
function setSaved(store: GraphStore, { operationCount, savedAt }: Moment["header"]): void {
  const { words } = store.memory.header;
  words[Header.SavedOperationCount] = operationCount % 2 ** 32;
  words[Header.SavedOperationCountHigh] = Math.floor(operationCount / 2 ** 32);
  words[Header.SavedAt] = savedAt;
}

function savingError(store: GraphStore, folder: string, error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const text = `graph "${store.name}" cannot be saved to ${folder}: ${error.message}`;
  return new DataError(text, { cause: error });
}

function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
