// Holds requests at all dispatchers during a cut: changes of the slots for the whole cut, queries
// of all slots only while the target writes the content.

import type { SlotRecord } from "../../../runtime/base/slot-record.js";
import type { SlotInstances } from "../../../runtime/system/slot-moves/slot-instances.js";

/** Running requests did not end within the time for which other requests may wait. */
export class BusyError extends Error {}

export class RequestHold {
  readonly #instances: SlotInstances;
  readonly #dispatchers: readonly string[];
  #sinceMs = 0;
  #queriesSinceMs = 0;
  #drainMs = 0;
  #slots: readonly number[] = [];

  /** @param dispatchers in top-down order */
  constructor(instances: SlotInstances, dispatchers: readonly string[]) {
    this.#instances = instances;
    this.#dispatchers = dispatchers;
  }

  /**
   * Runs a cut while changes of the slots wait. Afterwards, dispatchers install the record that it
   * returns before they release the requests.
   * @param drainMs total time for which to wait for running requests
   * @param onEnd receives the milliseconds for which changes and queries waited
   * @throws BusyError
   */
  async during(
    slots: readonly number[],
    drainMs: number,
    cut: () => Promise<SlotRecord>,
    onEnd: (changesMs: number, queriesMs: number) => void,
  ): Promise<void> {
    this.#slots = slots;
    this.#drainMs = drainMs;
    this.#queriesSinceMs = 0;
    this.#sinceMs = performance.now();
    let record: SlotRecord | null = null;
    try {
      await this.#drain(false);
      record = await cut();
    } finally {
      await this.#release(record);
      const endMs = performance.now();
      const queriesMs = this.#queriesSinceMs === 0 ? 0 : endMs - this.#queriesSinceMs;
      onEnd(endMs - this.#sinceMs, queriesMs);
    }
  }

  /** Holds queries as well until the end of the cut. @throws BusyError */
  async holdQueries(): Promise<void> {
    this.#queriesSinceMs = performance.now();
    await this.#drain(true);
  }

  /** Holds each dispatcher before those below it, and waits for its running requests. */
  async #drain(withQueries: boolean): Promise<void> {
    for (const id of this.#dispatchers) {
      const sinceMs = performance.now();
      const parameters = { slots: this.#slots, withQueries, drainMs: this.#drainMs };
      const { running } = await this.#instances.send(id, { do: "hold-requests", ...parameters });
      this.#drainMs = Math.max(0, this.#drainMs - (performance.now() - sinceMs));
      if (Number(running) > 0) throw new BusyError(id);
    }
  }

  /** @throws Error if a dispatcher has not installed the record */
  async #release(record: SlotRecord | null): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    const command = { do: "release-requests", ...(record !== null && { record }) };
    const results = await Promise.allSettled(ids.map((id) => this.#instances.send(id, command)));
    // An unreachable dispatcher releases its requests after a timeout.
    if (record === null) return;
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }
}
