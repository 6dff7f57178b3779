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
   * before queries go on. Changes go on after a last act, which begins at the same time.
   * @param drainMs for which others may wait for running requests, in total
   * @param report gets the milliseconds for which changes and queries waited
   * @throws BusyError
   */
  async during(
    slots: readonly number[],
    drainMs: number,
    act: () => Promise<SlotRecord>,
    last: () => Promise<void>,
    report: (changesMs: number, queriesMs: number) => void,
  ): Promise<void> {
    await this.#lease.renew();
    this.#slots = slots;
    this.#drainMs = drainMs;
    this.#queriesSinceMs = 0;
    this.#sinceMs = performance.now();
    let queriesEndMs = 0;
    try {
      await this.#drain(false);
      const record = await act();
      const released = this.#releaseQueries(record).finally(() => {
        queriesEndMs = performance.now();
      });
      const ended = await Promise.allSettled([released, last()]);
      for (const one of ended) if (one.status === "rejected") throw one.reason;
    } finally {
      // A dispatcher that cannot be reached ends its hold by itself.
      await this.#sendAll({ do: "release-requests" }).catch(() => undefined);
      const endMs = performance.now();
      if (queriesEndMs === 0) queriesEndMs = endMs;
      const queriesMs = this.#queriesSinceMs === 0 ? 0 : queriesEndMs - this.#queriesSinceMs;
      report(endMs - this.#sinceMs, queriesMs);
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
  #releaseQueries(record: SlotRecord): Promise<void> {
    const held = { slots: this.#slots, withQueries: false, drainMs: 0 };
    return this.#sendAll({ do: "hold-requests", ...held, record });
  }

  /** Sends to all at once: what one lets go on still waits below. @throws Error if one fails */
  async #sendAll(command: object): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    const sent = await Promise.allSettled(ids.map((id) => this.#instances.send(id, command)));
    for (const one of sent) if (one.status === "rejected") throw one.reason;
  }
}
