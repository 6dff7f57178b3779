// What is tried for ever, such as a connection to a subscriber or a broker: again after a wait that
// grows, and with each failure in the log once.

import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";
import { InterruptibleSleep } from "./interruptible-sleep.js";

export interface RetryLoopOptions {
  /** The other side, as the log calls it. */
  readonly name: string;
  /** Of failures that have no code. */
  readonly code: string;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  readonly warn: LogLine;
}

/** This provider was replaced: nothing is tried after that. */
const REPLACED = "SVC2535";

export class RetryLoop {
  readonly #parts: RetryLoopOptions;
  readonly #hurry = new InterruptibleSleep();
  #isOver = false;
  #lastTold = "";

  constructor(parts: RetryLoopOptions) {
    this.#parts = parts;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tries until `end` is called; resolves when the last attempt has ended. */
  async run(attempt: () => Promise<void>): Promise<void> {
    const { minDelayMs, maxDelayMs } = this.#parts;
    for (let waitMs = minDelayMs; !this.#isOver; ) {
      const startedAt = performance.now();
      try {
        await attempt();
      } catch (error) {
        this.failed(error as Error);
      }
      if (this.#isOver) return;
      const hasLasted = performance.now() - startedAt > maxDelayMs;
      waitMs = hasLasted ? minDelayMs : Math.min(waitMs * 2, maxDelayMs);
      // Half of it by chance, so that many do not come at the same moment.
      await this.#hurry.wait(waitMs / 2 + (Math.random() * waitMs) / 2);
    }
  }

  /** The next attempt is due. */
  hurry(): void {
    this.#hurry.ring();
  }

  end(): void {
    this.#isOver = true;
    this.#hurry.ring();
  }

  /** What fails after this is told, even if it is what failed before. */
  succeeded(): void {
    this.#lastTold = "";
  }

  failed(error: Error): void {
    const { message } = error;
    const { name, warn } = this.#parts;
    const code = error instanceof SvcError ? error.code : this.#parts.code;
    const isLast = code === REPLACED;
    if ((this.#isOver && !isLast) || message === this.#lastTold) return;
    this.#lastTold = message;
    warn(`${code}: ${message} (${name}${isLast ? "" : "; tried again"})`, "warn");
  }
}
