// Rate limit of a slot move in bytes per second: `--rate 50MB/s`.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../../runtime/base/errors.js";

const FORM = /^(\d{1,6}(?:\.\d+)?)\s*([kMG]?)(i?)B(?:\/s)?$/i;
const UNITS = ["", "k", "m", "g"];
const MIN_BYTES = 1000;

export class MoveRate {
  readonly perSecond: number;
  #startMs = performance.now();
  #bytes = 0;

  /** @param perSecond bytes; 0: no limit */
  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  /** Waits until the rate limit allows the bytes that were sent. */
  async pass(bytes: number): Promise<void> {
    if (this.perSecond === 0) return;
    this.#bytes += bytes;
    const dueMs = this.#startMs + (this.#bytes / this.perSecond) * 1000;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    else if (waitMs < -1000) {
      // Idle time does not accumulate as burst credit.
      this.#startMs = performance.now();
      this.#bytes = 0;
    }
  }
}

/** @throws SvcError SVC3003 */
export function readMoveRate(text: string | undefined): MoveRate {
  if (text === undefined) return new MoveRate(0);
  const [, number, unit = "", binary] = FORM.exec(text) ?? [];
  const perSecond = Number(number) * (binary ? 1024 : 1000) ** UNITS.indexOf(unit.toLowerCase());
  if (perSecond >= MIN_BYTES) return new MoveRate(perSecond);
  throw new SvcError(
    "SVC3003",
    `--rate: expected a rate such as 50MB/s, got ${JSON.stringify(text)}`,
  );
}
