// Saves a graph to its folder, which contains one complete snapshot at every moment: the new file
// is written beside the old one, which stays until the new one is durable. See write-memory.ts for
// how memory is copied while other threads change it.
//
// A large graph of which little has changed since its last snapshot is saved as a delta, which
// replaces the former delta. If a delta is corrupt, only the changes since the snapshot are lost,
// and the log still contains them. Backups contain the snapshot and the log, without the delta.

import { existsSync, fsyncSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { flushFile } from "../../../base/async-calls.js";
import { LOG_FOLDER } from "../../../base/graph-names.js";
import type { CommitClock } from "../../memory/commit-clock.js";
import { Header } from "../../memory/layout.js";
import { nowSeconds } from "../../memory/time.js";
import { usedWords } from "../../memory/used-words.js";
import { DataError, OperationTimeout, ReadBackError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type LockDeadline, lockDeadlineAfter } from "../../store/session-view.js";
import { countChangedWords, setBase } from "./dirty-chunks.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { CorruptSnapshotError, type SnapshotHeader } from "./snapshot-format.js";
import { openDelta, readSnapshotHeader, SnapshotReader } from "./snapshot-reader.js";
import { SnapshotWriter } from "./snapshot-writer.js";
import { writeMemory } from "./write-memory.js";

const WORD_BYTES = 8;
/** A thread that waits for another save checks again this often. */
const SLEEP_MS = 50;
/** Smaller graphs are always saved as a whole. */
const MIN_DELTA_GRAPH_BYTES = 2 ** 24;
/** Maximum share of the graph in a delta, which limits the cost of saving and loading it. */
const MAX_DELTA_SHARE = 1 / 4;

export interface SaveOptions {
  /** Saves the whole graph, even if nothing has changed since the last save. */
  readonly isForced?: boolean;
  /** Removes the previous snapshot, because the disk has little space left. */
  readonly keepsOne?: boolean;
  /** Minimum size of a graph that is saved as a delta; default: 16 MiB. */
  readonly minDeltaGraphBytes?: number;
  /** Maximum wait for another save of this graph; 0: do not wait, negative: no limit. */
  readonly timeoutMs?: number;
}

/** Maximum wait for a log flush: the log thread may have died. */
const MAX_LOG_MS = 10_000;

/** File or log to flush before the next step of a save. */
type Step = { readonly descriptor: number } | { readonly log: CommitClock } | undefined;

/**
 * Saves a graph, creating the folder if needed. The caller must hold no vertices. Returns the
 * number of 8-byte words written; 0 if nothing has changed or the graph was removed meanwhile.
 * @throws OperationTimeout while another thread saves
 * @throws DataError for file system errors
 */
export function saveGraph(store: GraphStore, folder: string, options: SaveOptions = {}): number {
  const files = new SnapshotFiles(folder);
  awaitSaving(store, lockDeadlineAfter(options.timeoutMs ?? 0));
  const steps = save(store, files, options);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (value !== undefined) flushNow(value);
      // The folder may already belong to a new graph, whose files must not be changed.
      if (store.memory.isRemoved) return 0;
    }
  } catch (error) {
    throw savingError(store, folder, error);
  } finally {
    steps.return(0);
  }
}

/** Variant of `saveGraph` that yields the thread every MiB and while the disk is slow. */
export async function saveGraphIncrementally(
  store: GraphStore,
  folder: string,
  options: SaveOptions = {},
): Promise<number> {
  const files = new SnapshotFiles(folder);
  const giveUpAt = lockDeadlineAfter(options.timeoutMs ?? 0);
  while (claimSaving(store, giveUpAt) !== 0) await sleep(SLEEP_MS);
  const steps = save(store, files, options);
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

/** Releases the save lock of a thread that died in a save; the old snapshot is intact. */
export function releaseSaveLock(store: GraphStore, deadThread: number): void {
  const { ints } = store.memory.header;
  if (Atomics.compareExchange(ints, Header.Saving, deadThread, 0) !== deadThread) return;
  Atomics.notify(ints, Header.Saving);
}

/** Saves in steps; returns the 8-byte words written. Always releases the save lock. */
function* save(
  store: GraphStore,
  files: SnapshotFiles,
  { isForced = false, keepsOne = false, minDeltaGraphBytes = MIN_DELTA_GRAPH_BYTES }: SaveOptions,
): Generator<Step, number, void> {
  let file: SnapshotWriter | null = null;
  try {
    if (store.memory.isRemoved) return 0;
    if (keepsOne) files.removePrevious();
    if (!isForced && isSaved(store, files)) return 0;
    files.makeFolder();
    const base = isForced ? null : findBase(store, files, minDeltaGraphBytes);
    file = new SnapshotWriter(files.temporary, base);
    const header = yield* writeMemory(store, file);
    const bytes = file.finish(header);
    yield { descriptor: file.descriptor };
    file.close();
    yield* readBack(store, files, base);
    const { log } = store.memory;
    // If the new file becomes corrupt, the previous snapshot plus the log must restore its state.
    if (log?.isOn === true) yield { log: log.clock };
    if (base === null) files.replace();
    else files.replaceDelta();
    if (keepsOne) files.removePrevious();
    file = null;
    if (base === null) setBase(store, readSnapshotHeader(files.current));
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

/** Returns the snapshot on disk if a delta of it is worthwhile, else null. */
function findBase(
  store: GraphStore,
  files: SnapshotFiles,
  minGraphBytes: number,
): SnapshotHeader | null {
  const { header } = store.memory;
  const checksum = header.words[Header.BaseChecksum]!;
  if (checksum === 0 || isMissingInLog(store, files)) return null;
  const words = usedWords(store.memory).reduce((sum, used) => sum + used, 0);
  if (words * 4 < minGraphBytes) return null;
  if (countChangedWords(store) > words * MAX_DELTA_SHARE) return null;
  try {
    const base = readSnapshotHeader(files.current);
    return base.checksum === checksum && base.base === null ? base : null;
  } catch {
    // The base was removed or is corrupt, so a full snapshot is needed.
    return null;
  }
}

/**
 * Returns whether the data folder has a log that lacks the changes of this process, such as those
 * of `svc graph import`.
 */
function isMissingInLog({ memory }: GraphStore, { folder }: SnapshotFiles): boolean {
  if (memory.log?.isOn === true) return false;
  // The path of a graph within the data folder can have several parts.
  for (let at = dirname(folder); ; at = dirname(at)) {
    if (existsSync(join(at, LOG_FOLDER))) return true;
    if (at === dirname(at)) return false;
  }
}

/**
 * Verifies that the new snapshot can be loaded before the old one is replaced. Reads through the
 * page cache, so it does not detect corruption by the disk itself.
 * @throws ReadBackError
 */
function* readBack(
  store: GraphStore,
  files: SnapshotFiles,
  base: SnapshotHeader | null,
): Generator<undefined, void, void> {
  let reader: SnapshotReader | null = null;
  try {
    if (base === null) reader = new SnapshotReader(files.temporary);
    else reader = openDelta(files.temporary, files.current);
    yield* reader.check();
  } catch (error) {
    if (!(error instanceof CorruptSnapshotError || error instanceof DataError)) throw error;
    const text = `graph "${store.name}": snapshot verification failed in ${files.folder}`;
    const kept = "existing snapshots were kept";
    throw new ReadBackError(`${text}: ${error.message}; ${kept}`);
  } finally {
    reader?.close();
  }
}

/** Acquires the save lock, blocking the thread if needed. */
function awaitSaving(store: GraphStore, giveUpAt: LockDeadline): void {
  const { ints } = store.memory.header;
  for (;;) {
    const other = claimSaving(store, giveUpAt);
    if (other === 0) return;
    // An incremental save of this thread cannot proceed while we block.
    if (other === store.writer.thread) throw alreadySaving(store);
    Atomics.wait(ints, Header.Saving, other, SLEEP_MS);
  }
}

/**
 * Tries to acquire the save lock.
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
  return new OperationTimeout(`graph "${store.name}" is already being saved`);
}

/** Returns true if the snapshot on disk is current. */
function isSaved(store: GraphStore, files: SnapshotFiles): boolean {
  const { words } = store.memory.header;
  return (
    words[Header.SavedOperationCount] === words[Header.OperationCount] &&
    words[Header.SavedOperationCountHigh] === words[Header.OperationCountHigh] &&
    words[Header.SavedAt] !== 0 &&
    existsSync(files.current)
  );
}

/** Written by the holder of the save lock only, so no undo entries are needed. */
function setSaved(store: GraphStore, operationCount: number, savedAt: number): void {
  const { words } = store.memory.header;
  words[Header.SavedOperationCount] = operationCount % 2 ** 32;
  words[Header.SavedOperationCountHigh] = Math.floor(operationCount / 2 ** 32);
  words[Header.SavedAt] = savedAt;
  words[Header.SaveFailedAt] = 0;
}

/** Converts an error and records the failure for the status services. */
function savingError(store: GraphStore, folder: string, error: unknown): unknown {
  store.memory.header.words[Header.SaveFailedAt] = nowSeconds();
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const text = `graph "${store.name}" failed to save to ${folder}: ${error.message}`;
  return new DataError(text, { cause: error });
}

async function flushStep(step: NonNullable<Step>): Promise<void> {
  if ("descriptor" in step) await flushFile(step.descriptor);
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
