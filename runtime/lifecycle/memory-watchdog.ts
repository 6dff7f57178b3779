// Buffers lie outside of the heap that a thread is given, so that no plugin would ever have too
// many. Where executors have a bound, heap and buffers together are held to it: when the process
// has grown by a part of it, its executors are looked into.

import type { Worker } from "node:worker_threads";
import { usedBytes } from "./thread-probe.js";

const CHECK_MS = 200;
/** What V8 lets pile up of buffers before it looks for garbage among them. */
const GARBAGE_MB = 64;
const BYTES_PER_MB = 1024 * 1024;

export interface WatchedExecutor {
  readonly id: number;
  readonly worker: Worker;
}

export class MemoryWatchdog {
  readonly #maxBytes: number;
  readonly #executors: () => readonly WatchedExecutor[];
  readonly #exceeded: (id: number, reason: string) => void;
  readonly #timer: NodeJS.Timeout;
  #lookedAtBytes = 0;
  #isLooking = false;

  /**
   * @param exceeded ends an executor that holds more
   * @param maxMb of each executor
   */
  constructor(
    maxMb: number,
    executors: () => readonly WatchedExecutor[],
    exceeded: (id: number, reason: string) => void,
  ) {
    this.#maxBytes = maxMb * BYTES_PER_MB;
    this.#executors = executors;
    this.#exceeded = exceeded;
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const bytes = process.memoryUsage.rss();
    if (bytes < this.#lookedAtBytes) this.#lookedAtBytes = bytes;
    if (this.#isLooking || bytes - this.#lookedAtBytes < this.#maxBytes / 4) return;
    this.#lookedAtBytes = bytes;
    this.#isLooking = true;
    await Promise.all(this.#executors().map((executor) => this.#poll(executor)));
    this.#isLooking = false;
  }

  async #poll({ id, worker }: WatchedExecutor): Promise<void> {
    const bytes = (await usedBytes(worker)) ?? 0;
    if (bytes <= this.#maxBytes + GARBAGE_MB * BYTES_PER_MB) return;
    const [held, most] = [bytes, this.#maxBytes].map((size) => Math.round(size / BYTES_PER_MB));
    this.#exceeded(id, `its heap and buffers take ${held} MiB, executorHeapMb allows ${most}`);
  }
}
