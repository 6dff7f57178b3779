// Ring buffer in shared memory that carries the transactions of one graph to the log thread. A
// transaction becomes visible atomically with its commit, even if a thread dies. Single consumer;
// producers hold the writer mutex of the graph. Positions count words and wrap at 2^32; an offset
// is a position modulo the size.
//
//   words  `Word`, then the ring:  ... | unit | unit | open unit |   free   | ...
//                                      ^ Consumed    ^ Committed (^ Pending)
//
// A unit holds the records of one commit: 4 words, then its records. It never wraps: a unit that
// meets the end of the ring continues at the front, and a skip word covers the rest.
//
//   unit   UNIT | words << 8    operation count, low    high | records << 12    ticket
//
// Units that several graphs commit together have the same ticket.
//
// Tickets are issued at commits by one counter for all graphs, so they order transactions across
// graphs. While the ring is empty, the next unit starts at the front again, so a lightly used ring
// stays in the CPU caches.

import { isMainThread } from "node:worker_threads";
import { assert } from "../../base/assert.js";
import { CapacityError, StorageError } from "../model/errors.js";
import { Arena, type ArenaMemory } from "./arena.js";
import type { CommitClock } from "./commit-clock.js";
import { ARENAS } from "./layout.js";

/** Control words in front of the ring. */
const Word = { Consumed: 0, Committed: 16, Pending: 17, IsOn: 18 } as const;
const CONTROL_WORDS = 32;
/** Arena id, which determines the skew of the memory. */
const ARENA = ARENAS.length;
const SKEW_BYTES = 2 ** 17;

/** Low byte of the first word of a unit, and of a skip word. */
export const TRANSACTION = 0x01;
/** In the log: low byte of a transaction that was committed together with the following one. */
export const JOINED_TRANSACTION = 0x03;
const SKIP = 0xff;
export const TRANSACTION_HEAD_WORDS = 4;
/** 8 MiB: the maximum size of a unit. */
const MAX_TRANSACTION_WORDS = 2 ** 21;
/** Third word of a unit: 12 bits of the operation count, 20 bits of the number of records. */
export const COUNT_HIGH_MASK = 0xfff;
export const RECORDS_SHIFT = 12;
const MAX_RECORDS = 0xf_ffff;
/** 16 MiB: twice the largest unit. */
const RING_WORDS = 2 ** 22;
/** An empty ring is rewound to the front beyond this offset. */
const REWIND_WORDS = 2 ** 14;
const SLEEP_MS = 50;
/** The main thread must not wait longer: restarting a dead consumer is its task. */
const MAX_WAIT_MS = isMainThread ? 10_000 : Number.POSITIVE_INFINITY;

/** @param words size of the ring, a power of 2 */
export function createRingMemory(words = RING_WORDS): ArenaMemory {
  return new SharedArrayBuffer(SKEW_BYTES + (CONTROL_WORDS + words) * 4);
}

/** Transactions published by this thread, and the clock of the last one. */
const published: { units: number; clock: CommitClock | null } = { units: 0, clock: null };

/** Common ticket of the transactions that this thread commits together; null: one ticket each. */
let jointTicket: number | null = null;

/** Runs a function whose commits all get `ticket`; null: a new ticket each. */
export function withJointTicket<T>(ticket: number | null, run: () => T): T {
  jointTicket = ticket;
  try {
    return run();
  } finally {
    jointTicket = null;
  }
}

/** Returns the number of transactions that this thread has published. */
export function countPublished(): number {
  return published.units;
}

/**
 * Returns the flush that makes everything durable that this thread has committed since `since`; 0
 * if responses need not wait.
 * @param since an earlier result of `countPublished`
 */
export function flushSince(since: number): number {
  const { units, clock } = published;
  return units === since || clock === null || !clock.gatesResponses ? 0 : clock.nextFlush;
}

export class CommitRing {
  readonly memory: ArenaMemory;
  readonly clock: CommitClock;
  /** Control words and ring; `reserve` returns offsets into it. */
  readonly words: Uint32Array;
  readonly #ints: Int32Array;
  readonly #size: number;
  /** The open unit: start and end position, number of records. */
  #start = 0;
  #end = 0;
  #records = 0;

  constructor(memory: ArenaMemory, clock: CommitClock) {
    const arena = new Arena(ARENA, memory);
    this.memory = memory;
    this.clock = clock;
    this.words = arena.words;
    this.#ints = arena.ints;
    this.#size = 2 ** Math.floor(Math.log2(arena.words.length - CONTROL_WORDS));
  }

  /** False while changes are not logged. */
  get isOn(): boolean {
    return this.words[Word.IsOn] === 1;
  }

  set isOn(isOn: boolean) {
    Atomics.store(this.#ints, Word.IsOn, isOn ? 1 : 0);
    Atomics.notify(this.#ints, Word.Consumed);
  }

  /** True if the current mutation has written records. */
  get hasTransaction(): boolean {
    return this.#records > 0;
  }

  /** Returns false while the ring lacks space for typical mutations. Needs no mutex. */
  get hasRoom(): boolean {
    const waiting = this.words[Word.Committed]! - this.words[Word.Consumed]!;
    return (waiting | 0) <= this.#size - (this.#size >>> 2);
  }

  /**
   * Blocks until `hasRoom`.
   * @returns false while the log cannot be written, and at the timeout of the main thread
   */
  awaitRoom(): boolean {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    while (this.isOn && !this.hasRoom) {
      if (this.clock.refusesChanges || performance.now() > giveUpAt) return false;
      Atomics.wait(this.#ints, Word.Consumed, this.#consumed, SLEEP_MS);
    }
    return true;
  }

  /**
   * Reserves space for records, by default one, and returns its offset. Requires the mutex.
   * @throws CapacityError if the unit grows too large, StorageError if the consumer has stopped
   */
  reserve(words: number, records = 1): number {
    if (this.#records === 0) this.#begin();
    const unitWords = this.#end - this.#start + words;
    if (
      unitWords > Math.min(MAX_TRANSACTION_WORDS, this.#size / 2) ||
      this.#records + records > MAX_RECORDS
    ) {
      throw new CapacityError("transaction exceeds the 8 MiB log buffer");
    }
    if ((this.#start & (this.#size - 1)) + unitWords > this.#size) this.#moveToFront(unitWords);
    else if (!this.#hasSpace(this.#end + words)) this.#awaitSpace(this.#end + words);
    const at = this.offsetAt(this.#end);
    this.#end += words;
    this.#records += records;
    return at;
  }

  /** Completes the head of the unit. Requires the mutex; called before the commit is final. */
  prepare(countLow: number, countHigh: number): void {
    const { words } = this;
    const length = this.#end - this.#start;
    assert(length > TRANSACTION_HEAD_WORDS, "a transaction has records");
    const at = this.offsetAt(this.#start);
    words[at] = TRANSACTION | (length << 8);
    words[at + 1] = countLow;
    words[at + 2] = (countHigh & COUNT_HIGH_MASK) | (this.#records << RECORDS_SHIFT);
    words[at + 3] = jointTicket ?? this.clock.nextTicket();
    words[Word.Pending] = this.#end;
  }

  /** Publishes the unit, after the commit is final and before readers see the change. */
  publish(): void {
    Atomics.store(this.#ints, Word.Committed, this.#end | 0);
    this.#records = 0;
    published.units++;
    published.clock = this.clock;
  }

  /** Words written by the current mutation, for `rollBackTo`. */
  get openWords(): number {
    return this.#records === 0 ? 0 : this.#end - this.#start;
  }

  get openRecords(): number {
    return this.#records;
  }

  /** Discards what a nested mutation has written. */
  rollBackTo(words: number, records: number): void {
    assert(records <= this.#records, "a rollback goes back");
    this.#end = this.#start + words;
    this.#records = records;
  }

  /** Discards the open unit. */
  discard(): void {
    this.#records = 0;
  }

  /**
   * Completes the commit of a dead thread whose mutex was taken over: publishes its unit if the
   * commit was final.
   */
  takeOver(isCommitted: boolean): void {
    const { words } = this;
    if (isCommitted) Atomics.store(this.#ints, Word.Committed, words[Word.Pending]! | 0);
    else words[Word.Pending] = words[Word.Committed]!;
  }

  /** Position up to which units are complete. */
  get committed(): number {
    return Atomics.load(this.#ints, Word.Committed);
  }

  /** Words not yet released by the consumer. */
  get waiting(): number {
    // Read in this order: a rewind moves `Consumed` first.
    const { committed } = this;
    return Math.max(0, (committed - this.#consumed) | 0);
  }

  /** Consumer only: position of the next unit. */
  get consumed(): number {
    return this.#consumed;
  }

  /** Returns the position of the unit at `position`, or of the one after a skip word. */
  skip(position: number): number {
    const head = this.words[this.offsetAt(position)]!;
    return (head & 0xff) === SKIP ? (position + (head >>> 8)) | 0 : position;
  }

  /** Returns the offset in `words` of a position. */
  offsetAt(position: number): number {
    return CONTROL_WORDS + (position & (this.#size - 1));
  }

  /** Allows producers to overwrite everything before `position`. */
  release(position: number): void {
    Atomics.store(this.#ints, Word.Consumed, position);
    Atomics.notify(this.#ints, Word.Consumed);
  }

  get #consumed(): number {
    return Atomics.load(this.#ints, Word.Consumed);
  }

  #begin(): void {
    const { committed } = this;
    const consumed = this.#consumed;
    let start = committed;
    // A producer may change `Consumed` only while the ring is empty. A writer that died during a
    // rewind leaves `Consumed` ahead of `Committed`.
    if (((consumed - committed) | 0) >= 0) {
      const offset = consumed & (this.#size - 1);
      if (consumed !== committed || offset >= REWIND_WORDS) {
        start = offset === 0 ? consumed : (consumed + this.#size - offset) | 0;
        Atomics.store(this.#ints, Word.Consumed, start);
        Atomics.store(this.#ints, Word.Committed, start);
        this.words[Word.Pending] = start;
      }
    }
    this.#start = start;
    this.#end = start + TRANSACTION_HEAD_WORDS;
  }

  /** Moves the open unit to the front of the ring, because it does not fit before the end. */
  #moveToFront(openWords: number): void {
    const { words } = this;
    const left = this.#size - (this.#start & (this.#size - 1));
    const front = this.#start + left;
    this.#awaitSpace(front + openWords);
    const from = this.offsetAt(this.#start);
    const written = this.#end - this.#start;
    words.copyWithin(this.offsetAt(front), from, Math.min(from + written, words.length));
    words[from] = SKIP | (left << 8);
    this.#start = front;
    this.#end = front + written;
  }

  #hasSpace(end: number): boolean {
    return ((end - this.#consumed) | 0) <= this.#size;
  }

  /** @throws StorageError */
  #awaitSpace(end: number): void {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    while (!this.#hasSpace(end)) {
      if (!this.isOn || this.clock.refusesChanges || performance.now() > giveUpAt) {
        throw new StorageError("transaction log no longer accepts changes");
      }
      Atomics.wait(this.#ints, Word.Consumed, this.#consumed, SLEEP_MS);
    }
  }
}
