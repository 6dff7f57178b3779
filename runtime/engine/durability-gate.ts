// Holds responses of requests that changed graphs until the changes are durable in this instance
// and in the required number of others.

import type { CommitClock } from "../graph/manager/logging-entry-points.js";

export class DurabilityGate {
  readonly #clock: CommitClock | null;
  #count = 0;

  /** @param clock null without a transaction log */
  constructor(clock: CommitClock | null) {
    this.#clock = clock;
  }

  /** Number of responses held. */
  get count(): number {
    return this.#count;
  }

  /**
   * Returns whether a response has to be held.
   * @param flush number of the flush to wait for; 0: none
   */
  mustHold(flush: number): boolean {
    return flush !== 0 && this.#clock !== null && !this.#clock.isConfirmed(flush);
  }

  /**
   * Sends a response after a flush, where `mustHold`.
   * @param fail called instead if the transaction log failed, or another instance leads now
   */
  hold(flush: number, send: () => void, fail: () => void): void {
    this.#count++;
    void this.#clock!.waitConfirmed(flush).then((isDurable) => {
      this.#count--;
      (isDurable ? send : fail)();
    });
  }
}
