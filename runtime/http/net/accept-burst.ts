// Accepts bursts of new connections quickly. libuv accepts one connection in each turn of the event
// loop, and serves all open ones in the same turn: on a busy server, the last of 100 new
// connections would wait for 100 rounds of requests. So requests are postponed while new
// connections arrive, up to a limited number of connections.

import { MAX_ACCEPTED_AT_ONCE, MAX_POSTPONED_BYTES } from "../../base/limits.js";

/** A connection whose input can be postponed. */
export interface PostponedReader {
  /** Processes input. */
  process(chunk: Buffer): void;
}

export class AcceptBurst {
  readonly #waiting = new Map<PostponedReader, Buffer>();
  /** Connections accepted in this burst, and those of them before the current turn. */
  #accepted = 0;
  #acceptedBefore = 0;

  /** Called for each accepted connection. */
  recordConnection(): void {
    if (this.#accepted++ === 0) setImmediate(() => this.#turn());
  }

  /** Postpones input that arrives during a burst; false if it is to be processed now. */
  postpone(reader: PostponedReader, chunk: Buffer): boolean {
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

  /** Returns whether input of a connection is postponed. */
  has(reader: PostponedReader): boolean {
    return this.#waiting.has(reader);
  }

  /** Passes postponed input to its connection. */
  release(reader: PostponedReader): void {
    const chunk = this.#waiting.get(reader);
    if (this.#waiting.delete(reader)) reader.process(chunk!);
  }

  #turn(): void {
    if (this.#accepted > this.#acceptedBefore && this.#accepted < MAX_ACCEPTED_AT_ONCE) {
      this.#acceptedBefore = this.#accepted;
      setImmediate(() => this.#turn());
      return;
    }
    this.#accepted = 0;
    this.#acceptedBefore = 0;
    try {
      for (const reader of this.#waiting.keys()) this.release(reader);
    } finally {
      // After an exception in one connection, the input of the others stays postponed as in a
      // burst, so that later input cannot overtake it.
      if (this.#waiting.size > 0) this.recordConnection();
    }
  }
}
