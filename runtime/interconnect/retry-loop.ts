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

/** This provider was superseded: no further attempts. */
const REPLACED = "SVC2535";

export class RetryLoop {
  readonly #parts: RetryLoopOptions;
  readonly #hurry = new InterruptibleSleep();
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
      await this.#hurry.wait(backoff.fail());
    }
  }

  /** Starts the next attempt at once. */
  hurry(): void {
    this.#hurry.ring();
  }

  end(): void {
    this.#isOver = true;
    this.#hurry.ring();
  }

  /** The next failure is logged even if it repeats the previous one. */
  succeeded(): void {
    this.#lastLogged = "";
  }

  failed(error: Error): void {
    const { message } = error;
    const { name, warn } = this.#parts;
    const code = error instanceof SvcError ? error.code : this.#parts.code;
    const isLast = code === REPLACED;
    if ((this.#isOver && !isLast) || message === this.#lastLogged) return;
    this.#lastLogged = message;
    warn(`${code}: ${message} (${name}${isLast ? "" : "; tried again"})`, "warn");
  }
}

export class InterruptibleSleep {
  #hasRung = false;
  #end: () => void = () => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#end();
  }

  /** Sleeps `ms` or until `ring`; returns at once if it has rung since the last sleep. */
  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#hasRung = false;
  }
}
