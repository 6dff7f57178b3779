// Accepts bursts of new connections quickly. libuv accepts one connection in each turn of the event
// loop, and serves all others in the same turn: on a busy server, the last of 100 new connections
// would wait for 100 rounds of requests. So requests wait while new connections arrive, for a
// bounded number of them.

import { MAX_ACCEPTED_AT_ONCE, MAX_POSTPONED_BYTES } from "../../base/limits.js";

/** A connection whose input may wait. */
export interface PostponedReader {
  /** Reads input that has waited. */
  take(chunk: Buffer): void;
}

export class AcceptBurst {
  readonly #waiting = new Map<PostponedReader, Buffer>();
  /** Connections accepted since input last went on, and those of earlier turns. */
  #accepted = 0;
  #before = 0;

  /** A connection was accepted. */
  accepted(): void {
    if (this.#accepted++ === 0) setImmediate(() => this.#turn());
  }

  /** Keeps input that arrives during a burst; false if it is to be read now. */
  keeps(reader: PostponedReader, chunk: Buffer): boolean {
    if (this.#accepted === 0) return false;
    const isFirst = !this.#waiting.has(reader);
    if (isFirst && chunk.length <= MAX_POSTPONED_BYTES) {
      // The buffer of a connection is overwritten by the next read.
      this.#waiting.set(reader, Buffer.from(chunk));
      return true;
    }
    this.release(reader);
    return false;
  }

  /** Returns whether input of a connection waits. */
  has(reader: PostponedReader): boolean {
    return this.#waiting.has(reader);
  }

  /** Lets a connection read what waits. */
  release(reader: PostponedReader): void {
    const chunk = this.#waiting.get(reader);
    if (this.#waiting.delete(reader)) reader.take(chunk!);
  }

  #turn(): void {
    if (this.#accepted > this.#before && this.#accepted < MAX_ACCEPTED_AT_ONCE) {
      this.#before = this.#accepted;
      setImmediate(() => this.#turn());
      return;
    }
    this.#accepted = 0;
    this.#before = 0;
    try {
      for (const reader of this.#waiting.keys()) this.release(reader);
    } finally {
      // The thread outlives a fault of one connection. The others go on waiting as in a burst:
      // input that arrives later must not overtake theirs.
      if (this.#waiting.size > 0) this.accepted();
    }
  }
}
