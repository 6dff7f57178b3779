// Aborts a call when its time limit expires or its caller aborts it. `end` removes the timer and
// the listener.

import { SvcError } from "./svc-error.js";

/** Maximum delay of a timer; with a longer one it fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class CallDeadline {
  readonly #controller = new AbortController();
  readonly #path: string;
  readonly #outer: AbortSignal | undefined;
  readonly #timeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);
  #isTimedOut = false;

  /** @param timeoutMs 0: no limit */
  constructor(path: string, timeoutMs: number, outer: AbortSignal | undefined) {
    this.#path = path;
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    if (outer?.aborted) this.#abort();
    else outer?.addEventListener("abort", this.#abort);
    this.restart();
  }

  /** Restarts the time limit. */
  restart(): void {
    clearTimeout(this.#timer);
    if (this.#timeoutMs === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#isTimedOut = !this.signal.aborted;
        this.#controller.abort();
      },
      Math.min(this.#timeoutMs, MAX_TIMER_MS),
    );
  }

  /** Suspends the time limit until `restart`, while the caller decides what to do. */
  suspend(): void {
    clearTimeout(this.#timer);
  }

  /** Aborts the work of the call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Returns unless the call has ended.
   * @param failure of the previous attempt; undefined: none
   * @throws SvcError of kind `timeout` or `aborted`
   */
  check(failure?: SvcError<string>): void {
    if (this.#isTimedOut) {
      const message = `${this.#path}: no response within ${this.#timeoutMs} ms`;
      throw new SvcError("timeout", message, { cause: failure });
    }
    if (this.signal.aborted) {
      throw new SvcError("aborted", `${this.#path}: aborted`, { cause: this.#outer?.reason });
    }
  }

  /** Resolves after the delay, or at once when the call ends. */
  wait(ms: number): Promise<void> {
    const { signal } = this;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done);
      if (signal.aborted) done();
    });
  }

  /** Settles like the promise, or rejects when the call ends first. */
  async race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    let stop = () => {};
    const ended = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
    });
    try {
      return await Promise.race([promise, ended]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#abort);
  }
}
