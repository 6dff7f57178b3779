// Table of all vertex locks, for listing them and for releasing those of a dead thread. The lock
// state itself is in `RecordWord.Owner` and `RecordWord.LockCount` of the vertex. Waiting, and what
// a lock permits, is implemented in sessions/.
//
//   LOCKS  word 1: end of the entries in use, word 2: first free entry, then one entry per
//          vertex that a session holds: {session, vertex, count, next free}
//          and one per vertex that it waits for, with `WAITS` as count

import { assert } from "../../base/assert.js";
import { keepAlive } from "../../base/keep-alive.js";
import type { Arena } from "../memory/arena.js";
import { Header, RECORD_WORDS, RecordWord } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

const END = 1;
const FREE = 2;
const ENTRY_WORDS = 4;
const Entry = { Session: 0, Vertex: 1, Count: 2, NextFree: 3 } as const;
const WAITS = 0xffff_ffff;

/**
 * `Header.LockReleases` counts in steps of two. Its lowest bit tells that a thread sleeps, because
 * a notification that wakes no thread costs more than the rest of a release.
 */
const SLEEPERS = 1;
const RELEASE = 2;

/** Session ids contain the number of their thread in the highest byte. */
const THREAD_SHIFT = 24;

export interface LockEntry {
  readonly session: number;
  readonly vertex: number;
  readonly isWritable: boolean;
  readonly count: number;
}

/** A session that waits for a vertex. */
export interface WaitEntry {
  readonly session: number;
  readonly vertex: number;
}

export function threadOfSession(session: number): number {
  return session >>> THREAD_SHIFT;
}

export class LockTable {
  readonly #writer: Writer;
  readonly #locks: Arena;
  readonly #header: Arena;
  readonly #record: Arena;

  constructor(writer: Writer) {
    const { memory } = writer;
    this.#writer = writer;
    this.#locks = memory.locks;
    this.#header = memory.header;
    this.#record = memory.record;
  }

  /** Returns the session that holds a vertex writable, or 0. */
  ownerOf(vertex: number): number {
    return this.#record.words[vertex * RECORD_WORDS + RecordWord.Owner]!;
  }

  /** Returns the recursion depth of the owner or, without one, the number of readers. */
  countOf(vertex: number): number {
    return this.#record.words[vertex * RECORD_WORDS + RecordWord.LockCount]!;
  }

  /** Locks a vertex that may be locked this way; returns the entry. Requires a mutation. */
  add(session: number, vertex: number, isWritable: boolean): number {
    const entry = this.#allocate();
    this.#put(entry, Entry.Session, session);
    this.#put(entry, Entry.Vertex, vertex);
    this.#put(entry, Entry.Count, 1);
    this.#writer.add(this.#header, Header.LocksHeld, 1);
    if (isWritable) this.#setOwner(vertex, session);
    this.#writer.add(this.#record, vertex * RECORD_WORDS + RecordWord.LockCount, 1);
    return entry;
  }

  /** Changes the count of a lock and removes it at 0. Requires a mutation. */
  addCount(entry: number, delta: number): void {
    const vertex = this.#get(entry, Entry.Vertex);
    const count = this.#get(entry, Entry.Count) + delta;
    assert(count >= 0, "a lock is not released more often than taken");
    this.#writer.add(this.#record, vertex * RECORD_WORDS + RecordWord.LockCount, delta);
    this.#put(entry, Entry.Count, count);
    if (count === 0) this.#remove(entry);
  }

  /**
   * Upgrades the only reader of a vertex to its owner, or downgrades the owner. Requires a
   * mutation.
   */
  setWritable(entry: number, isWritable: boolean): void {
    const session = isWritable ? this.#get(entry, Entry.Session) : 0;
    this.#setOwner(this.#get(entry, Entry.Vertex), session);
  }

  entries(): LockEntry[] {
    return this.#used(false).map((entry) => {
      const { session, vertex } = this.#readWait(entry);
      const isWritable = this.ownerOf(vertex) === session;
      return { session, vertex, isWritable, count: this.#get(entry, Entry.Count) };
    });
  }

  /** Records that a session waits for a vertex; returns the entry. Requires a mutation. */
  addWait(session: number, vertex: number): number {
    const entry = this.#allocate();
    this.#put(entry, Entry.Session, session);
    this.#put(entry, Entry.Vertex, vertex);
    this.#put(entry, Entry.Count, WAITS);
    return entry;
  }

  /** Removes a wait entry. Requires a mutation. */
  removeWait(entry: number): void {
    this.#free(entry);
  }

  /** Returns all wait entries. */
  waits(): WaitEntry[] {
    return this.#used(true).map((entry) => this.#readWait(entry));
  }

  /** Releases the locks of a dead thread; returns their vertices. Requires a mutation. */
  releaseThread(thread: number): number[] {
    const released: number[] = [];
    const end = this.#locks.words[END]!;
    for (let entry = ENTRY_WORDS; entry < end; entry += ENTRY_WORDS) {
      if (threadOfSession(this.#get(entry, Entry.Session)) !== thread) continue;
      if (this.#get(entry, Entry.Count) === WAITS) {
        this.#free(entry);
        continue;
      }
      released.push(this.#get(entry, Entry.Vertex));
      this.addCount(entry, -this.#get(entry, Entry.Count));
    }
    return released;
  }

  /** `Header.LockReleases`; read it before trying a lock. */
  get releases(): number {
    return Atomics.load(this.#header.ints, Header.LockReleases);
  }

  /** Sleeps until a lock is released, unless one was released since `releases` was read. */
  sleep(seen: number, leftMs: number): void {
    const { ints } = this.#header;
    if (this.#announceSleeper(seen))
      Atomics.wait(ints, Header.LockReleases, seen | SLEEPERS, leftMs);
  }

  /** Variant of `sleep` that does not block the thread; null if a lock was released. */
  sleepAsync(seen: number, leftMs: number): Promise<unknown> | null {
    const { ints } = this.#header;
    if (!this.#announceSleeper(seen)) return null;
    const sleep = Atomics.waitAsync(ints, Header.LockReleases, seen | SLEEPERS, leftMs);
    return sleep.async ? keepAlive(sleep.value) : null;
  }

  /** Wakes waiting threads. Call it after the mutation that released a lock. */
  wakeWaiting(): void {
    const { ints } = this.#header;
    const seen = Atomics.add(ints, Header.LockReleases, RELEASE);
    if ((seen & SLEEPERS) === 0) return;
    Atomics.and(ints, Header.LockReleases, ~SLEEPERS);
    Atomics.notify(ints, Header.LockReleases);
  }

  /** Sets the sleeper bit; returns false if a lock was released since `seen`. */
  #announceSleeper(seen: number): boolean {
    const { ints } = this.#header;
    const sleeping = seen | SLEEPERS;
    const found = Atomics.compareExchange(ints, Header.LockReleases, seen, sleeping);
    return found === seen || found === sleeping;
  }

  /** Returns the entries in use, either wait entries or locks. */
  #used(areWaits: boolean): number[] {
    this.#writer.memory.refresh();
    const found: number[] = [];
    const { words } = this.#locks;
    // Status readers hold no mutex: the table may have grown beyond this view.
    const end = Math.min(words[END]!, words.length - ENTRY_WORDS + 1);
    for (let entry = ENTRY_WORDS; entry < end; entry += ENTRY_WORDS) {
      if (this.#get(entry, Entry.Session) === 0) continue;
      if ((this.#get(entry, Entry.Count) === WAITS) === areWaits) found.push(entry);
    }
    return found;
  }

  #readWait(entry: number): WaitEntry {
    return { session: this.#get(entry, Entry.Session), vertex: this.#get(entry, Entry.Vertex) };
  }

  #allocate(): number {
    const locks = this.#locks;
    const free = locks.words[FREE]!;
    if (free !== 0) {
      this.#writer.put(locks, FREE, this.#get(free, Entry.NextFree));
      return free;
    }
    const entry = locks.words[END]! || ENTRY_WORDS;
    this.#writer.ensureWords(locks, entry + ENTRY_WORDS);
    this.#writer.put(locks, END, entry + ENTRY_WORDS);
    return entry;
  }

  #remove(entry: number): void {
    const vertex = this.#get(entry, Entry.Vertex);
    if (this.ownerOf(vertex) === this.#get(entry, Entry.Session)) this.#setOwner(vertex, 0);
    this.#writer.add(this.#header, Header.LocksHeld, -1);
    this.#free(entry);
  }

  #free(entry: number): void {
    this.#put(entry, Entry.Session, 0);
    this.#put(entry, Entry.NextFree, this.#locks.words[FREE]!);
    this.#writer.put(this.#locks, FREE, entry);
  }

  #setOwner(vertex: number, session: number): void {
    this.#writer.put(this.#record, vertex * RECORD_WORDS + RecordWord.Owner, session);
  }

  #get(entry: number, field: number): number {
    return this.#locks.words[entry + field]!;
  }

  #put(entry: number, field: number, value: number): void {
    this.#writer.put(this.#locks, entry + field, value);
  }
}
