// Keeps the changes of a request with a key, and its response, in one frame of the log, so that a
// crash loses both or none. The request announces its change (`CommitClock.announce`); its response
// usually follows within microseconds. The log thread waits for it briefly, because other requests
// wait for the flush. See docs/internals/log-format.md, "Requests with a key".

import type { CommitClock } from "../../graph/manager/logging-entry-points.js";

/** Maximum wait for a response. */
const MAX_WAIT_MS = 5;
/** Attempts to read the tickets without an announcement meanwhile. */
const MAX_ATTEMPTS = 1000;

export class PendingResponses {
  readonly #clock: CommitClock;
  /** Ticket whose response did not follow in time, by thread. */
  readonly #late = new Map<number, number>();

  constructor(clock: CommitClock) {
    this.#clock = clock;
  }

  /** Waits for the responses of all changes up to a ticket, or until the time is up. */
  async wait(last: number): Promise<void> {
    const giveUpAtMs = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const seen = this.#clock.answeredCount;
      const pending = this.#pending().filter(([, ticket]) => ((ticket - last) | 0) <= 0);
      if (pending.length === 0) return;
      const leftMs = giveUpAtMs - performance.now();
      if (leftMs <= 0) {
        for (const [thread, ticket] of pending) this.#late.set(thread, ticket);
        return;
      }
      await this.#clock.waitForResponses(seen, leftMs);
    }
  }

  /** Returns the last ticket before the first change that still waits for its response. */
  lastCompleteTicket(): number {
    for (let attempt = 1; ; attempt++) {
      const seen = this.#clock.announcedCount;
      const pending = this.#pending();
      let last = this.#clock.lastTicket;
      // The last ticket may belong to a change announced meanwhile.
      if (this.#clock.announcedCount !== seen && attempt < MAX_ATTEMPTS) continue;
      for (const [, ticket] of pending) if (((ticket - last) | 0) <= 0) last = (ticket - 1) | 0;
      return last;
    }
  }

  /** Returns thread and ticket of the changes to wait for: late ones no longer count. */
  #pending(): (readonly [thread: number, ticket: number])[] {
    return this.#clock.unanswered().filter(([thread, ticket]) => {
      return this.#late.get(thread) !== ticket;
    });
  }
}
