// Retry loop with exponential backoff and jitter for connections to subscribers and brokers; logs
// each distinct failure once.

import { Backoff } from "../base/backoff.js";
import { SvcError } from "../base/errors.js";
import type { LogLine } from "../base/log-settings.js";

export interface RetryLoopOptions {
  /** Name of the remote side in the server log. */
  readonly name: string;
  /** Error code of failures without one. */
  readonly code: string;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  readonly warn: LogLine;
}

/** This provider was superseded: the last attempt. */
const SUPERSEDED = "SVC2535";

export class RetryLoop {
  readonly #parts: RetryLoopOptions;
  readonly #sleep = new InterruptibleSleep();
  #isOver = false;
  #lastLogged = "";

  constructor(parts: RetryLoopOptions) {
    this.#parts = parts;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Retries until `end`; resolves when the last attempt has ended. */
  async run(attempt: () => Promise<void>): Promise<void> {
    const { minDelayMs: minMs, maxDelayMs: maxMs } = this.#parts;
    const backoff = new Backoff({ minMs, maxMs, jitter: 0.5 });
    while (!this.#isOver) {
      const startedAt = performance.now();
      try {
        await attempt();
      } catch (error) {
        this.failed(error as Error);
      }
      if (performance.now() - startedAt > maxMs) backoff.reset();
      await this.#sleep.wait(backoff.fail());
    }
  }

  /** Starts the next attempt at once. */
  retryNow(): void {
    this.#sleep.wake();
  }

  end(): void {
    this.#isOver = true;
    this.#sleep.wake();
  }

  /** Records a success: the next failure is logged even if it repeats the previous one. */
  succeeded(): void {
    this.#lastLogged = "";
  }

  failed(error: Error): void {
    const { message } = error;
    const { name, warn } = this.#parts;
    const code = error instanceof SvcError ? error.code : this.#parts.code;
    const isLast = code === SUPERSEDED;
    if ((this.#isOver && !isLast) || message === this.#lastLogged) return;
    this.#lastLogged = message;
    warn(`${code}: ${message} (${name}${isLast ? "" : "; tried again"})`, "warn");
  }
}

export class InterruptibleSleep {
  #isWoken = false;
  #end: () => void = () => undefined;

  wake(): void {
    this.#isWoken = true;
    this.#end();
  }

  /** Sleeps until `wake`, `ms` at most; not at all after a `wake` since the last sleep. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isWoken = false;
  }
}
