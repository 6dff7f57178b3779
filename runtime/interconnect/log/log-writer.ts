// Group commit: drains the rings to the logs and flushes. Transactions that arrive during a flush
// join the next one. With responses waiting, flushes follow each other at once; otherwise every 10
// ms.

import { SvcError } from "../../base/errors.js";
import { type CommitClock, stopLogging } from "../../graph/manager/logging-entry-points.js";
import { Log2Histogram } from "../../metrics/log2-histogram.js";
import type { LogChannel } from "./log-channel.js";

/** Batching limits while no response waits. */
const FLUSH_INTERVAL_MS = 10;
const BATCH_BYTES = 2 ** 18;

export class LogWriter {
  /** Durations of flushes. */
  readonly flushes = new Log2Histogram();
  readonly #clock: CommitClock;
  readonly #channels: readonly LogChannel[];
  readonly #onFailure: (error: SvcError) => void;
  #running: Promise<void> | null = null;
  #isStopping = false;
  /** Bytes written since the last call of `#onGrown`, and the threshold of the next one. */
  #grownBytes = 0;
  #enoughBytes = Number.POSITIVE_INFINITY;
  #onGrown: () => void = () => undefined;
  readonly #onFlushed = new Set<() => void>();

  /** @param onFailure called when logging has stopped and all graphs are read-only */
  constructor(
    clock: CommitClock,
    channels: readonly LogChannel[],
    onFailure: (error: SvcError) => void,
  ) {
    this.#clock = clock;
    this.#channels = channels;
    this.#onFailure = onFailure;
  }

  /** Calls `call` each time `bytes` more were written. */
  onGrown(bytes: number, call: () => void): void {
    this.#enoughBytes = bytes;
    this.#onGrown = call;
  }

  /** Calls `call` after each flush, until the returned function is called. */
  onFlushed(call: () => void): () => void {
    this.#onFlushed.add(call);
    return () => void this.#onFlushed.delete(call);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Flushes the rest. No changes may follow. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#clock.wake();
    await this.#running;
  }

  /** Writes and flushes everything synchronously. */
  flushNow(): void {
    if (this.#clock.hasFailed) return;
    this.#guarded(() => {
      // Completes the flush in progress first: at most one frame per log is ever unflushed.
      do for (const { log } of this.#channels) log.flushNow();
      while (this.#write());
    });
    for (const call of this.#onFlushed) call();
  }

  async #run(): Promise<void> {
    const hasWork = (): boolean =>
      this.#isStopping || this.#waitingBytes() > 0 || this.#clock.isRequested;
    while (!this.#clock.hasFailed) {
      if (this.#waitingBytes() === 0 && !this.#clock.isRequested) {
        if (this.#isStopping) return;
        await this.#clock.sleep(hasWork);
      }
      if (!this.#isStopping && this.#waitingBytes() < BATCH_BYTES) {
        await this.#clock.pause(FLUSH_INTERVAL_MS);
      }
      await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const flush = this.#clock.start();
    try {
      if (this.#write()) await this.#timedFlush();
      this.#clock.finish(flush);
      for (const call of this.#onFlushed) call();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  async #timedFlush(): Promise<void> {
    const startedAtMs = performance.now();
    await Promise.all(this.#channels.map(({ log }) => log.flush()));
    this.flushes.add(performance.now() - startedAtMs);
  }

  /** Writes at most one frame per log, so that only the last one of each can be torn. */
  #write(): boolean {
    let isWritten = false;
    for (const channel of this.#channels) {
      const bytes = channel.write(this.#clock);
      channel.release();
      if (bytes > 0) isWritten = true;
      this.#grownBytes += bytes;
    }
    if (this.#grownBytes >= this.#enoughBytes) {
      this.#grownBytes = 0;
      this.#onGrown();
    }
    return isWritten;
  }

  #waitingBytes(): number {
    return this.#channels.reduce((sum, channel) => sum + channel.waitingBytes, 0);
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error as Error);
      throw error;
    }
  }

  #fail(error: Error): void {
    this.#clock.fail();
    stopLogging(this.#channels.flatMap((channel) => channel.stores()));
    const text = `transaction log failed, all graphs are read-only: ${error.message}`;
    this.#onFailure(new SvcError("SVC2501", text, { cause: error }));
  }
}
