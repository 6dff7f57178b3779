// Flow control for replication: pauses or rate-limits outbound and inbound transactions. Delayed
// transactions stay on the provider's disk.

import { setTimeout as sleep } from "node:timers/promises";

export const THROTTLE_UNITS = ["bytes", "opcodes", "operations", "transactions"] as const;
export type ThrottleUnit = (typeof THROTTLE_UNITS)[number];

/** Maximum rate of each unit per second; null: unlimited. */
export type Throttle = { readonly [Unit in ThrottleUnit]: number | null };

const NO_THROTTLE: Throttle = {
  ...{ bytes: null, opcodes: null, operations: null, transactions: null },
};

/** Maximum delay of one frame, so that a throttled sender still sends heartbeats. */
const MAX_DELAY_MS = 5_000;

export class FlowControl {
  isOpen = true;
  throttle: Throttle = NO_THROTTLE;
  /** Time before which the next frame would exceed the rate. */
  #freeAt = 0;

  /** Records a sent frame, and resolves when the next one may follow. */
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
    const waitMs = Math.min(this.#freeAt - now, MAX_DELAY_MS);
    this.#freeAt = now + waitMs;
    await sleep(waitMs, undefined, { ref: false });
  }
}
