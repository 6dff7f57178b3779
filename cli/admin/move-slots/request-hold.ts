// Lets requests wait at all dispatchers while slots are cut: changes of the slots first, queries of
// all slots only while the target writes them.

import type { ProcedureLease } from "../../../runtime/system/procedure-lease.js";
import type { SlotInstances } from "../../../runtime/system/slot-moves/slot-instances.js";

/** Requests run for so long that others would wait too long for them. */
export class BusyError extends Error {}

export class RequestHold {
  readonly #lease: ProcedureLease;
  readonly #instances: SlotInstances;
  readonly #dispatchers: readonly string[];
  #sinceMs = 0;
  #queriesSinceMs = 0;
  #drainMs = 0;
  #slots: readonly number[] = [];

  /** @param dispatchers from the top */
  constructor(lease: ProcedureLease, instances: SlotInstances, dispatchers: readonly string[]) {
    this.#lease = lease;
    this.#instances = instances;
    this.#dispatchers = dispatchers;
  }

  /**
   * Runs an act while changes of slots wait.
   * @param drainMs for which others may wait for running requests, in total
   * @param ended gets the milliseconds for which changes and queries waited
   * @throws BusyError
   */
  async during(
    slots: readonly number[],
    drainMs: number,
    act: () => Promise<void>,
    ended: (changesMs: number, queriesMs: number) => void,
  ): Promise<void> {
    await this.#lease.renew();
    this.#slots = slots;
    this.#drainMs = drainMs;
    this.#queriesSinceMs = 0;
    this.#sinceMs = performance.now();
    try {
      await this.#drain(false);
      await act();
    } finally {
      await this.#release();
      const endMs = performance.now();
      const queriesMs = this.#queriesSinceMs === 0 ? 0 : endMs - this.#queriesSinceMs;
      ended(endMs - this.#sinceMs, queriesMs);
    }
  }

  /** Lets queries wait, too, until the end. @throws BusyError */
  async holdQueries(): Promise<void> {
    this.#queriesSinceMs = performance.now();
    await this.#drain(true);
  }

  /** Each dispatcher is held before the ones below it. */
  async #drain(withQueries: boolean): Promise<void> {
    for (const id of this.#dispatchers) {
      const sinceMs = performance.now();
      const held = { slots: this.#slots, withQueries, drainMs: this.#drainMs };
      const { running } = await this.#instances.send(id, { do: "hold-requests", ...held });
      this.#drainMs = Math.max(0, this.#drainMs - (performance.now() - sinceMs));
      if (Number(running) > 0) throw new BusyError(id);
    }
  }

  async #release(): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    // A dispatcher that cannot be reached ends its hold by itself.
    await Promise.allSettled(ids.map((id) => this.#instances.send(id, { do: "release-requests" })));
  }
}
