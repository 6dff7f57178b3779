// Group commit: drains the commit rings to the logs and flushes. Transactions that arrive during a
// flush join the next one. While responses wait for a flush, the next one starts at once; otherwise
// writes start 8 ms apart, or when the flush before ends. Written data survives the death of the
// process, which therefore loses the changes of at most 10 ms, or of a longer flush.
//
//   good ──no space──► full ──written, and the reserve is allocated again──► good
//     └──any other error──► failed ──written to a new segment and read back──► good
//                             └──for the third time within an hour──► failed until the restart
//
// While the log is full or has failed, graphs are read-only, and committed transactions wait in the
// rings. Each channel retains its last frame, so that it can be written again if its flush failed.

import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import { Log2Histogram } from "../../base/log2-histogram.js";
import type { CommitClock } from "../../graph/manager/logging-entry-points.js";
import type { LogChannel } from "./log-channel.js";
import { PendingResponses } from "./pending-responses.js";
import { isOutOfSpace, type SpaceReserve } from "./space-reserve.js";

/** Limits of a batch while no response waits. Timers fire up to 2 ms late. */
const WRITE_INTERVAL_MS = 8;
const BATCH_BYTES = 2 ** 18;
/** Interval of retries while the log cannot be written. */
const RETRY_MS = 1000;
/** After this many failures within this time, the log stays failed until the restart. */
const MAX_FAILURES = 3;
const FAILURES_MS = 3_600_000;
/** Free disk space below which svc warns, and the interval of measurements. */
const LOW_BYTES = 2 ** 29;
const MEASURE_MS = 10_000;
/** Bytes written between attempts to create the reserve. */
const BYTES_PER_ATTEMPT = 2 ** 24;

const unlimited = (): number => Number.POSITIVE_INFINITY;

export interface LogWriterEvents {
  /** Called when all graphs become read-only, which ends with `recovered` or the restart. */
  onFailure(error: SvcError): void;
  /** Called when graphs accept changes again, and all committed transactions are durable. */
  onRecovery(text: string): void;
  /** Called when the free space falls below the limit. */
  low(freeBytes: number): void;
}

export class LogWriter {
  /** Durations of flushes. */
  readonly flushes = new Log2Histogram();
  readonly #clock: CommitClock;
  readonly #channels: readonly LogChannel[];
  readonly #reserve: SpaceReserve;
  readonly #freeBytes: () => number;
  readonly #on: LogWriterEvents;
  readonly #wait: (ms: number) => Promise<unknown>;
  #hasReserve = false;
  /** Bytes written since the last attempt to create the reserve. */
  #unreservedBytes = BYTES_PER_ATTEMPT;
  #running: Promise<void> | null = null;
  #measuring: NodeJS.Timeout | undefined;
  /** Time of the last write. */
  #wroteAtMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  /** True if the log is not retried before the restart. */
  #hasGivenUp: boolean;
  /** Times of the last failures. */
  #failuresMs: readonly number[] = [];
  /** Bytes written since the last call of `#onGrown`, and after how many it is called again. */
  #grownBytes = 0;
  #growthBytes = Number.POSITIVE_INFINITY;
  #onGrown: () => void = () => undefined;
  readonly #onFlushed = new Set<() => void>();
  /** Completed flushes that await confirmation, with the end of the first log. */
  readonly #unconfirmed: { readonly flush: number; readonly sn: number }[] = [];
  #confirmedSn = unlimited;
  readonly #pendingResponses: PendingResponses;

  constructor(
    clock: CommitClock,
    channels: readonly LogChannel[],
    reserve: SpaceReserve,
    freeBytes: () => number,
    events: LogWriterEvents,
    wait: (ms: number) => Promise<unknown> = delay,
  ) {
    this.#clock = clock;
    this.#pendingResponses = new PendingResponses(clock);
    this.#channels = channels;
    this.#reserve = reserve;
    this.#freeBytes = freeBytes;
    this.#on = events;
    this.#wait = wait;
    // The former log thread died, and with it transactions that it had removed from the rings.
    this.#hasGivenUp = clock.hasFailed;
    this.#publishDurable();
  }

  /** Calls a listener each time that another `bytes` have been written. */
  onGrown(bytes: number, listener: () => void): void {
    this.#growthBytes = bytes;
    this.#onGrown = listener;
  }

  /** Calls a listener after each flush, until the returned function is called. */
  onFlushed(listener: () => void): () => void {
    this.#onFlushed.add(listener);
    return () => void this.#onFlushed.delete(listener);
  }

  /**
   * Sets how far flushes may be confirmed: up to the transaction of the first log that `sn`
   * returns. With null, flushes are confirmed at once, and requests that wait for an unconfirmed
   * flush fail.
   */
  confirmUpTo(sn: (() => number) | null): void {
    this.#confirmedSn = sn ?? unlimited;
    if (sn !== null) return;
    this.#unconfirmed.length = 0;
    this.#clock.abandon();
  }

  /** Confirms the flushes that other instances have acknowledged. */
  confirm(): void {
    const sn = this.#confirmedSn();
    const end = this.#unconfirmed.findIndex((flush) => flush.sn > sn);
    const confirmed = this.#unconfirmed.splice(0, end < 0 ? this.#unconfirmed.length : end);
    if (confirmed.length > 0) this.#clock.confirm(confirmed.at(-1)!.flush);
  }

  start(): void {
    this.#running ??= this.#run();
    this.measureSpace();
    this.#measuring = setInterval(() => this.measureSpace(), MEASURE_MS).unref();
  }

  /** Returns whether the disk has little space left. */
  measureSpace(): boolean {
    const free = this.#freeBytes();
    const isLow = free < LOW_BYTES;
    if (isLow && !this.#clock.isLow) this.#on.low(free);
    this.#clock.isLow = isLow;
    return isLow;
  }

  /** Flushes all committed transactions. No changes may follow. */
  async stop(): Promise<void> {
    clearInterval(this.#measuring);
    this.#isStopping = true;
    this.#clock.wake();
    await this.#running;
  }

  /**
   * Writes and flushes everything synchronously.
   * @throws SvcError SVC2505 if the disk is full, any other error if the log has failed
   */
  flushNow(): void {
    if (this.#clock.hasFailed) return;
    this.#guarded(() => {
      // Flush first, so that at most one frame per log is ever unflushed.
      do for (const { log } of this.#channels) log.flushNow();
      while (this.#write());
    });
    this.#publishDurable();
    for (const call of this.#onFlushed) call();
  }

  async #run(): Promise<void> {
    const hasWork = (): boolean =>
      this.#isStopping || this.#waitingBytes() > 0 || this.#clock.isRequested;
    while (!this.#hasGivenUp) {
      if (this.#clock.refusesChanges) {
        if (!(await this.#retry()) && this.#isStopping) return;
        if (this.#clock.refusesChanges) await this.#wait(RETRY_MS);
        continue;
      }
      if (this.#waitingBytes() === 0 && !this.#clock.isRequested) {
        if (this.#isStopping) return;
        await this.#clock.sleep(hasWork);
      }
      if (!this.#isStopping && this.#waitingBytes() < BATCH_BYTES) {
        const leftMs = this.#wroteAtMs + WRITE_INTERVAL_MS - performance.now();
        if (leftMs > 0) await this.#clock.pause(leftMs);
      }
      await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    const flush = this.#clock.start();
    try {
      await this.#pendingResponses.wait(this.#clock.lastTicket);
      const last = this.#pendingResponses.lastCompleteTicket();
      // Each frame is flushed before the next one, so that only the last one can be torn.
      while (this.#write(last)) {
        await this.#timedFlush();
        if (!this.#channels.some(({ hasMore }) => hasMore)) break;
      }
      this.#flushed(flush);
      this.#refillReserve();
    } catch (error) {
      this.#handle(error as Error);
    }
  }

  /** Retries rarely: each attempt on a nearly full disk fills it for a moment. */
  #refillReserve(): void {
    if (this.#hasReserve || this.#unreservedBytes < BYTES_PER_ATTEMPT) return;
    this.#unreservedBytes = 0;
    this.#hasReserve = this.#reserve.create();
  }

  #publishDurable(): void {
    for (const [index, { log }] of this.#channels.entries()) {
      this.#clock.setDurableSn(index, log.durableSn);
    }
  }

  #flushed(flush: number): void {
    this.#publishDurable();
    this.#clock.finish(flush);
    const sn = this.#channels[0]!.log.durableSn;
    if (this.#unconfirmed.at(-1)?.sn === sn) this.#unconfirmed.pop();
    this.#unconfirmed.push({ flush, sn });
    this.confirm();
    for (const call of this.#onFlushed) call();
  }

  /** Tries to write the waiting transactions; returns whether the log is good again. */
  async #retry(): Promise<boolean> {
    const { hasFailed } = this.#clock;
    const flush = this.#clock.start();
    try {
      const checks = this.#channels.filter(({ log }) => log.hasFailed).map(reopen);
      // Flush first: a log that did not fail may have an unflushed frame.
      do await Promise.all(this.#channels.map(({ log }) => log.flush()));
      while (this.#write());
      for (const check of checks) check();
      this.#flushed(flush);
    } catch (error) {
      if (!hasFailed && !isOutOfSpace(error)) this.#fail(error as Error);
      return false;
    }
    this.#hasReserve = this.#reserve.create();
    if (!this.#hasReserve) {
      this.#clock.fill();
      return false;
    }
    this.#clock.recover();
    const text = hasFailed ? "log: continues in a new segment" : "log: disk has space again";
    this.#on.onRecovery(`${text}, graphs accept changes`);
    return true;
  }

  async #timedFlush(): Promise<void> {
    const startedAtMs = performance.now();
    await Promise.all(this.#channels.map(({ log }) => log.flush()));
    this.flushes.add(performance.now() - startedAtMs);
  }

  /**
   * Writes at most one frame per log.
   * @param last ticket up to which transactions are written (default: all)
   * @returns false if there was nothing to write
   */
  #write(last?: number): boolean {
    let isWritten = false;
    this.#wroteAtMs = performance.now();
    for (const channel of this.#channels) {
      const bytes = channel.write(this.#clock, last);
      channel.release();
      if (bytes > 0) isWritten = true;
      this.#grownBytes += bytes;
      this.#unreservedBytes += bytes;
    }
    if (this.#grownBytes >= this.#growthBytes) {
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
      this.#handle(error as Error);
      throw isOutOfSpace(error) ? fullError(error as Error) : error;
    }
  }

  #handle(error: Error): void {
    if (!isOutOfSpace(error)) return this.#fail(error);
    // `#run` then writes the committed transactions into the freed space.
    this.#reserve.release();
    this.#hasReserve = false;
    if (this.#clock.isFull) return;
    this.#clock.fill();
    this.#on.onFailure(fullError(error));
  }

  #fail(error: Error): void {
    const now = performance.now();
    this.#failuresMs = [...this.#failuresMs, now].filter((at) => now - at < FAILURES_MS);
    this.#hasGivenUp = this.#failuresMs.length >= MAX_FAILURES;
    this.#clock.fail();
    const until = this.#hasGivenUp ? " until the restart" : "";
    const text = `transaction log failed, all graphs are read-only${until}: ${error.message}`;
    this.#on.onFailure(new SvcError("SVC2501", text, { cause: error }));
  }
}

/** Starts a new segment; returns a function that verifies all frames written to it since. */
function reopen(channel: LogChannel): () => void {
  channel.reopen();
  const from = channel.log.last + 1;
  return () => channel.log.readBack(from);
}

function fullError(cause: Error): SvcError {
  const text = `disk of the transaction log is full, all graphs are read-only: ${cause.message}`;
  return new SvcError("SVC2505", text, { cause });
}
