// Limits the sum of heap and buffers of each executor, because V8's heap limit excludes buffers.
// Measures the executors when the process has grown by a fraction of the limit.

import type { Worker } from "node:worker_threads";
import { usedBytes } from "./thread-probe.js";

const CHECK_MS = 200;
/** Unreachable buffers that V8 accumulates before it collects them. */
const UNCOLLECTED_MB = 64;
const BYTES_PER_MB = 1024 * 1024;

export interface WatchedExecutor {
  readonly id: number;
  readonly worker: Worker;
}

export class MemoryWatchdog {
  readonly #maxBytes: number;
  readonly #executors: () => readonly WatchedExecutor[];
  readonly #onExceeded: (id: number, reason: string) => void;
  readonly #timer: NodeJS.Timeout;
  #measuredAtBytes = 0;
  #isMeasuring = false;

  /**
   * @param onExceeded called for an executor above the limit
   * @param maxMb limit of each executor
   */
  constructor(
    maxMb: number,
    executors: () => readonly WatchedExecutor[],
    onExceeded: (id: number, reason: string) => void,
  ) {
    this.#maxBytes = maxMb * BYTES_PER_MB;
    this.#executors = executors;
    this.#onExceeded = onExceeded;
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const bytes = process.memoryUsage.rss();
    if (bytes < this.#measuredAtBytes) this.#measuredAtBytes = bytes;
    if (this.#isMeasuring || bytes - this.#measuredAtBytes < this.#maxBytes / 4) return;
    this.#measuredAtBytes = bytes;
    this.#isMeasuring = true;
    await Promise.all(this.#executors().map((executor) => this.#measure(executor)));
    this.#isMeasuring = false;
  }

  async #measure({ id, worker }: WatchedExecutor): Promise<void> {
    const bytes = (await usedBytes(worker)) ?? 0;
    if (bytes <= this.#maxBytes + UNCOLLECTED_MB * BYTES_PER_MB) return;
    const [usedMb, limitMb] = [bytes, this.#maxBytes].map((size) =>
      Math.round(size / BYTES_PER_MB),
    );
    this.#onExceeded(id, `heap and buffers use ${usedMb} MiB, executorHeapMiB is ${limitMb}`);
  }
}
