// The fake clock for tests. It runs by itself and can be advanced, so that timeouts, expiry,
// backoff and ejections happen at once.

import { BroadcastChannel } from "node:worker_threads";
import { type ClockData, ClockMemory } from "./clock-memory.js";
import { type Duration, milliseconds } from "./duration.js";

/** Maximum number of steps of an advance, and their minimum length. */
const STEPS = 200;
const STEP_MS = 20;
/** Time for messages between threads that a step causes. */
const TURNS_PER_STEP = 4;
const TURNS_BEFORE = 8;
/** Timeout for a thread, which may be computing or have ended. */
const THREAD_TIMEOUT_MS = 1000;
let clocks = 0;

export class TestClock {
  readonly #memory = new ClockMemory();
  readonly #name = `svc.clock.${process.pid}.${clocks++}`;
  readonly #channel = new BroadcastChannel(this.#name);
  /** Threads that did not respond in time. */
  readonly #unresponsive = new Set<number>();
  #turn = 0;
  #advancing: Promise<void> = Promise.resolve();

  constructor() {
    (this.#channel as unknown as { unref(): void }).unref();
  }

  /** Shared memory for threads that use this clock. */
  get data(): ClockData {
    return { memory: this.#memory.buffer, channel: this.#name };
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#memory.nowMs;
  }

  /**
   * Advances the clock. Everything due by then has happened in order, including what it causes in
   * other threads.
   * @throws SvcError SVC3300
   */
  advance(duration: Duration): Promise<void> {
    const ms = milliseconds(duration);
    this.#advancing = this.#advancing.then(() => this.#advance(ms));
    return this.#advancing;
  }

  /** Stops the clock: time passes only by `advance`. */
  async stop(): Promise<void> {
    this.#memory.pause();
    await this.#settle();
  }

  /** Resumes the clock. */
  async resume(): Promise<void> {
    this.#memory.resume();
    await this.#settle();
  }

  close(): void {
    this.#memory.resume();
    this.#channel.postMessage(++this.#turn);
    this.#channel.close();
  }

  async #advance(ms: number): Promise<void> {
    const steps = Math.min(STEPS, Math.ceil(ms / STEP_MS));
    // Lets requests sent just before start, so that they run when time advances.
    for (let turn = 0; turn < TURNS_BEFORE; turn++) await this.#settle();
    for (let step = 0; step < steps; step++) {
      this.#memory.advance(ms / steps);
      for (let turn = 0; turn < TURNS_PER_STEP; turn++) await this.#settle();
    }
  }

  /** Lets each thread run its due timers. */
  async #settle(): Promise<void> {
    const turn = ++this.#turn;
    const untilMs = performance.now() + THREAD_TIMEOUT_MS;
    this.#channel.postMessage(turn);
    for (;;) {
      const acknowledged = this.#memory.acknowledged;
      const behind = this.#memory.findPending(turn);
      for (const thread of this.#unresponsive)
        if (!behind.includes(thread)) this.#unresponsive.delete(thread);
      const awaited = behind.filter((thread) => !this.#unresponsive.has(thread));
      if (awaited.length === 0) return;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) {
        for (const thread of awaited) this.#unresponsive.add(thread);
        return;
      }
      await this.#memory.waitForMore(acknowledged, leftMs);
    }
  }
}
