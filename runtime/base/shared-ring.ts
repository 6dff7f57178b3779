// Lock-free ring buffer of the latest texts of all threads, in shared memory. A writer takes the
// next number and fills its slot; a reader copies a slot, and accepts the copy if the number is the
// same before and after (a seqlock per slot). Neither side waits.
//
//   next u32 │ slot 0 │ slot 1 │ …
//   slot:  number u32 │ thread u16 │ tag u16 │ at f64 (ms since 1970) │ length u32 │ text

import { getEnvironmentData, setEnvironmentData, threadId } from "node:worker_threads";

const HEAD_BYTES = 24;
/** An incomplete entry this far behind belongs to a dead thread and is skipped. */
const MAX_WRITERS = 32;
/** Aligns entries to eight bytes. */
const FIRST = 8;

interface RingEntry {
  /** Entries are counted from 1. */
  readonly number: number;
  readonly at: number;
  readonly thread: number;
  /** Tag chosen by the writer. */
  readonly tag: number;
  readonly text: string;
}

interface RingEntries {
  /** Cursor: the `after` of the next call. */
  readonly next: number;
  /** Number of entries after `after` that were overwritten. */
  readonly missed: number;
  readonly entries: readonly RingEntry[];
}

interface Views {
  readonly words: Int32Array;
  readonly bytes: Buffer;
}

export class SharedRing {
  readonly #key: string;
  readonly #capacity: number;
  readonly #slotBytes: number;
  #views: Views | null = null;

  /**
   * @param key the same in all threads
   * @param slotBytes a multiple of eight
   */
  constructor(key: string, capacity: number, slotBytes: number) {
    this.#key = key;
    this.#capacity = capacity;
    this.#slotBytes = slotBytes;
  }

  /** Enables recording. Called by the main thread before it starts others. */
  open(): void {
    if (this.isOpen) return;
    const shared = new SharedArrayBuffer(FIRST + this.#capacity * this.#slotBytes);
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

  #offsetOf(number: number): number {
    return FIRST + ((number >>> 0) % this.#capacity) * this.#slotBytes;
  }

  /** Appends a text, truncated to its slot. Does nothing before `open`. */
  keep(tag: number, text: string): void {
    const shared = this.#shared();
    if (shared === null) return;
    const { words, bytes } = shared;
    const number = (Atomics.add(words, 0, 1) + 1) >>> 0;
    const offset = this.#offsetOf(number);
    // Invalidates the slot while it is written.
    Atomics.store(words, offset / 4, 0);
    bytes.writeUInt16LE(threadId & 0xffff, offset + 4);
    bytes.writeUInt16LE(tag, offset + 6);
    bytes.writeDoubleLE(Date.now(), offset + 8);
    const length = bytes.write(text, offset + HEAD_BYTES, this.#slotBytes - HEAD_BYTES, "utf8");
    bytes.writeUInt32LE(length, offset + 16);
    Atomics.store(words, offset / 4, number | 0);
  }

  /** Returns entries numbered above `after`, oldest first; 0 for all. */
  after(after: number): RingEntries {
    const shared = this.#shared();
    if (shared === null) return { next: 0, missed: 0, entries: [] };
    const next = Atomics.load(shared.words, 0) >>> 0;
    // A cursor from before a restart may be too high.
    const from = after > next ? 0 : after;
    const first = Math.max(from, next - this.#capacity);
    const entries: RingEntry[] = [];
    for (let number = first + 1; number <= next; number++) {
      const entry = this.#entryAt(shared, number);
      if (entry !== null) entries.push(entry);
      // An incomplete entry is returned by the next call.
      else if (number > next - MAX_WRITERS) {
        return { next: number - 1, missed: first - from, entries };
      }
    }
    return { next, missed: first - from, entries };
  }

  /** Returns null while the entry is being written, or if it was overwritten. */
  #entryAt({ words, bytes }: Views, number: number): RingEntry | null {
    const offset = this.#offsetOf(number);
    if (Atomics.load(words, offset / 4) >>> 0 !== number) return null;
    const thread = bytes.readUInt16LE(offset + 4);
    const tag = bytes.readUInt16LE(offset + 6);
    const at = bytes.readDoubleLE(offset + 8);
    const length = Math.min(bytes.readUInt32LE(offset + 16), this.#slotBytes - HEAD_BYTES);
    const text = bytes.toString("utf8", offset + HEAD_BYTES, offset + HEAD_BYTES + length);
    if (Atomics.load(words, offset / 4) >>> 0 !== number) return null;
    return { number, at, thread, tag, text };
  }
}
