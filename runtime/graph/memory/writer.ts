// The only way to change a graph. One thread at a time holds the mutex; every word that it changes
// is first noted in the journal, so that a mutation that fails, or whose thread dies, is undone:
//
//   writer.mutate(() => { writer.touch(side, vertex); writer.put(arena, index, value); ... })
//
// Readers take no lock. They see an odd sequence on each vertex side that is being written and
// look again; see reader.ts, and journal.ts for what is noted.

import { isMainThread } from "node:worker_threads";
import { AccessError, CapacityError, InternalError } from "../model/errors.js";
import { type Arena, graphFullError, MAX_ARENA_WORDS } from "./arena.js";
import type { CommitRing } from "./commit-ring.js";
import type { GraphMemory } from "./graph-memory.js";
import { CHUNK_SHIFT, CHUNKS_PER_ARENA, Header, SEQUENCE_WORDS, WAITERS } from "./layout.js";
import {
  finishCommit,
  releaseSequence,
  SEQUENCE_UNDO_FLAG,
  UNDO_ENTRY_WORDS,
  undo,
} from "./undo-log.js";

/** What a nested mutation goes back to. */
const MARK_NUMBERS = 5;
const MAX_BATCH_WORDS = 6 * 2 ** 20;
const SPINS = 400;
/** A sleeper looks for itself this often, in case a wake-up went to a thread that died. */
const SLEEP_MS = 50;
/** Where there is nothing to undo, nothing is noted. */
const NO_JOURNAL = new Uint32Array(0);

/**
 * The main thread gives up where nothing was written for so long: should the one that has the mutex
 * be dead, nobody else learns of it. All others are waiting for the main thread, then.
 */
const MAX_QUIET_MS = isMainThread ? 10_000 : Number.POSITIVE_INFINITY;

/** The vertex side that a sequence protects; properties, times and id count as `OUT`. */
export type SideNumber = 0 | 1;

/** What gets blocks back; see blocks.ts. */
export interface Allocator {
  release(writer: Writer, block: number, sizeClass: number): void;
}

export class Writer {
  /** While this thread runs a batch: the only graph whose mutex it may take, or two could wait. */
  static only: Writer | null = null;
  readonly memory: GraphMemory;
  /** 1 to 255, unique among the threads of the process. */
  readonly thread: number;
  #depth = 0;
  #journalCount = 0;
  /** By depth, five each: lengths of journal, touched, freed, log in words and records. */
  readonly #marks: number[] = [];
  /** Views of arenas that never grow, and of the journal as far as it is known to reach. */
  readonly #header: Uint32Array;
  readonly #dirty: Uint32Array;
  #journal: Uint32Array;
  /** Journal entries that are sequences. */
  #touchedCount = 0;
  readonly #touched: number[] = [];
  /** Blocks that were freed since the last commit: block and size class, and their allocators. */
  #freedCount = 0;
  readonly #freed: number[] = [];
  readonly #freedOf: Allocator[] = [];
  /** Set by who shortens a run of arcs or frees a handle, until all is final or undone. */
  hasShortened = false;
  /** True if the log has to be told of what this mutation has committed. */
  #hasLogged = false;
  /** True while nobody else can see the graph. */
  #isAlone = false;
  /** Gets what each commit has made final; null: nothing is logged. */
  readonly #log: CommitRing | null;

  /** True while this thread holds the mutex. */
  get isWriting(): boolean {
    return this.#depth > 0;
  }

  /** True in a mutation that is part of another one, and cannot be committed by itself. */
  get isNested(): boolean {
    return this.#depth > 1;
  }

  constructor(memory: GraphMemory, thread: number) {
    this.memory = memory;
    this.thread = thread;
    this.#header = memory.header.words;
    this.#dirty = memory.dirty.words;
    this.#journal = memory.journal.words;
    this.#log = memory.log;
  }

  /** Runs a mutation: all of it happens or, when it throws, nothing. */
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
   * Runs mutations of a graph that no other thread can see, nor will if one of them fails: nothing
   * is noted, and so a mutation that fails is not undone.
   */
  alone<T>(run: () => T): T {
    this.beginReading();
    this.#depth = 0;
    this.#isAlone = true;
    this.#journal = NO_JOURNAL;
    try {
      return run();
    } finally {
      this.#journal = this.memory.journal.words;
      this.#isAlone = false;
      this.#depth = 1;
      this.end();
    }
  }

  /**
   * Takes the mutex, when the log has room. The hot paths spell out what `mutate` does. A mutation
   * within another is part of that one: it is committed or undone with all of it.
   * @throws AccessError in the main thread, where whoever has the mutex seems to be dead
   */
  begin(): void {
    const log = this.#log;
    if (log !== null && this.#depth === 0 && !log.hasRoom && !log.awaitRoom()) {
      throw new AccessError(`Graph is not logged any more: '${this.memory.name}'`);
    }
    this.beginReading();
  }

  /** The same for what changes nothing, and must not wait for a disk. */
  beginReading(): void {
    if (this.#depth > 0) {
      this.#mark(this.#depth++);
      return;
    }
    if (this.#isAlone) {
      this.#depth = 1;
      return;
    }
    if (!this.#lock(MAX_QUIET_MS)) throw new AccessError(`Graph is locked: '${this.memory.name}'`);
    this.#depth = 1;
    this.memory.refresh();
  }

  /** Takes the mutex unless whoever has it writes nothing for so long. */
  tryBegin(quietMs: number): boolean {
    if (!this.#lock(quietMs)) return false;
    this.#depth = 1;
    this.memory.refresh();
    return true;
  }

  /** Makes what was written so far final; the mutex stays taken. */
  commit(): void {
    if (this.#depth > 1) return;
    this.hasShortened = false;
    if (this.#freedCount > 0) this.#releaseFreed();
    const log = this.#log;
    const isLogged = log?.hasUnit === true;
    if (isLogged) {
      const header = this.#header;
      log.prepare(header[Header.OperationCount]!, header[Header.OperationCountHigh]!);
    }
    this.#header[Header.CommittedCount] = this.#journalCount;
    if (isLogged) this.#publish(log);
    this.#header[Header.JournalCount] = 0;
    for (let index = 0; index < this.#touchedCount; index++) {
      releaseSequence(this.memory, this.#touched[index]!);
    }
    this.#header[Header.CommittedCount] = 0;
    this.#touchedCount = 0;
    this.#journalCount = 0;
  }

  /** Takes back what was written since the last commit; in a nested mutation, since it began. */
  rollback(): void {
    const isNested = this.#depth > 1;
    const mark = (this.#depth - 1) * MARK_NUMBERS;
    const at = (number: number): number => (isNested ? this.#marks[mark + number]! : 0);
    undo(this.memory, this.#journalCount, at(0));
    this.#journalCount = at(0);
    this.#touchedCount = at(1);
    this.#freedCount = at(2);
    if (isNested) this.#log?.rollBackTo(at(3), at(4));
    else this.#log?.forget();
  }

  /** Gives the mutex back. */
  end(): void {
    if (--this.#depth > 0 || this.#isAlone) return;
    this.#unlock();
  }

  /**
   * Takes the mutex over from a thread that has died, and undoes what that one was writing; what it
   * had committed stays. What it left `Unfinished` is for the caller to finish before `end`.
   * @returns false if the dead one did not hold the mutex
   */
  takeOver(dead: number): boolean {
    const { memory } = this;
    const { ints, words } = memory.header;
    for (;;) {
      const seen = Atomics.load(ints, Header.Mutex);
      if ((seen & ~WAITERS) !== dead) return false;
      const taken = this.thread | (seen & WAITERS);
      if (Atomics.compareExchange(ints, Header.Mutex, seen, taken) === seen) break;
    }
    this.#depth = 1;
    // It may have died between letting an arena grow and saying so.
    Atomics.add(ints, Header.Generation, 1);
    memory.refresh();
    const committed = words[Header.CommittedCount]!;
    this.#log?.takeOver(committed > 0);
    if (committed > 0) finishCommit(memory, committed);
    else undo(memory, words[Header.JournalCount]!);
    return true;
  }

  /**
   * Gives a block back when the mutation is committed. Until then nobody gets it, so that blocks
   * may be filled without noting what was there: undoing never needs it.
   */
  freeAtCommit(allocator: Allocator, block: number, sizeClass: number): void {
    // The arrays keep their length: to shorten them would cost more than all the rest.
    const at = this.#freedCount++;
    this.#freedOf[at] = allocator;
    this.#freed[2 * at] = block;
    this.#freed[2 * at + 1] = sizeClass;
  }

  /** Changes one word, which can be undone. */
  put(arena: Arena, index: number, value: number): void {
    this.#note(arena.id, index, arena.words[index]!);
    this.#dirty[arena.id * CHUNKS_PER_ARENA + (index >>> CHUNK_SHIFT)] = 1;
    arena.words[index] = value;
  }

  /** Notes a word that is changed without `put`. */
  keep(arena: Arena, index: number): void {
    this.#note(arena.id, index, arena.words[index]!);
  }

  /** Adds to a word, which can be undone; returns the new value. */
  add(arena: Arena, index: number, delta: number): number {
    const value = (arena.words[index]! + delta) >>> 0;
    this.put(arena, index, value);
    return value;
  }

  /** Adds to a number of two words, low one first. */
  addWide(arena: Arena, index: number, delta: number): void {
    const low = arena.words[index]! + delta;
    if (low >= 0 && low <= 0xffff_ffff) this.put(arena, index, low);
    else {
      this.put(arena, index, low >>> 0);
      this.add(arena, index + 1, low < 0 ? -1 : 1);
    }
  }

  /**
   * Says that words were changed without `put`. Allowed only where nothing refers to yet: in a
   * block that this mutation has allocated.
   */
  wrote(arena: Arena, index: number, words: number): void {
    const last = (index + words - 1) >>> CHUNK_SHIFT;
    for (let chunk = index >>> CHUNK_SHIFT; chunk <= last; chunk++) {
      this.#dirty[arena.id * CHUNKS_PER_ARENA + chunk] = 1;
    }
  }

  /** Makes readers of a vertex side wait until the commit. To be called before its first change. */
  touch(side: SideNumber, vertex: number): void {
    if (this.#isAlone) return;
    this.touchWord(this.memory.sequence, vertex * SEQUENCE_WORDS + side);
  }

  /** The same for anything else that has a sequence: a table, a group of cells. */
  touchWord(arena: Arena, index: number): void {
    const value = arena.words[index]!;
    if ((value & 1) === 1) return;
    if (this.#isAlone) {
      // Nobody waits, but what this thread itself has seen before is another moment.
      arena.words[index] = value + 2;
      return;
    }
    this.#touched[this.#touchedCount++] = this.#journalCount;
    this.#note(arena.id + SEQUENCE_UNDO_FLAG, index, value);
    this.#dirty[arena.id * CHUNKS_PER_ARENA + (index >>> CHUNK_SHIFT)] = 1;
    Atomics.add(arena.ints, index, 1);
  }

  /**
   * Lets an arena hold so many words.
   * @throws CapacityError above what a graph may use
   */
  require(arena: Arena, words: number): void {
    if (words > MAX_ARENA_WORDS) throw graphFullError();
    if (words <= arena.words.length) return;
    arena.grow(words);
    Atomics.add(this.memory.header.ints, Header.Generation, 1);
    this.memory.refresh();
  }

  #mark(depth: number): void {
    const log = this.#log;
    const marks = this.#marks;
    const at = depth * MARK_NUMBERS;
    marks[at] = this.#journalCount;
    marks[at + 1] = this.#touchedCount;
    marks[at + 2] = this.#freedCount;
    marks[at + 3] = log === null ? 0 : log.unitWords;
    marks[at + 4] = log === null ? 0 : log.unitRecords;
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
    const at = this.#journalCount * UNDO_ENTRY_WORDS;
    if (at + UNDO_ENTRY_WORDS > this.#journal.length && !this.#extendJournal(at * 2)) return;
    const words = this.#journal;
    words[at] = arena;
    words[at + 1] = index;
    words[at + 2] = old;
    this.#header[Header.JournalCount] = ++this.#journalCount;
  }

  /** False: nothing is to be noted. */
  #extendJournal(words: number): boolean {
    if (this.#isAlone) return false;
    if (words > MAX_BATCH_WORDS && Writer.only === this) {
      throw new CapacityError("too many changes in one batch, which takes 24 MiB of old values");
    }
    this.require(this.memory.journal, words);
    this.#journal = this.memory.journal.words;
    return true;
  }

  #lock(quietMs: number): boolean {
    if (Writer.only !== null && Writer.only !== this) {
      const names = `'${this.memory.name}' within a batch of '${Writer.only.memory.name}'`;
      throw new AccessError(`A batch keeps to one graph: ${names}`);
    }
    const { ints } = this.memory.header;
    for (let spin = 0; spin < SPINS; spin++) {
      if (Atomics.compareExchange(ints, Header.Mutex, 0, this.thread) === 0) return true;
    }
    let progress = this.#progress();
    let giveUpAt = performance.now() + quietMs;
    for (;;) {
      const seen = Atomics.load(ints, Header.Mutex);
      // Who has slept cannot know whether others sleep, and says so for them.
      const taken = this.thread | WAITERS;
      if (seen === 0) {
        if (Atomics.compareExchange(ints, Header.Mutex, 0, taken) === 0) return true;
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

  /** Differs while anybody writes. */
  #progress(): number {
    const { words } = this.memory.header;
    return words[Header.OperationCount]! * 2 ** 20 + words[Header.JournalCount]!;
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
