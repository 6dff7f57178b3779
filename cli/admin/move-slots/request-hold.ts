// Lets requests wait at all dispatchers while slots are cut.

import { SvcError } from "../../../runtime/base/errors.js";
import type { ProcedureLease } from "../../../runtime/system/procedure-lease.js";
import type { SlotInstances } from "../../../runtime/system/slot-moves/slot-instances.js";

const DRAIN_MS = 2000;
const ATTEMPTS = 20;
const WAIT_MS = 200;

export class RequestHold {
  readonly #lease: ProcedureLease;
  readonly #instances: SlotInstances;
  readonly #dispatchers: readonly string[];
  #sinceMs = 0;

  /** @param dispatchers from the top */
  constructor(lease: ProcedureLease, instances: SlotInstances, dispatchers: readonly string[]) {
    this.#lease = lease;
    this.#instances = instances;
    this.#dispatchers = dispatchers;
  }

  /**
   * Runs an act while requests wait; returns for how many milliseconds they did.
   * @throws SvcError SVC3412 if some run for too long
   */
  async during(act: () => Promise<void>): Promise<number> {
    try {
      await this.#hold();
      await act();
    } finally {
      await this.#release();
    }
    return performance.now() - this.#sinceMs;
  }

  /** Lets new requests wait, and waits until none is running. */
  async #hold(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.#lease.renew();
      this.#sinceMs = performance.now();
      const running = await this.#drain();
      if (running === null) return;
      await this.#release();
      if (attempt === ATTEMPTS) {
        const text = `${running}: requests run for longer than ${DRAIN_MS} ms`;
        throw new SvcError("SVC3412", text);
      }
      await this.#lease.rest(WAIT_MS * attempt);
    }
  }

  /** Returns the dispatcher that still runs requests; null: none does. */
  async #drain(): Promise<string | null> {
    for (const id of this.#dispatchers) {
      const command = { do: "hold-requests", drainMs: DRAIN_MS };
      const { running } = await this.#instances.send(id, command);
      if (Number(running) > 0) return id;
    }
    return null;
  }

  async #release(): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    // A dispatcher that cannot be reached ends its hold by itself.
    await Promise.allSettled(ids.map((id) => this.#instances.send(id, { do: "release-requests" })));
  }
}
