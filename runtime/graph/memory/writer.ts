// Writer of a graph, the only way to change it. One thread at a time holds the mutex. The old value
// of every changed word is first appended to the undo log, so a mutation that throws, or whose
// thread dies, is rolled back:
//
//   writer.mutate(() => { writer.touch(side, vertex); writer.put(arena, index, value); ... })
//
// Readers take no lock: the sequence of each vertex side being written is odd, and they retry; see
// seqlock-reader.ts.

import { isMainThread } from "node:worker_threads";
import { AccessError, CapacityError, InternalError, StorageError } from "../model/errors.js";
import { type Arena, graphFullError, MAX_ARENA_WORDS } from "./arena.js";
import type { CommitRing } from "./commit-ring.js";
import { type GraphMemory, isEnlarged } from "./graph-memory.js";
import {
  ARENAS,
  CHUNK_SHIFT,
  CHUNKS_PER_ARENA,
  enlargeAboveWords,
  Header,
  SEQUENCE_WORDS,
  WAITERS,
} from "./layout.js";
import {
  finishCommit,
  releaseSequence,
  SEQUENCE_UNDO_FLAG,
  UNDO_ENTRY_WORDS,
  undo,
} from "./undo-log.js";
import { notEnlargedError, otherGraphError, type Unit } from "./writer-errors.js";

/** Numbers per savepoint of a nested mutation. */
const SAVEPOINT_NUMBERS = 5;
const MAX_BATCH_WORDS = 6 * 2 ** 20;
const SPINS = 400;
/** A sleeping thread checks again this often, in case its wake-up went to a thread that died. */
const SLEEP_MS = 50;

/**
 * The main thread gives up when nothing was written for this long: if the mutex holder is dead,
 * only the main thread learns of it, and all others wait for the main thread.
 */
const MAX_QUIET_MS = isMainThread ? 10_000 : Number.POSITIVE_INFINITY;

/** Vertex side protected by a sequence; properties, times and id belong to `OUT`. */
export type SideNumber = 0 | 1;

/** Checks a mutation before it is committed; see store/constraints.ts. */
export interface CommitCheck {
  /** @throws an error that makes the writer roll the mutation back */
  check(): void;
  /** Called when the mutation was rolled back. */
  forget(): void;
}

/** Receives freed blocks at the commit; see block-allocator.ts. */
export interface Allocator {
  release(writer: Writer, block: number, sizeClass: number): void;
}

export class Writer {
  /** While this thread runs a batch: the only graph it may lock, which prevents deadlocks. */
  static batchWriter: Writer | null = null;
  /** True while this thread holds mutexes of several graphs: it must not wait for other threads. */
  static holdsSeveral = false;
  /**
   * Commits mutations together with the idempotency key of the request, which is in another graph;
   * returns false if there is no key to commit.
   */
  static commitWithRequest: ((writers: readonly Writer[]) => boolean) | null = null;

  readonly memory: GraphMemory;
  /** 1 to 255, unique among the threads of the process. */
  readonly thread: number;
  #depth = 0;
  #undoCount = 0;
  /**
   * Savepoints by depth, five numbers each: lengths of undo log, touched, freed; log words,
   * records.
   */
  readonly #savepoints: number[] = [];
  /** Views of arenas that never grow, and of the undo log up to its known length. */
  readonly #header: Uint32Array;
  readonly #dirty: Uint32Array;
  #undoLog: Uint32Array;
  /** Undo log entries that are sequences. */
  #touchedCount = 0;
  readonly #touched: number[] = [];
  /** Blocks freed since the last commit: block and size class, and their allocators. */
  #freedCount = 0;
  readonly #freed: number[] = [];
  readonly #freedOf: Allocator[] = [];
  /** True once a run of arcs has shrunk or a handle was freed, until the commit or rollback. */
  hasShortened = false;
  /** Null if the current mutation needs no check. */
  commitCheck: CommitCheck | null = null;
  /** True if the log thread must be woken at the end of this mutation. */
  #hasLogged = false;
  /** True while no other thread can see the graph. */
  #isUnshared = false;
  /** Runs before a mutation while `Header.Enlarging` has requests. */
  onEnlarging: () => void = () => {};
  /** Receives the transaction of each commit; null: changes are not logged. */
  readonly #log: CommitRing | null;

  /** True while this thread holds the mutex. */
  get isWriting(): boolean {
    return this.#depth > 0;
  }

  /** True in a nested mutation, which cannot commit by itself. */
  get isNested(): boolean {
    return this.#depth > 1;
  }

  constructor(memory: GraphMemory, thread: number) {
    this.memory = memory;
    this.thread = thread;
    this.#header = memory.header.words;
    this.#dirty = memory.dirty.words;
    this.#undoLog = memory.journal.words;
    this.#log = memory.log;
  }

  /** Runs a mutation atomically: if `change` throws, it is rolled back. */
  mutate<T>(change: () => T): T {
    this.begin();
    try {
      const result = change();
      this.commit();
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    } finally {
      this.end();
    }
  }

  /**
   * Runs mutations of a graph that no other thread can see, without an undo log: a mutation that
   * throws is not rolled back, and the graph must be discarded.
   */
  runUnshared<T>(run: () => T): T {
    this.beginReading();
    this.#depth = 0;
    this.#isUnshared = true;
    try {
      return run();
    } finally {
      this.#isUnshared = false;
      this.#depth = 1;
      this.end();
    }
  }

  /**
   * Takes the mutex once the log has room. Hot paths call it directly instead of `mutate`. A nested
   * mutation is committed or rolled back with the outer one.
   * @throws AccessError in the main thread, if the mutex holder seems dead; StorageError if the
   *   transaction log accepts no changes
   */
  begin(): void {
    if (this.#depth === 0) this.enlarge();
    const log = this.#log;
    if (log !== null && this.#depth === 0 && !log.hasRoom && !log.awaitRoom()) {
      throw new StorageError(`transaction log of graph '${this.memory.name}' takes no changes`);
    }
    this.beginReading();
  }

  /** Enlarges arenas if requested, between two mutations. */
  enlarge(): void {
    if (this.#header[Header.Enlarging] !== 0 && !Writer.holdsSeveral) this.onEnlarging();
  }

  /** Takes the mutex for reading only, which must not wait for the disk. */
  beginReading(): void {
    if (this.#depth > 0) {
      this.#setSavepoint(this.#depth++);
      return;
    }
    if (this.#isUnshared) {
      this.#depth = 1;
      return;
    }
    if (!this.#lock(MAX_QUIET_MS)) throw new AccessError(`Graph is locked: '${this.memory.name}'`);
    this.#depth = 1;
    this.memory.refresh();
  }

  /** Takes the mutex unless its holder writes nothing for `quietMs`; returns false then. */
  tryBegin(quietMs: number): boolean {
    if (!this.#lock(quietMs)) return false;
    this.#depth = 1;
    this.memory.refresh();
    return true;
  }

  /**
   * Commits the writes so far; the mutex stays locked.
   * @throws ConstraintError: the caller must roll back
   */
  commit(): void {
    if (this.#depth > 1) return;
    if (Writer.commitWithRequest?.([this]) === true) return;
    this.commitCheck?.check();
    this.prepareCommit();
    this.decideCommit();
    this.publishCommit();
    this.finishCommit();
  }

  /** True if the current mutation has changed anything. */
  get hasChanged(): boolean {
    const log = this.#log;
    return log?.isOn === true ? log.hasTransaction : this.#undoCount > 0;
  }

  /** Words of the log that the current mutation has written. */
  get loggedWords(): number {
    return this.#log?.openWords ?? 0;
  }

  /** First part of a commit, after all checks; joint-commit.ts runs each part for all graphs. */
  prepareCommit(): void {
    this.hasShortened = false;
    if (this.#freedCount > 0) this.#releaseFreed();
    const log = this.#log;
    if (log?.hasTransaction !== true) return;
    const header = this.#header;
    log.prepare(header[Header.OperationCount]!, header[Header.OperationCountHigh]!);
  }

  /** Second part: the mutation is final. */
  decideCommit(): void {
    this.#header[Header.CommittedCount] = this.#undoCount;
  }

  /** Third part: makes the mutation visible to the log, then to readers. */
  publishCommit(): void {
    const log = this.#log;
    if (log?.hasTransaction === true) this.#publish(log);
    this.#header[Header.UndoCount] = 0;
    for (let index = 0; index < this.#touchedCount; index++) {
      releaseSequence(this.memory, this.#touched[index]!);
    }
    this.#touchedCount = 0;
    this.#undoCount = 0;
  }

  /** Last part, when everything is visible. */
  finishCommit(): void {
    this.#header[Header.CommittedCount] = 0;
  }

  /** Rolls back to the last commit; in a nested mutation, to its start. */
  rollback(): void {
    const isNested = this.#depth > 1;
    const mark = (this.#depth - 1) * SAVEPOINT_NUMBERS;
    const at = (number: number): number => (isNested ? this.#savepoints[mark + number]! : 0);
    undo(this.memory, this.#undoCount, at(0));
    this.#undoCount = at(0);
    this.#touchedCount = at(1);
    this.#freedCount = at(2);
    if (isNested) this.#log?.rollBackTo(at(3), at(4));
    else {
      this.#log?.discard();
      this.commitCheck?.forget();
    }
  }

  /** Releases the mutex at the outermost level. */
  end(): void {
    if (--this.#depth > 0 || this.#isUnshared) return;
    this.#unlock();
  }

  /**
   * Takes over the mutex of a dead thread and rolls back its mutation, or completes its commit. The
   * caller must finish the `Unfinished` removal before `end`.
   * @param isJointFinal whether a joint commit of the dead thread was final
   * @returns false if the dead thread did not hold the mutex
   */
  takeOver(dead: number, isJointFinal = false): boolean {
    const { memory } = this;
    const { ints, words } = memory.header;
    for (;;) {
      const seen = Atomics.load(ints, Header.Mutex);
      if ((seen & ~WAITERS) !== dead) return false;
      const locked = this.thread | (seen & WAITERS);
      if (Atomics.compareExchange(ints, Header.Mutex, seen, locked) === seen) break;
    }
    this.#depth = 1;
    // The thread may have died between growing an arena and announcing it.
    Atomics.add(ints, Header.Generation, 1);
    memory.refresh();
    const isFinal = isJointFinal && words[Header.IsJoint] === 1;
    const committed = words[Header.CommittedCount]! || (isFinal ? words[Header.UndoCount]! : 0);
    words[Header.IsJoint] = 0;
    this.#log?.takeOver(committed > 0);
    if (committed > 0) finishCommit(memory, committed);
    else undo(memory, words[Header.UndoCount]!);
    return true;
  }

  /**
   * Frees a block at the commit. It is not reused before, so blocks can be filled without undo
   * entries: a rollback never needs their old content.
   */
  freeAtCommit(allocator: Allocator, block: number, sizeClass: number): void {
    // The arrays are never shortened, which would cost more than everything else here.
    const at = this.#freedCount++;
    this.#freedOf[at] = allocator;
    this.#freed[2 * at] = block;
    this.#freed[2 * at + 1] = sizeClass;
  }

  /** Writes a word; undoable. */
  put(arena: Arena, index: number, value: number): void {
    if (!this.#isUnshared) this.#note(arena.id, index, arena.words[index]!);
    this.#dirty[arena.id * CHUNKS_PER_ARENA + (index >>> CHUNK_SHIFT)] = 1;
    arena.words[index] = value;
  }

  /** Appends the old value of a word that the caller changes itself. */
  noteOldValue(arena: Arena, index: number): void {
    if (!this.#isUnshared) this.#note(arena.id, index, arena.words[index]!);
  }

  /** Adds to a word and returns the new value; undoable. */
  add(arena: Arena, index: number, delta: number): number {
    const value = (arena.words[index]! + delta) >>> 0;
    this.put(arena, index, value);
    return value;
  }

  /** Adds to a two-word number, low word first; undoable. */
  addWide(arena: Arena, index: number, delta: number): void {
    const low = arena.words[index]! + delta;
    if (low >= 0 && low <= 0xffff_ffff) this.put(arena, index, low);
    else {
      this.put(arena, index, low >>> 0);
      this.add(arena, index + 1, low < 0 ? -1 : 1);
    }
  }

  /**
   * Marks words as dirty that were written without `put`. Allowed only for words that nothing
   * refers to yet: in a block allocated by this mutation.
   */
  markDirty(arena: Arena, index: number, words: number): void {
    const last = (index + words - 1) >>> CHUNK_SHIFT;
    for (let chunk = index >>> CHUNK_SHIFT; chunk <= last; chunk++) {
      this.#dirty[arena.id * CHUNKS_PER_ARENA + chunk] = 1;
    }
  }

  /** Makes readers of a vertex side retry until the commit. Call it before the first change. */
  touch(side: SideNumber, vertex: number): void {
    if (this.#isUnshared) return;
    this.touchWord(this.memory.sequence, vertex * SEQUENCE_WORDS + side);
  }

  /** Variant of `touch` for any other sequence word: of a table, of a group of cells. */
  touchWord(arena: Arena, index: number): void {
    const value = arena.words[index]!;
    if ((value & 1) === 1) return;
    if (this.#isUnshared) {
      // No other thread reads, but caches of this thread must see a new sequence.
      arena.words[index] = value + 2;
      return;
    }
    this.#touched[this.#touchedCount++] = this.#undoCount;
    this.#note(arena.id + SEQUENCE_UNDO_FLAG, index, value);
    this.#dirty[arena.id * CHUNKS_PER_ARENA + (index >>> CHUNK_SHIFT)] = 1;
    Atomics.add(arena.ints, index, 1);
  }

  /**
   * Grows an arena to at least `words` words.
   * @throws CapacityError above the limit of a graph
   */
  ensureWords(arena: Arena, words: number): void {
    if (words > MAX_ARENA_WORDS) throw graphFullError();
    if (words <= arena.words.length) return;
    const { share } = this.memory;
    if (share.size === "auto" && words > enlargeAboveWords(ARENAS[arena.id]!)) {
      this.memory.requestEnlargement(arena);
      if (words > arena.capacity && !isEnlarged(arena)) throw notEnlargedError(share.name);
    }
    arena.grow(words);
    Atomics.add(this.memory.header.ints, Header.Generation, 1);
    this.memory.refresh();
  }

  #setSavepoint(depth: number): void {
    const log = this.#log;
    const marks = this.#savepoints;
    const at = depth * SAVEPOINT_NUMBERS;
    marks[at] = this.#undoCount;
    marks[at + 1] = this.#touchedCount;
    marks[at + 2] = this.#freedCount;
    marks[at + 3] = log === null ? 0 : log.openWords;
    marks[at + 4] = log === null ? 0 : log.openRecords;
  }

  #releaseFreed(): void {
    for (let index = 0; index < this.#freedCount; index++) {
      const block = this.#freed[2 * index]!;
      this.#freedOf[index]!.release(this, block, this.#freed[2 * index + 1]!);
    }
    this.#freedCount = 0;
  }

  #publish(log: CommitRing): void {
    log.publish();
    this.#hasLogged = true;
  }

  #note(arena: number, index: number, old: number): void {
    const at = this.#undoCount * UNDO_ENTRY_WORDS;
    if (at + UNDO_ENTRY_WORDS > this.#undoLog.length) this.#extendUndoLog(at * 2);
    const words = this.#undoLog;
    words[at] = arena;
    words[at + 1] = index;
    words[at + 2] = old;
    this.#header[Header.UndoCount] = ++this.#undoCount;
  }

  #extendUndoLog(words: number): void {
    if (words > MAX_BATCH_WORDS && Writer.batchWriter !== null) {
      throw new CapacityError(`${nameUnit()} exceeds the 24 MiB undo log`);
    }
    this.ensureWords(this.memory.journal, words);
    this.#undoLog = this.memory.journal.words;
  }

  #lock(quietMs: number): boolean {
    if (Writer.batchWriter !== null && Writer.batchWriter !== this) {
      throw otherGraphError(nameUnit(), this.memory.name, Writer.batchWriter.memory.name);
    }
    const { ints } = this.memory.header;
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(ints, Header.Mutex, 0, this.thread) === 0) return true;
    }
    let progress = this.#progress();
    let giveUpAt = performance.now() + quietMs;
    for (;;) {
      const seen = Atomics.load(ints, Header.Mutex);
      // A thread that slept cannot know whether others sleep, so it keeps their bit set.
      const locked = this.thread | WAITERS;
      if (seen === 0) {
        if (Atomics.compareExchange(ints, Header.Mutex, 0, locked) === 0) return true;
      } else if (
        (seen & WAITERS) !== 0 ||
        Atomics.compareExchange(ints, Header.Mutex, seen, seen | WAITERS) === seen
      ) {
        Atomics.wait(ints, Header.Mutex, seen | WAITERS, SLEEP_MS);
      }
      if (performance.now() < giveUpAt) continue;
      if (progress === this.#progress()) return false;
      progress = this.#progress();
      giveUpAt = performance.now() + quietMs;
    }
  }

  /** Returns a number that changes while any thread writes. */
  #progress(): number {
    const { words } = this.memory.header;
    return words[Header.OperationCount]! * 2 ** 20 + words[Header.UndoCount]!;
  }

  #unlock(): void {
    const { ints } = this.memory.header;
    const seen = Atomics.exchange(ints, Header.Mutex, 0);
    if ((seen & ~WAITERS) !== this.thread) throw new InternalError("graph lock lost");
    if ((seen & WAITERS) !== 0) Atomics.notify(ints, Header.Mutex, 1);
    if (!this.#hasLogged) return;
    this.#hasLogged = false;
    this.#log!.clock.wake();
  }
}

/** Returns the kind of unit that this thread commits, for errors. */
export function nameUnit(): Unit {
  return Writer.holdsSeveral ? "transaction" : "batch";
}
