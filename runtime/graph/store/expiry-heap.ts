// Which vertices the event processor has to look at, and when: a binary heap, the earliest first.
// A vertex knows its place in the heap, so that it stands there once however often it is scheduled.
// What is to be done at that second is not known here.
//
//   EVENTS   words 2p and 2p + 1: {second, vertex} at place p, 1 to `Header.EventCount`
//   RECORD   `RecordWord.EventPlace`: the place of a vertex, 0 for none

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

  /** In a mutation: empties the heap of a graph that has no vertices. */
  format(): void {
    this.#writer.put(this.#header, Header.EventCount, 0);
  }

  /** Vertices scheduled. */
  get count(): number {
    return this.#header.words[Header.EventCount]!;
  }

  /** Second at which the next vertex is due, `NEVER` if none is; without the mutex a hint. */
  get next(): number {
    return this.count === 0 ? NEVER : this.#events.words[ENTRY_WORDS]!;
  }

  /** With the mutex: a vertex that is due, 0 if none is. It stays scheduled until `cancel`. */
  due(now: number): number {
    return this.next <= now ? this.#events.words[ENTRY_WORDS + 1]! : 0;
  }

  /**
   * How many vertices are due before each of some seconds, in ascending order, and not before the
   * one in front. Takes no lock: others may move what is being counted.
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
   * In a mutation: lets the processor look at a vertex no later than at a second. What turns out
   * to expire later than it is scheduled is looked at too early and then scheduled again, which is
   * cheaper than to move it each time.
   */
  schedule(vertex: number, second: number): void {
    if (second === NEVER) return;
    const place = this.#placeOf(vertex);
    if (place !== 0) {
      if (second < this.#events.words[place * ENTRY_WORDS]!) this.#rise(place, second, vertex);
      return;
    }
    const last = this.count + 1;
    this.#writer.require(this.#events, (last + 1) * ENTRY_WORDS);
    this.#writer.put(this.#header, Header.EventCount, last);
    this.#rise(last, second, vertex);
  }

  /** In a mutation: forgets a vertex. To be called before its handle is given back. */
  cancel(vertex: number): void {
    const place = this.#placeOf(vertex);
    if (place === 0) return;
    this.#writer.put(this.#record, vertex * RECORD_WORDS + RecordWord.EventPlace, 0);
    const last = this.count;
    this.#writer.put(this.#header, Header.EventCount, last - 1);
    if (place === last) return;
    const second = this.#events.words[last * ENTRY_WORDS]!;
    const moved = this.#events.words[last * ENTRY_WORDS + 1]!;
    if (!this.#rise(place, second, moved)) this.#sink(place, second, moved);
  }

  /** Puts an entry where it belongs, at a free place or above; false if it stayed. */
  #rise(place: number, second: number, vertex: number): boolean {
    const { words } = this.#events;
    let at = place;
    while (at > 1) {
      const parent = at >>> 1;
      const parentSecond = words[parent * ENTRY_WORDS]!;
      if (parentSecond <= second) break;
      this.#put(at, parentSecond, words[parent * ENTRY_WORDS + 1]!);
      at = parent;
    }
    this.#put(at, second, vertex);
    return at !== place;
  }

  /** Puts an entry where it belongs, at a free place or below. */
  #sink(place: number, second: number, vertex: number): void {
    const { words } = this.#events;
    const { count } = this;
    let at = place;
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

  #put(place: number, second: number, vertex: number): void {
    this.#writer.put(this.#events, place * ENTRY_WORDS, second);
    this.#writer.put(this.#events, place * ENTRY_WORDS + 1, vertex);
    this.#writer.put(this.#record, vertex * RECORD_WORDS + RecordWord.EventPlace, place);
  }

  #placeOf(vertex: number): number {
    return this.#record.words[vertex * RECORD_WORDS + RecordWord.EventPlace]!;
  }
}
