// Binary min-heap of the vertices the event processor has to visit, ordered by time. Each vertex
// records its position, so it is in the heap at most once. changes/expire.ts implements the visit.
//
//   EVENTS   words 2p and 2p + 1: {second, vertex} at position p, 1 to `Header.EventCount`
//   RECORD   `RecordWord.EventPosition`: position of a vertex, 0 if absent

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { Header, NEVER, RECORD_WORDS, RecordWord } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

const ENTRY_WORDS = 2;

export class ExpiryHeap {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #events: Arena;
  readonly #record: Arena;

  constructor(writer: Writer) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#events = writer.memory.events;
    this.#record = writer.memory.record;
  }

  /** Empties the heap of a graph without vertices. Requires a mutation. */
  format(): void {
    this.#writer.put(this.#header, Header.EventCount, 0);
  }

  /** Number of scheduled vertices. */
  get count(): number {
    return this.#header.words[Header.EventCount]!;
  }

  /** Second at which the next vertex is due, or `NEVER`; a hint without the mutex. */
  get next(): number {
    return this.count === 0 ? NEVER : this.#events.words[ENTRY_WORDS]!;
  }

  /** Returns a vertex that is due, or 0. It stays scheduled until `cancel`. Requires the mutex. */
  due(now: number): number {
    return this.next <= now ? this.#events.words[ENTRY_WORDS + 1]! : 0;
  }

  /**
   * Counts the vertices due before each of some ascending seconds, and not before the preceding
   * one. Takes no lock, so concurrent changes may distort the counts.
   */
  countBefore(seconds: readonly number[]): number[] {
    this.#writer.memory.refresh();
    const counts = seconds.map(() => 0);
    const { words } = this.#events;
    const end = Math.min((this.count + 1) * ENTRY_WORDS, words.length);
    for (let at = ENTRY_WORDS; at < end; at += ENTRY_WORDS) {
      let range = 0;
      while (range < seconds.length && words[at]! >= seconds[range]!) range++;
      if (range < seconds.length) counts[range]!++;
    }
    return counts;
  }

  /**
   * Schedules a visit of a vertex no later than a second. Requires a mutation. A vertex whose
   * expiry is postponed is visited early and rescheduled then, which is cheaper than moving it each
   * time.
   */
  schedule(vertex: number, second: number): void {
    if (second === NEVER) return;
    const position = this.#positionOf(vertex);
    if (position !== 0) {
      if (second < this.#events.words[position * ENTRY_WORDS]!)
        this.#siftUp(position, second, vertex);
      return;
    }
    const last = this.count + 1;
    this.#writer.ensureWords(this.#events, (last + 1) * ENTRY_WORDS);
    this.#writer.put(this.#header, Header.EventCount, last);
    this.#siftUp(last, second, vertex);
  }

  /** Removes a vertex from the heap. Call it before its handle is freed. Requires a mutation. */
  cancel(vertex: number): void {
    const position = this.#positionOf(vertex);
    if (position === 0) return;
    assert(
      this.#events.words[position * ENTRY_WORDS + 1] === vertex,
      "a vertex knows its position",
    );
    this.#writer.put(this.#record, vertex * RECORD_WORDS + RecordWord.EventPosition, 0);
    const last = this.count;
    this.#writer.put(this.#header, Header.EventCount, last - 1);
    if (position === last) return;
    const second = this.#events.words[last * ENTRY_WORDS]!;
    const moved = this.#events.words[last * ENTRY_WORDS + 1]!;
    if (!this.#siftUp(position, second, moved)) this.#siftDown(position, second, moved);
  }

  /** Stores an entry at a free position or above; returns false if it did not rise. */
  #siftUp(position: number, second: number, vertex: number): boolean {
    const { words } = this.#events;
    let at = position;
    while (at > 1) {
      const parent = at >>> 1;
      const parentSecond = words[parent * ENTRY_WORDS]!;
      if (parentSecond <= second) break;
      this.#put(at, parentSecond, words[parent * ENTRY_WORDS + 1]!);
      at = parent;
    }
    this.#put(at, second, vertex);
    return at !== position;
  }

  /** Stores an entry at a free position or below. */
  #siftDown(position: number, second: number, vertex: number): void {
    const { words } = this.#events;
    const { count } = this;
    let at = position;
    for (;;) {
      let child = at * 2;
      if (child > count) break;
      const right = (child + 1) * ENTRY_WORDS;
      if (child < count && words[right]! < words[child * ENTRY_WORDS]!) child++;
      const childSecond = words[child * ENTRY_WORDS]!;
      if (childSecond >= second) break;
      this.#put(at, childSecond, words[child * ENTRY_WORDS + 1]!);
      at = child;
    }
    this.#put(at, second, vertex);
  }

  #put(position: number, second: number, vertex: number): void {
    this.#writer.put(this.#events, position * ENTRY_WORDS, second);
    this.#writer.put(this.#events, position * ENTRY_WORDS + 1, vertex);
    this.#writer.put(this.#record, vertex * RECORD_WORDS + RecordWord.EventPosition, position);
  }

  #positionOf(vertex: number): number {
    return this.#record.words[vertex * RECORD_WORDS + RecordWord.EventPosition]!;
  }
}
