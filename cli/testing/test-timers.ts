// Timers on a fake clock. Each has a real timer for its remaining time. After an advance, due
// timers run at once, in order, and the others are rescheduled.

import type { ClockMemory } from "./clock-memory.js";

type Callback = (...args: unknown[]) => void;

// The real functions, stored before they are replaced.
const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
/** Longest delay of a timer; Node.js fires longer ones after one millisecond. */
const MAX_MS = 2 ** 31 - 1;

export class TestTimers {
  readonly #clock: ClockMemory;
  readonly #timers = new Map<number, TestTimer>();
  #last = 0;

  constructor(clock: ClockMemory) {
    this.#clock = clock;
  }

  readonly setTimeout = (run: Callback, ms?: number, ...args: unknown[]): TestTimer => {
    return this.#add(run, ms, args, false);
  };

  readonly setInterval = (run: Callback, ms?: number, ...args: unknown[]): TestTimer => {
    return this.#add(run, ms, args, true);
  };

  readonly clear = (timer: unknown): void => {
    if (timer instanceof TestTimer) timer.close();
    else this.#timers.get(Number(timer))?.close();
  };

  /** Like the function of this name in `node:timers/promises`. */
  readonly sleep = <T>(ms?: number, value?: T, options: SleepOptions = {}): Promise<T> => {
    const { ref = true, signal } = options;
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        timer.close();
        reject(new DOMException("The operation was aborted", "AbortError"));
      };
      const timer = this.setTimeout(() => {
        signal?.removeEventListener("abort", aborted);
        resolve(value as T);
      }, ms);
      if (!ref) timer.unref();
      if (signal?.aborted) aborted();
      else signal?.addEventListener("abort", aborted, { once: true });
    });
  };

  /** Called after the clock advanced, stopped or resumed. */
  async clockChanged(): Promise<void> {
    const now = this.#clock.nowMs;
    for (;;) {
      const due = [...this.#timers.values()].filter((timer) => timer.dueMs <= now);
      if (due.length === 0) break;
      due.reduce((first, other) => (other.dueMs < first.dueMs ? other : first)).fire();
      // Promise callbacks of one timer run before the next timer.
      await null;
    }
    for (const timer of this.#timers.values()) timer.arm();
  }

  #add(run: Callback, ms = 1, args: readonly unknown[], isInterval: boolean): TestTimer {
    if (typeof run !== "function") throw new TypeError("the callback of a timer is no function");
    const delayMs = Number(ms);
    const periodMs = delayMs >= 1 && delayMs <= MAX_MS ? Math.trunc(delayMs) : 1;
    const id = ++this.#last;
    const timer = new TestTimer(id, this.#clock, () => run(...args), periodMs, isInterval);
    timer.onChange = (isSet) => {
      if (isSet) this.#timers.set(id, timer);
      else this.#timers.delete(id);
    };
    timer.refresh();
    return timer;
  }
}

interface SleepOptions {
  readonly ref?: boolean;
  readonly signal?: AbortSignal;
}

/** Return value of `setTimeout`, compatible with Node's. */
class TestTimer implements Pick<NodeJS.Timeout, "hasRef"> {
  dueMs = 0;
  onChange: (isSet: boolean) => void = () => {};
  readonly #id: number;
  readonly #clock: ClockMemory;
  readonly #run: () => void;
  readonly #periodMs: number;
  readonly #isInterval: boolean;
  #realTimer: NodeJS.Timeout | null = null;
  #isRef = true;
  #isSet = false;

  constructor(
    id: number,
    clock: ClockMemory,
    run: () => void,
    periodMs: number,
    isInterval: boolean,
  ) {
    this.#id = id;
    this.#clock = clock;
    this.#run = run;
    this.#periodMs = periodMs;
    this.#isInterval = isInterval;
  }

  ref(): this {
    this.#isRef = true;
    this.#realTimer?.ref();
    return this;
  }

  unref(): this {
    this.#isRef = false;
    this.#realTimer?.unref();
    return this;
  }

  hasRef(): boolean {
    return this.#isRef;
  }

  refresh(): this {
    this.dueMs = this.#clock.nowMs + this.#periodMs;
    this.#set(true);
    this.arm();
    return this;
  }

  close(): this {
    this.#disarm();
    this.#set(false);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Arms the real timer for the remaining time, unless the clock is paused. */
  arm(): void {
    this.#disarm();
    const leftMs = this.dueMs - this.#clock.nowMs;
    if (this.#clock.isPaused && leftMs > 0) return;
    this.#realTimer = realSetTimeout(
      () => this.#onRealTimer(),
      Math.min(MAX_MS, Math.max(0, leftMs)),
    );
    if (!this.#isRef) this.#realTimer.unref();
  }

  fire(): void {
    this.#disarm();
    if (this.#isInterval) this.dueMs += this.#periodMs;
    else this.#set(false);
    try {
      this.#run();
    } catch (error) {
      // An error is reported as uncaught, like that of any timer, and the other timers run.
      process.nextTick(() => {
        throw error;
      });
    }
  }

  /** Rearms an early timer: real timers can fire a fraction of a millisecond early. */
  #onRealTimer(): void {
    if (this.dueMs > this.#clock.nowMs + 1) return this.arm();
    if (this.#isInterval) this.dueMs = Math.max(this.dueMs, this.#clock.nowMs - this.#periodMs);
    this.fire();
    if (this.#isSet) this.arm();
  }

  #set(isSet: boolean): void {
    this.#isSet = isSet;
    this.onChange(isSet);
  }

  #disarm(): void {
    if (this.#realTimer !== null) realClearTimeout(this.#realTimer);
    this.#realTimer = null;
  }
}
