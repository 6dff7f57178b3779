// Writes a graph to its folder, so that at every moment one whole snapshot of it is found there.
//
// The file is written beside the old one, which stays whatever happens until the new one is safe.
// How memory gets into it while others change it: see write-memory.ts.

import { existsSync, fsync, fsyncSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type LockDeadline, lockDeadlineAfter } from "../changes/session-view.js";
import type { CommitClock } from "../memory/commit-clock.js";
import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { DataError, OperationTimeout, ReadBackError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { CorruptSnapshotError } from "./corrupt-snapshot.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { SnapshotReader } from "./snapshot-reader.js";
import { SnapshotWriter } from "./snapshot-writer.js";
import { writeMemory } from "./write-memory.js";

const WORD_BYTES = 8;
/** Who waits for another save looks for itself this often. */
const SLEEP_MS = 50;
const flush = promisify(fsync);

export interface SaveOptions {
  /** Saves even if nothing has changed since the last time. */
  readonly isForced?: boolean;
  /** How long to wait for another save of this graph; 0: not at all, negative: for ever. */
  readonly timeoutMs?: number;
}

/** A log that takes longer is waited for no more: who writes it may have died. */
const MAX_LOG_MS = 10_000;

/** Between two steps of a save: a file, or a log, that is to be flushed before the next one. */
type Step = { readonly descriptor: number } | { readonly log: CommitClock } | undefined;

/**
 * Saves a graph; the folder is made where it is missing. Returns the number of 8-byte words
 * written, 0 if nothing has changed since the last time or the graph was removed meanwhile. The
 * caller must hold no vertices.
 * @throws OperationTimeout while another thread saves
 * @throws DataError what the file system refuses
 */
export function saveGraph(store: GraphStore, folder: string, options: SaveOptions = {}): number {
  const files = new SnapshotFiles(folder);
  awaitSaving(store, lockDeadlineAfter(options.timeoutMs ?? 0));
  const steps = save(store, files, options.isForced ?? false);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (value !== undefined) flushNow(value);
      // Its folder may be that of a new graph from now on, whose files must be left alone.
      if (store.memory.isRemoved) return 0;
    }
  } catch (error) {
    throw savingError(store, folder, error);
  } finally {
    steps.return(0);
  }
}

/** As `saveGraph`, but lets the thread do something else every MiB, and while disks are slow. */
export async function saveGraphIncrementally(
  store: GraphStore,
  folder: string,
  options: SaveOptions = {},
): Promise<number> {
  const files = new SnapshotFiles(folder);
  const giveUpAt = lockDeadlineAfter(options.timeoutMs ?? 0);
  while (claimSaving(store, giveUpAt) !== 0) await sleep(SLEEP_MS);
  const steps = save(store, files, options.isForced ?? false);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await (value === undefined ? nextTurn() : flushStep(value));
      if (store.memory.isRemoved) return 0;
    }
  } catch (error) {
    throw savingError(store, folder, error);
  } finally {
    steps.return(0);
  }
}

/** Frees the right to save from a thread that died in a save; the old snapshot is untouched. */
export function releaseSaveLock(store: GraphStore, deadThread: number): void {
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
    if (store.memory.isRemoved || (!isForced && isSaved(store, files))) return 0;
    files.makeFolder();
    file = new SnapshotWriter(files.temporary);
    const header = yield* writeMemory(store, file);
    const bytes = file.finish(header);
    yield { descriptor: file.descriptor };
    file.close();
    yield* readBack(store, files);
    const { log } = store.memory;
    // Should this snapshot be damaged one day, the one before it and the log must give the same.
    if (log?.isOn === true) yield { log: log.clock };
    files.replace();
    file = null;
    setSaved(store, header.operationCount, header.savedAt);
    return Math.ceil(bytes / WORD_BYTES);
  } finally {
    try {
      file?.discard();
    } finally {
      releaseSaveLock(store, store.writer.thread);
    }
  }
}

/**
 * The new snapshot must be one that will be loaded: until then the old ones are not touched. It
 * comes from the system's cache, so that a disk which keeps something else is not found out.
 * @throws ReadBackError
 */
function* readBack(store: GraphStore, files: SnapshotFiles): Generator<undefined, void, void> {
  let reader: SnapshotReader | null = null;
  try {
    reader = new SnapshotReader(files.temporary);
    yield* reader.check();
  } catch (error) {
    if (!(error instanceof CorruptSnapshotError || error instanceof DataError)) throw error;
    const text = `graph "${store.name}" cannot be saved to ${files.folder}: what was written`;
    const kept = "the snapshots that there were are kept";
    throw new ReadBackError(`${text} cannot be read back: ${error.message}; ${kept}`);
  } finally {
    reader?.close();
  }
}

/** Takes the right to save, for which it may block the thread. */
function awaitSaving(store: GraphStore, giveUpAt: LockDeadline): void {
  const { ints } = store.memory.header;
  for (;;) {
    const other = claimSaving(store, giveUpAt);
    if (other === 0) return;
    // A gentle save of this thread gets on only if it is not blocked.
    if (other === store.writer.thread) throw alreadySaving(store);
    Atomics.wait(ints, Header.Saving, other, SLEEP_MS);
  }
}

/**
 * @returns 0, or the thread that saves
 * @throws OperationTimeout
 */
function claimSaving(store: GraphStore, giveUpAt: LockDeadline): number {
  const { ints } = store.memory.header;
  const other = Atomics.compareExchange(ints, Header.Saving, 0, store.writer.thread);
  if (other !== 0 && performance.now() >= giveUpAt) throw alreadySaving(store);
  return other;
}

function alreadySaving(store: GraphStore): OperationTimeout {
  return new OperationTimeout(`graph "${store.name}" is being saved already`);
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
function setSaved(store: GraphStore, operationCount: number, savedAt: number): void {
  const { words } = store.memory.header;
  words[Header.SavedOperationCount] = operationCount % 2 ** 32;
  words[Header.SavedOperationCountHigh] = Math.floor(operationCount / 2 ** 32);
  words[Header.SavedAt] = savedAt;
  words[Header.SaveFailedAt] = 0;
}

/** Also notes the failure where the status services see it. */
function savingError(store: GraphStore, folder: string, error: unknown): unknown {
  store.memory.header.words[Header.SaveFailedAt] = nowSeconds();
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const text = `graph "${store.name}" cannot be saved to ${folder}: ${error.message}`;
  return new DataError(text, { cause: error });
}

async function flushStep(step: NonNullable<Step>): Promise<void> {
  if ("descriptor" in step) await flush(step.descriptor);
  else {
    const giveUp = new AbortController();
    const late = sleep(MAX_LOG_MS, undefined, { ref: false, signal: giveUp.signal });
    const isLate = late.catch(() => undefined);
    await Promise.race([step.log.wait(step.log.nextFlush), isLate]);
    giveUp.abort();
  }
}

function flushNow(step: NonNullable<Step>): void {
  if ("descriptor" in step) fsyncSync(step.descriptor);
  else step.log.waitBlocking(step.log.nextFlush, MAX_LOG_MS);
}

function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
