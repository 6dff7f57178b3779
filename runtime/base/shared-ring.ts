// The last texts of all threads: a ring in memory that they share. A writer takes the next number
// and fills its place; a reader copies a place, and believes it if its number is the same before
// and after. Nobody waits.
//
//   next u32 │ place 0 │ place 1 │ …
//   place:  number u32 │ thread u16 │ tag u16 │ at f64 (ms since 1970) │ length u32 │ text

import { getEnvironmentData, setEnvironmentData, threadId } from "node:worker_threads";

const HEAD_BYTES = 24;
/** One that is not whole behind so many others never will be: its thread has died. */
const MAX_WRITERS = 32;
/** Keeps places at multiples of eight bytes. */
const FIRST = 8;

interface RingEntry {
  /** Entries are counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  /** What the writer said beside the text. */
  readonly tag: number;
  readonly text: string;
}

interface RingEntries {
  /** To be given as `after` the next time. */
  readonly next: number;
  /** Entries after `after` that are not kept any more. */
  readonly missed: number;
  readonly entries: readonly RingEntry[];
}

interface Views {
  readonly words: Int32Array;
  readonly bytes: Buffer;
}

export class SharedRing {
  readonly #key: string;
  readonly #places: number;
  readonly #placeBytes: number;
  #views: Views | null = null;

  /**
   * @param key the same in all threads
   * @param placeBytes a multiple of eight
   */
  constructor(key: string, places: number, placeBytes: number) {
    this.#key = key;
    this.#places = places;
    this.#placeBytes = placeBytes;
  }

  /** For the main thread, before it starts others: from now on texts are kept. */
  open(): void {
    if (this.isOpen) return;
    const shared = new SharedArrayBuffer(FIRST + this.#places * this.#placeBytes);
    setEnvironmentData(this.#key, shared);
  }

  get isOpen(): boolean {
    return this.#shared() !== null;
  }

  #shared(): Views | null {
    if (this.#views !== null) return this.#views;
    const shared = getEnvironmentData(this.#key) as SharedArrayBuffer | undefined;
    if (shared === undefined) return null;
    this.#views = { words: new Int32Array(shared), bytes: Buffer.from(shared) };
    return this.#views;
  }

  #placeOf(number: number): number {
    return FIRST + ((number >>> 0) % this.#places) * this.#placeBytes;
  }

  /** What is too long for its place is clipped. Does nothing before it was opened. */
  keep(tag: number, text: string): void {
    const shared = this.#shared();
    if (shared === null) return;
    const { words, bytes } = shared;
    const number = (Atomics.add(words, 0, 1) + 1) >>> 0;
    const place = this.#placeOf(number);
    // Nobody believes it while it is written.
    Atomics.store(words, place / 4, 0);
    bytes.writeUInt16LE(threadId & 0xffff, place + 4);
    bytes.writeUInt16LE(tag, place + 6);
    bytes.writeDoubleLE(Date.now(), place + 8);
    const length = bytes.write(text, place + HEAD_BYTES, this.#placeBytes - HEAD_BYTES, "utf8");
    bytes.writeUInt32LE(length, place + 16);
    Atomics.store(words, place / 4, number | 0);
  }

  /** Entries whose number is greater than `after`, the oldest first; 0 for all that are kept. */
  after(after: number): RingEntries {
    const shared = this.#shared();
    if (shared === null) return { next: 0, missed: 0, entries: [] };
    const next = Atomics.load(shared.words, 0) >>> 0;
    // A number from before the server was started anew may be any.
    const from = after > next ? 0 : after;
    const first = Math.max(from, next - this.#places);
    const entries: RingEntry[] = [];
    for (let number = first + 1; number <= next; number++) {
      const entry = this.#entryAt(shared, number);
      if (entry !== null) entries.push(entry);
      // One that is being written is told the next time.
      else if (number > next - MAX_WRITERS) {
        return { next: number - 1, missed: first - from, entries };
      }
    }
    return { next, missed: first - from, entries };
  }

  /** Null while it is being written, and when a later one has its place. */
  #entryAt({ words, bytes }: Views, number: number): RingEntry | null {
    const place = this.#placeOf(number);
    if (Atomics.load(words, place / 4) >>> 0 !== number) return null;
    const thread = bytes.readUInt16LE(place + 4);
    const tag = bytes.readUInt16LE(place + 6);
    const at = bytes.readDoubleLE(place + 8);
    const length = Math.min(bytes.readUInt32LE(place + 16), this.#placeBytes - HEAD_BYTES);
    const text = bytes.toString("utf8", place + HEAD_BYTES, place + HEAD_BYTES + length);
    if (Atomics.load(words, place / 4) >>> 0 !== number) return null;
    return { number, at, thread, tag, text };
  }
}
