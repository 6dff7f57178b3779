// Results of requests that have changed graphs, held until what they did is durable.

import type { CommitClock } from "../graph/manager/logging-entry-points.js";

export class DurabilityGate {
  readonly #clock: CommitClock | null;
  #count = 0;

  /** @param clock null where nothing is logged */
  constructor(clock: CommitClock | null) {
    this.#clock = clock;
  }

  /** How many are held. */
  get count(): number {
    return this.#count;
  }

  /**
   * Lets a result go, at once or when a flush is done.
   * @param flush 0: nothing is to be waited for
   * @param fail in its place, where the log has failed
   */
  hold(flush: number, send: () => void, fail: () => void): void {
    const clock = this.#clock;
    if (flush === 0 || clock === null || clock.isDone(flush)) return send();
    this.#count++;
    void clock.wait(flush).then((isDurable) => {
      this.#count--;
      (isDurable ? send : fail)();
    });
  }
}
