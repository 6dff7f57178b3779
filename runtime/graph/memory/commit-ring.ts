// What was done to a graph, on its way to the log: a ring in shared memory, so that a record is
// there exactly when its change is, whatever thread dies. Writers have the graph's mutex, one
// thread takes. Positions count words and go on for ever; a place is a position modulo the size.
//
//   words  `Word`, then the ring:  ... | unit | unit | unit under way |   free   | ...
//                                      ^ Taken       ^ Committed      (^ Pending)
//
// A unit is all that one commit makes final: 4 words, then its records. It never wraps: one that
// meets the end goes on at the front, and a word says that the rest of the ring is left out.
//
//   unit   UNIT | words << 8    operation count, low    high | records << 12    ticket
//
// Tickets are given at commits, one counter for all graphs: what was done after something else has
// a higher one. While nothing is left to take, the next unit begins at the front again: so little
// of the ring is touched, and stays in the caches, as is used.

import { isMainThread } from "node:worker_threads";
import { CapacityError } from "../model/errors.js";
import { Arena, type ArenaMemory } from "./arena.js";
import type { CommitClock } from "./commit-clock.js";
import { ARENAS } from "./layout.js";

/** Words in front of the ring. */
const Word = { Taken: 0, Committed: 16, Pending: 17, IsOn: 18 } as const;
const CONTROL_WORDS = 32;
/** Place among the arenas, which the memory of all of them depends on. */
const ARENA = ARENAS.length;
const SKEW_BYTES = 2 ** 17;

/** Low byte of the first word of a unit, and of the rest of the ring that is left out. */
export const UNIT = 0x01;
const SKIP = 0xff;
export const UNIT_HEAD_WORDS = 4;
/** 8 MiB: no unit is larger. */
const MAX_UNIT_WORDS = 2 ** 21;
/** Of the third word of a unit: 12 bits of the count, 20 of the number of records. */
export const COUNT_HIGH_MASK = 0xfff;
export const RECORDS_SHIFT = 12;
const MAX_RECORDS = 0xf_ffff;
/** 16 MiB: twice the largest unit. */
const RING_WORDS = 2 ** 22;
/** As far as the ring is used before it begins at the front again. */
const NEAR_WORDS = 2 ** 14;
const SLEEP_MS = 50;
/** The main thread waits no longer: it may be the one that has to start who takes. */
const MAX_WAIT_MS = isMainThread ? 10_000 : Number.POSITIVE_INFINITY;

/** @param words of the ring, a power of 2 */
export function ringMemory(words = RING_WORDS): ArenaMemory {
  return new SharedArrayBuffer(SKEW_BYTES + (CONTROL_WORDS + words) * 4);
}

/** Of this thread: units that it has published, and what they wait for. */
const published: { units: number; clock: CommitClock | null } = { units: 0, clock: null };

/** How many units this thread has published. */
export function unitsPublished(): number {
  return published.units;
}

/**
 * The flush with which everything is durable that this thread has done since then; 0: nobody has to
 * wait for one.
 * @param since what `unitsPublished` said
 */
export function flushSince(since: number): number {
  const { units, clock } = published;
  return units === since || clock === null || !clock.gatesResponses ? 0 : clock.next;
}

export class CommitRing {
  readonly memory: ArenaMemory;
  readonly clock: CommitClock;
  /** All of it; records are written where `reserve` says. */
  readonly words: Uint32Array;
  readonly #ints: Int32Array;
  readonly #size: number;
  /** The unit under way: where it begins and ends, and how many records it has. */
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

  /** False while what is done is not to be logged. */
  get isOn(): boolean {
    return this.words[Word.IsOn] === 1;
  }

  set isOn(isOn: boolean) {
    Atomics.store(this.#ints, Word.IsOn, isOn ? 1 : 0);
    Atomics.notify(this.#ints, Word.Taken);
  }

  /** True if the mutation under way has written records. */
  get hasUnit(): boolean {
    return this.#records > 0;
  }

  /** Without the mutex: false while there is no room for what most mutations write. */
  get hasRoom(): boolean {
    const waiting = this.words[Word.Committed]! - this.words[Word.Taken]!;
    return (waiting | 0) <= this.#size - (this.#size >>> 2);
  }

  /**
   * Waits for it.
   * @returns false where the main thread would have to wait too long
   */
  awaitRoom(): boolean {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    while (this.isOn && !this.hasRoom) {
      if (performance.now() > giveUpAt) return false;
      Atomics.wait(this.#ints, Word.Taken, this.#taken, SLEEP_MS);
    }
    return true;
  }

  /**
   * With the mutex: place of the next record.
   * @throws CapacityError the unit becomes too large, or nothing is taken any more
   */
  reserve(words: number): number {
    if (this.#records === 0) this.#begin();
    const unitWords = this.#end - this.#start + words;
    if (unitWords > Math.min(MAX_UNIT_WORDS, this.#size / 2) || this.#records === MAX_RECORDS) {
      throw new CapacityError("too many changes at once for the log, which takes 8 MiB");
    }
    if ((this.#start & (this.#size - 1)) + unitWords > this.#size) this.#moveToFront(unitWords);
    else if (!this.#hasSpace(this.#end + words)) this.#awaitSpace(this.#end + words);
    const at = this.placeOf(this.#end);
    this.#end += words;
    this.#records++;
    return at;
  }

  /** With the mutex, before the commit is final. */
  prepare(countLow: number, countHigh: number): void {
    const { words } = this;
    const at = this.placeOf(this.#start);
    words[at] = UNIT | ((this.#end - this.#start) << 8);
    words[at + 1] = countLow;
    words[at + 2] = (countHigh & COUNT_HIGH_MASK) | (this.#records << RECORDS_SHIFT);
    words[at + 3] = this.clock.nextTicket();
    words[Word.Pending] = this.#end;
  }

  /** When the commit is final, before anybody can see what was changed. */
  publish(): void {
    Atomics.store(this.#ints, Word.Committed, this.#end | 0);
    this.#records = 0;
    published.units++;
    published.clock = this.clock;
  }

  /** How much the mutation under way has written: for `rollBackTo`. */
  get unitWords(): number {
    return this.#records === 0 ? 0 : this.#end - this.#start;
  }

  get unitRecords(): number {
    return this.#records;
  }

  /** A part of the mutation was undone, up to where it had written so much. */
  rollBackTo(words: number, records: number): void {
    this.#end = this.#start + words;
    this.#records = records;
  }

  /** The mutation was undone. */
  forget(): void {
    this.#records = 0;
  }

  /** With the mutex of a thread that has died: what it had committed is published. */
  takeOver(isCommitted: boolean): void {
    const { words } = this;
    if (isCommitted) Atomics.store(this.#ints, Word.Committed, words[Word.Pending]! | 0);
    else words[Word.Pending] = words[Word.Committed]!;
  }

  /** How far units are complete. */
  get committed(): number {
    return Atomics.load(this.#ints, Word.Committed);
  }

  /** Words that were not released yet. */
  get waiting(): number {
    // In this order: who begins at the front again moves the other one first.
    const { committed } = this;
    return Math.max(0, (committed - this.#taken) | 0);
  }

  /** For the one thread that takes: where to begin. */
  get taken(): number {
    return this.#taken;
  }

  /** Position of the unit at a position, or behind what is left out there. */
  skip(position: number): number {
    const head = this.words[this.placeOf(position)]!;
    return (head & 0xff) === SKIP ? (position + (head >>> 8)) | 0 : position;
  }

  /** Where in `words` a position is. */
  placeOf(position: number): number {
    return CONTROL_WORDS + (position & (this.#size - 1));
  }

  /** What lies before a position may be written over. */
  release(position: number): void {
    Atomics.store(this.#ints, Word.Taken, position);
    Atomics.notify(this.#ints, Word.Taken);
  }

  get #taken(): number {
    return Atomics.load(this.#ints, Word.Taken);
  }

  #begin(): void {
    const { committed } = this;
    const taken = this.#taken;
    let start = committed;
    // Only when nothing is left does nobody but us move `Taken`; a dead writer may have done half.
    if (((taken - committed) | 0) >= 0) {
      const place = taken & (this.#size - 1);
      if (taken !== committed || place >= NEAR_WORDS) {
        start = place === 0 ? taken : (taken + this.#size - place) | 0;
        Atomics.store(this.#ints, Word.Taken, start);
        Atomics.store(this.#ints, Word.Committed, start);
        this.words[Word.Pending] = start;
      }
    }
    this.#start = start;
    this.#end = start + UNIT_HEAD_WORDS;
  }

  /** Lets the unit under way begin at the front, where it does not fit in behind the last one. */
  #moveToFront(unitWords: number): void {
    const { words } = this;
    const left = this.#size - (this.#start & (this.#size - 1));
    const front = this.#start + left;
    this.#awaitSpace(front + unitWords);
    const from = this.placeOf(this.#start);
    const written = this.#end - this.#start;
    words.copyWithin(this.placeOf(front), from, Math.min(from + written, words.length));
    words[from] = SKIP | (left << 8);
    this.#start = front;
    this.#end = front + written;
  }

  #hasSpace(end: number): boolean {
    return ((end - this.#taken) | 0) <= this.#size;
  }

  /** @throws CapacityError */
  #awaitSpace(end: number): void {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    while (!this.#hasSpace(end)) {
      if (!this.isOn || performance.now() > giveUpAt) {
        throw new CapacityError("the log takes nothing more");
      }
      Atomics.wait(this.#ints, Word.Taken, this.#taken, SLEEP_MS);
    }
  }
}
