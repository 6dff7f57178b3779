// How data is read while others write: look at the sequence, read, look again. What was read in
// between counts only if the sequence was even and is the same; nothing read may be trusted before
// (lengths and pointers must be checked against the arena), and no user code may run in between.
//
//   for (let attempt = 0; ; attempt++) {
//     const seen = reader.enter(side, vertex, attempt);
//     ... read into thread-local memory ...
//     if (reader.leave(side, vertex, seen)) break;
//   }
//
// A writer that is paused by the system must not make readers spin: after a few attempts `enter`
// takes the writer's mutex, which bounds the wait.

import type { Arena } from "./arena.js";
import { Header, SEQUENCE_WORDS } from "./layout.js";
import type { SideNumber, Writer } from "./writer.js";

const MAX_ATTEMPTS = 8;
const MAX_PROBES = 1000;
/** The mutex is held instead of a sequence being watched; given back by `leave`. */
const LOCKED = -1;
/** This thread was writing already: it sees its own changes. */
const OWN = -2;
/** Only a real barrier keeps earlier plain loads from being delayed past the second look. */
const NEEDS_FENCE = process.arch !== "x64" && process.arch !== "ia32";

export class SeqlockReader {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** @returns what `leave` wants back */
  enter(side: SideNumber, vertex: number, attempt: number): number {
    const { sequence } = this.#writer.memory;
    return this.enterWord(sequence, vertex * SEQUENCE_WORDS + side, attempt);
  }

  /** The same for anything else that has a sequence; see `Writer.touchWord`. */
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

  /** True if what was read since `enter` is what was there. */
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

  /** What was read before is not read later. */
  fence(): void {
    if (NEEDS_FENCE) Atomics.add(this.#writer.memory.header.ints, Header.Fence, 0);
  }
}
