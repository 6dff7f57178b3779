// Writes what waits in rings to the logs and makes it safe, in groups: what comes during a flush is
// the next one. While somebody waits for it the next flush begins at once, else every 10 ms.

import { SvcError } from "../../base/errors.js";
import { type CommitClock, stopLogging } from "../../graph/log/logging-entry-points.js";
import type { LogChannel } from "./log-channel.js";

/** So long, or so much, is put together where nobody waits. */
const INTERVAL_MS = 10;
const ENOUGH_BYTES = 2 ** 18;

export class LogWriter {
  readonly #clock: CommitClock;
  readonly #channels: readonly LogChannel[];
  readonly #onFailure: (error: SvcError) => void;
  #running: Promise<void> | null = null;
  #isStopping = false;
  /** Bytes written since `#onGrown` was called, and how many it is to be called at. */
  #grownBytes = 0;
  #enoughBytes = Number.POSITIVE_INFINITY;
  #onGrown: () => void = () => undefined;
  readonly #onFlushed = new Set<() => void>();

  /** @param onFailure nothing is logged any more, and all graphs are readonly */
  constructor(
    clock: CommitClock,
    channels: readonly LogChannel[],
    onFailure: (error: SvcError) => void,
  ) {
    this.#clock = clock;
    this.#channels = channels;
    this.#onFailure = onFailure;
  }

  /** Lets a function be called whenever so much was written. */
  onGrown(bytes: number, call: () => void): void {
    this.#enoughBytes = bytes;
    this.#onGrown = call;
  }

  /** Lets a function be called whenever something was made safe, until the result is called. */
  onFlushed(call: () => void): () => void {
    this.#onFlushed.add(call);
    return () => void this.#onFlushed.delete(call);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Writes what is left. Nothing may be changed any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#clock.wake();
    await this.#running;
  }

  /** Writes all that waits, without letting the thread go on. */
  flushNow(): void {
    if (this.#clock.hasFailed) return;
    this.#guarded(() => {
      // What is being flushed at this moment first: never are there two frames that are not safe.
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
      if (!this.#isStopping && this.#waitingBytes() < ENOUGH_BYTES) {
        await this.#clock.pause(INTERVAL_MS);
      }
      await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const flush = this.#clock.start();
    try {
      if (this.#write()) await Promise.all(this.#channels.map(({ log }) => log.flush()));
      this.#clock.finish(flush);
      for (const call of this.#onFlushed) call();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** One frame at most for each log, so that only the last one of each can be torn. */
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
    const text = `changes cannot be logged any more, all graphs are readonly: ${error.message}`;
    this.#onFailure(new SvcError("SVC2501", text, { cause: error }));
  }
}
