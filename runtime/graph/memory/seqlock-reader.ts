// Seqlock reader: read the sequence, read the data, retry unless the sequence was even and is
// unchanged. Data read in between is untrusted until validated (lengths and pointers must be
// checked against the arena), and no user code may run in between.
//
//   for (let attempt = 0; ; attempt++) {
//     const seen = reader.enter(side, vertex, attempt);
//     ... read into thread-local memory ...
//     if (reader.leave(side, vertex, seen)) break;
//   }
//
// A descheduled writer must not make readers spin: after a few attempts `enter` takes the writer
// mutex, which bounds the wait.

import type { Arena } from "./arena.js";
import { Header, SEQUENCE_WORDS } from "./layout.js";
import type { SideNumber, Writer } from "./writer.js";

const MAX_ATTEMPTS = 8;
const MAX_PROBES = 1000;
/** `enter` took the mutex instead of reading a sequence; `leave` releases it. */
const LOCKED = -1;
/** This thread is the writer: it sees its own changes. */
const OWN = -2;
/** On weakly ordered CPUs a barrier must keep plain loads before the second sequence read. */
const NEEDS_FENCE = process.arch !== "x64" && process.arch !== "ia32";

export class SeqlockReader {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** @returns token for `leave` */
  enter(side: SideNumber, vertex: number, attempt: number): number {
    const { sequence } = this.#writer.memory;
    return this.enterWord(sequence, vertex * SEQUENCE_WORDS + side, attempt);
  }

  /** Variant of `enter` for any other sequence word; see `Writer.touchWord`. */
  enterWord(arena: Arena, index: number, attempt: number): number {
    const { memory } = this.#writer;
    if (this.#writer.isWriting) return OWN;
    if (attempt > 0) memory.refresh();
    if (attempt < MAX_ATTEMPTS && index < arena.ints.length) {
      for (let probe = 0; probe < MAX_PROBES; probe++) {
        const seen = Atomics.load(arena.ints, index);
        if ((seen & 1) === 0) return seen >>> 0;
      }
    } else if (attempt < MAX_ATTEMPTS) memory.refresh();
    this.#writer.beginReading();
    return LOCKED;
  }

  /** Returns true if everything read since `enter` is consistent. */
  leave(side: SideNumber, vertex: number, seen: number): boolean {
    const { sequence } = this.#writer.memory;
    return this.leaveWord(sequence, vertex * SEQUENCE_WORDS + side, seen);
  }

  leaveWord(arena: Arena, index: number, seen: number): boolean {
    if (seen >= 0) {
      this.fence();
      return Atomics.load(arena.ints, index) >>> 0 === seen;
    }
    if (seen === LOCKED) this.#writer.end();
    return true;
  }

  /** Orders all earlier reads before all later ones. */
  fence(): void {
    if (NEEDS_FENCE) Atomics.add(this.#writer.memory.header.ints, Header.Fence, 0);
  }
}
