// Keeps changes and the answers of their requests in one frame of the log, so that a crash loses
// both or none. A request whose key is kept announces its change (`CommitClock.announce`); its
// answer usually follows within microseconds. The log thread waits for it, but not for long: other
// requests wait, too. See docs/internals/log-format.md, "Requests with a key".

import type { CommitClock } from "../../graph/manager/logging-entry-points.js";

/** The longest wait for an answer. */
const HOLD_MS = 5;
/** Attempts to read while no change is announced, which takes microseconds. */
const MAX_ATTEMPTS = 1000;

export class OpenAnswers {
  readonly #clock: CommitClock;
  /** By thread: the change whose answer did not follow in time. */
  readonly #late = new Map<number, number>();

  constructor(clock: CommitClock) {
    this.#clock = clock;
  }

  /** Waits for the answers of all changes up to a ticket. */
  async wait(last: number): Promise<void> {
    const giveUpAt = performance.now() + HOLD_MS;
    for (;;) {
      const seen = this.#clock.answeredCount;
      const open = this.#open().filter(([, ticket]) => ((ticket - last) | 0) <= 0);
      if (open.length === 0) return;
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) {
        for (const [thread, ticket] of open) this.#late.set(thread, ticket);
        return;
      }
      await this.#clock.afterAnswer(seen, leftMs);
    }
  }

  /** Returns the last ticket such that no change up to it lacks an answer, but late ones. */
  limit(): number {
    for (let attempt = 1; ; attempt++) {
      const seen = this.#clock.announcedCount;
      const open = this.#open();
      let last = this.#clock.lastTicket;
      // A change announced meanwhile may be among the tickets.
      if (this.#clock.announcedCount !== seen && attempt < MAX_ATTEMPTS) continue;
      for (const [, ticket] of open) if (((ticket - last) | 0) <= 0) last = (ticket - 1) | 0;
      return last;
    }
  }

  #open(): (readonly [thread: number, ticket: number])[] {
    return this.#clock.unanswered().filter(([thread, ticket]) => {
      return this.#late.get(thread) !== ticket;
    });
  }
}
