// Lets requests wait at all dispatchers while slots are cut: changes of the slots first, queries of
// all slots only while the target writes them.

import type { SlotRecord } from "../../../runtime/base/slot-record.js";
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
   * Runs an act while changes of slots wait. Then dispatchers install the record that it returns,
   * before the requests go on.
   * @param drainMs for which others may wait for running requests, in total
   * @param ended gets the milliseconds for which changes and queries waited
   * @throws BusyError
   */
  async during(
    slots: readonly number[],
    drainMs: number,
    act: () => Promise<SlotRecord>,
    ended: (changesMs: number, queriesMs: number) => void,
  ): Promise<void> {
    await this.#lease.renew();
    this.#slots = slots;
    this.#drainMs = drainMs;
    this.#queriesSinceMs = 0;
    this.#sinceMs = performance.now();
    let record: SlotRecord | null = null;
    try {
      await this.#drain(false);
      record = await act();
    } finally {
      await this.#release(record);
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

  /** @throws Error if a dispatcher has not installed the record */
  async #release(record: SlotRecord | null): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    const command = { do: "release-requests", ...(record !== null && { record }) };
    const released = await Promise.allSettled(ids.map((id) => this.#instances.send(id, command)));
    // A dispatcher that cannot be reached ends its hold by itself.
    if (record === null) return;
    for (const one of released) if (one.status === "rejected") throw one.reason;
  }
}
