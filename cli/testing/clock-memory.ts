// Shared state of a fake clock, read by all threads of its instances: the system clock plus an
// offset. One thread advances it.
//
//   bytes 0  milliseconds ahead of the system clock  |  8  time while paused, 0: it runs  |
//   16  words: number of acknowledgements, number of threads, last turn of each thread

import { setEnvironmentData } from "node:worker_threads";

export const CLOCK_KEY = "svc.clock";
const MAX_CLOCK_THREADS = 1000;
/** Turn of a thread that has ended. */
export const ENDED = 2 ** 31 - 1;
const WORDS_AT = 16;
const ACKNOWLEDGED = 0;
const THREADS = 1;
const FIRST_THREAD = 2;

/** Environment data that threads inherit. */
export interface ClockData {
  readonly memory: SharedArrayBuffer;
  /** Name of the channel that announces steps. */
  readonly channel: string;
}

// The original functions, which threads replace.
const { timeOrigin } = performance;
const elapsedMs = performance.now.bind(performance);

export class ClockMemory {
  readonly buffer: SharedArrayBuffer;
  readonly #times: Float64Array;
  readonly #words: Int32Array;

  constructor(buffer = new SharedArrayBuffer(WORDS_AT + 4 * (FIRST_THREAD + MAX_CLOCK_THREADS))) {
    this.buffer = buffer;
    this.#times = new Float64Array(buffer, 0, 2);
    this.#words = new Int32Array(buffer, WORDS_AT);
  }

  /** Milliseconds since 1970. */
  get nowMs(): number {
    const [aheadMs, pausedAtMs] = this.#times as unknown as readonly [number, number];
    return pausedAtMs > 0 ? pausedAtMs : timeOrigin + elapsedMs() + aheadMs;
  }

  get isPaused(): boolean {
    return this.#times[1]! > 0;
  }

  advance(ms: number): void {
    this.#times[this.isPaused ? 1 : 0]! += ms;
  }

  pause(): void {
    this.#times[1] = this.nowMs;
  }

  /** Resumes the clock. */
  resume(): void {
    if (!this.isPaused) return;
    this.#times[0] = this.nowMs - timeOrigin - elapsedMs();
    this.#times[1] = 0;
  }

  /** @returns number of the calling thread; -1 if there are too many */
  addThread(): number {
    const thread = Atomics.add(this.#words, THREADS, 1);
    return thread < MAX_CLOCK_THREADS ? thread : -1;
  }

  /** Records that a thread has completed a turn. */
  acknowledge(thread: number, turn: number): void {
    if (thread < 0) return;
    Atomics.store(this.#words, FIRST_THREAD + thread, turn);
    Atomics.add(this.#words, ACKNOWLEDGED, 1);
    Atomics.notify(this.#words, ACKNOWLEDGED);
  }

  /** Returns the threads that have not completed a turn. */
  findPending(turn: number): number[] {
    const count = Math.min(MAX_CLOCK_THREADS, Atomics.load(this.#words, THREADS));
    const threads = Array.from({ length: count }, (_, thread) => thread);
    return threads.filter((thread) => Atomics.load(this.#words, FIRST_THREAD + thread) < turn);
  }

  get acknowledged(): number {
    return Atomics.load(this.#words, ACKNOWLEDGED);
  }

  /** Resolves when more than `acknowledged` threads have acknowledged, or after `ms`. */
  async waitForMore(acknowledged: number, ms: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#words, ACKNOWLEDGED, acknowledged, ms);
    if (waiting.async) await waiting.value;
  }
}

/** Starts threads, and the threads they start, with the fake clock. */
export function withClock<T>(data: ClockData, start: () => T): T {
  setEnvironmentData(CLOCK_KEY, data);
  try {
    return start();
  } finally {
    setEnvironmentData(CLOCK_KEY, undefined);
  }
}
