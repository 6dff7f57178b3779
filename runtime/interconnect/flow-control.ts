// What goes to subscribers, or comes from the provider, passes here: it can be held up for a while,
// or slowed down to so much a second. What waits is on the disk of the provider.

import { setTimeout as sleep } from "node:timers/promises";

export const THROTTLE_UNITS = ["bytes", "opcodes", "operations", "transactions"] as const;
export type ThrottleUnit = (typeof THROTTLE_UNITS)[number];

/** Most of each unit in a second; null: as much as there is. */
export type Throttle = { readonly [Unit in ThrottleUnit]: number | null };

const NO_THROTTLE: Throttle = {
  ...{ bytes: null, opcodes: null, operations: null, transactions: null },
};

/** One frame may wait so long: who waits has to say something now and then. */
const MOST_WAIT_MS = 5_000;

export class FlowControl {
  isOpen = true;
  throttle: Throttle = NO_THROTTLE;
  /** When as much as has passed was allowed to. */
  #freeAt = 0;

  /** Resolves when the next frame may pass, after one with so much in it. */
  async pass(bytes: number, operations: number, opcodes: number): Promise<void> {
    const passed = { bytes, opcodes, operations, transactions: 1 };
    let seconds = 0;
    for (const unit of THROTTLE_UNITS) {
      const rate = this.throttle[unit];
      if (rate !== null) seconds = Math.max(seconds, passed[unit] / rate);
    }
    if (seconds === 0) return;
    const now = performance.now();
    this.#freeAt = Math.max(this.#freeAt, now) + seconds * 1000;
    const waitMs = Math.min(this.#freeAt - now, MOST_WAIT_MS);
    this.#freeAt = now + waitMs;
    await sleep(waitMs, undefined, { ref: false });
  }
}
