// Limit of the bytes per second that a move sends: `--rate 50MB/s`.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../../runtime/base/errors.js";

const FORM = /^(\d{1,6}(?:\.\d+)?)\s*([kMG]?)(i?)B(?:\/s)?$/i;
const UNITS = ["", "k", "m", "g"];
const MIN_BYTES = 1000;

export class MoveRate {
  readonly perSecond: number;
  #begunMs = performance.now();
  #bytes = 0;

  /** @param perSecond bytes; 0: no limit */
  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  /** Resolves when the rate allows these bytes. */
  async pass(bytes: number): Promise<void> {
    if (this.perSecond === 0) return;
    this.#bytes += bytes;
    const dueMs = this.#begunMs + (this.#bytes / this.perSecond) * 1000;
    const restMs = dueMs - performance.now();
    if (restMs > 0) await sleep(restMs);
    else if (restMs < -1000) {
      // Time without transfers is no credit.
      this.#begunMs = performance.now();
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
