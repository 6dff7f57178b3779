// Figures of the HTTP service in memory that all threads share, so that reading them never waits
// for anyone. One SharedArrayBuffer, construct with it in every thread:
//
//   int32    0 connected   1 resets asked   2 resets seen   3 executor restarts   4 stray errors
//   float64  counters [COUNTERS]   only ever grow             written by the IO thread
//            baseline [COUNTERS]   counters at the last reset  written by whoever resets
//            recent   [RECENT]     smoothed, once a second     written by the IO thread
//            slots    [SLOTS * 3]  jobs, busy ms, busy %       written by the IO thread
//            ports    [2 * 2]      dispatched, completed       written by the IO thread
//            since    [2]          last reset, last tick; milliseconds since 1970
//
// Counters have one writer, hence plain stores. A reset cannot store zeros beside that writer
// without losing some, so it notes a baseline that readers subtract. Only the main port is counted
// here; slots and ports cover both.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../limits.js";
import { BUCKETS, bucketOf, percentileMs } from "./latency-histogram.js";

/** Status codes that are counted one by one. */
const FIRST_CODE = 400;
const LAST_CODE = 527;

enum Counter {
  Requests,
  PluginRequests,
  ServiceErrors,
  HttpErrors,
  BytesIn,
  BytesOut,
  LatencySumMs,
  Count,
}
/** After the counters above: one an error code, then one a latency bucket. */
const CODES_AT = Counter.Count;
const HISTOGRAM_AT = CODES_AT + LAST_CODE - FIRST_CODE + 1;
const COUNTERS = HISTOGRAM_AT + BUCKETS;

enum Recent {
  RequestRate,
  ErrorRate,
  LatencyMeanMs,
  Count,
}
/** After the values above: share of the answers per latency bucket. */
const SHARES_AT = Recent.Count;
const RECENT = SHARES_AT + BUCKETS;

enum Word {
  Connected,
  ResetsAsked,
  ResetsSeen,
  ExecutorRestarts,
  StrayExceptions,
  Count = 16,
}

enum Slot {
  Jobs,
  BusyMs,
  BusyPercent,
  Stride,
}
const SLOTS = MAIN_SLOTS + ADMIN_SLOTS;

enum Port {
  Dispatched,
  Completed,
  Stride,
}

enum Since {
  ResetMs,
  TickMs,
  Clients,
  Count,
}

const FLOATS = COUNTERS * 2 + RECENT + SLOTS * Slot.Stride + 2 * Port.Stride + Since.Count;
const ERROR_RATE_WEIGHT = 0.1;

/** Mean and percentiles in milliseconds; keys are `mean` and percentiles such as `95.0`. */
export type Latency = Readonly<Record<string, number>>;

/** What was counted since the start or the last reset, main port only. */
export interface Totals {
  readonly requests: number;
  readonly pluginRequests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Error answers of the engine: plugins, services, files. */
  readonly serviceErrors: number;
  /** All error answers, those of the HTTP parser and its limits included. */
  readonly httpErrors: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
}

/** The shared figures; construct with the buffer of another thread's view to share it. */
export class Metrics {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #counters: Float64Array;
  readonly #baseline: Float64Array;
  readonly #recent: Float64Array;
  readonly #slots: Float64Array;
  readonly #ports: Float64Array;
  readonly #since: Float64Array;
  /** Counters at the last tick; only the thread that ticks uses them. */
  readonly #previous = new Float64Array(COUNTERS);

  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? new SharedArrayBuffer(Word.Count * 4 + FLOATS * 8);
    this.#words = new Int32Array(this.buffer, 0, Word.Count);
    let at = Word.Count * 4;
    const floats = (length: number): Float64Array => {
      const view = new Float64Array(this.buffer, at, length);
      at += view.byteLength;
      return view;
    };
    this.#counters = floats(COUNTERS);
    this.#baseline = floats(COUNTERS);
    this.#recent = floats(RECENT);
    this.#slots = floats(SLOTS * Slot.Stride);
    this.#ports = floats(2 * Port.Stride);
    this.#since = floats(Since.Count);
    if (buffer === undefined) this.#since.fill(Date.now(), Since.ResetMs, Since.TickMs + 1);
  }

  // --- IO thread, per request: no allocation -----------------------------------------------------

  /** One request that the engine answered on the main port; not for `/svc/hc` and the like. */
  answered(status: number, latencyMs: number, isPlugin: boolean): void {
    const counters = this.#counters;
    counters[Counter.Requests]!++;
    if (isPlugin) counters[Counter.PluginRequests]!++;
    counters[Counter.LatencySumMs]! += latencyMs;
    counters[HISTOGRAM_AT + bucketOf(latencyMs)]!++;
    if (status < FIRST_CODE) return;
    counters[Counter.ServiceErrors]!++;
    this.#countError(status);
  }

  /** One request that the main port's transport answered by itself with an error. */
  refused(status: number): void {
    this.#counters[Counter.Requests]!++;
    this.#countError(status);
  }

  #countError(status: number): void {
    this.#counters[Counter.HttpErrors]!++;
    const known = status >= FIRST_CODE && status <= LAST_CODE;
    if (known) this.#counters[CODES_AT + status - FIRST_CODE]!++;
  }

  /** Bytes of one request and its answer on the main port. */
  bytes(bytesIn: number, bytesOut: number): void {
    this.#counters[Counter.BytesIn]! += bytesIn;
    this.#counters[Counter.BytesOut]! += bytesOut;
  }

  /** A connection of the main port that was opened (1) or closed (-1). */
  connected(delta: 1 | -1): void {
    this.#words[Word.Connected]! += delta;
    if (delta === 1) this.#since[Since.Clients]!++;
  }

  /** A request was given to the executor that owns this slot (0-31 main port, 32-39 admin port). */
  dispatched(slot: number): void {
    this.#ports[portOf(slot) * Port.Stride + Port.Dispatched]!++;
  }

  /** The slot is free again, whatever became of its request. */
  completed(slot: number): void {
    this.#ports[portOf(slot) * Port.Stride + Port.Completed]!++;
  }

  /** The executor has finished the request of a slot that it had begun at `startedMs`. */
  jobDone(slot: number, startedMs: number, nowMs: number): void {
    const at = slot * Slot.Stride;
    this.#slots[at + Slot.Jobs]!++;
    this.#slots[at + Slot.BusyMs]! += this.#sinceTick(startedMs, nowMs);
  }

  // --- IO thread, once a second ------------------------------------------------------------------

  /**
   * Takes the samples that rates, recent latencies and loads are made of.
   * @param nowMs milliseconds since 1970
   * @param startedMs when the job that runs in a slot now was begun, 0 when none does
   */
  tick(nowMs: number, startedMs: (slot: number) => number): void {
    this.#honourReset();
    const elapsedMs = nowMs - this.#since[Since.TickMs]!;
    if (elapsedMs <= 0) return;
    this.#sampleRates(elapsedMs / 1000);
    this.#sampleLatency();
    for (let slot = 0; slot < SLOTS; slot++) {
      const at = slot * Slot.Stride;
      const started = startedMs(slot);
      const runningMs = started > 0 ? this.#sinceTick(started, nowMs) : 0;
      const busy = (this.#slots[at + Slot.BusyMs]! + runningMs) / elapsedMs;
      this.#slots[at + Slot.BusyMs] = 0;
      this.#slots[at + Slot.BusyPercent] = Math.min(100, 100 * busy);
    }
    this.#previous.set(this.#counters);
    this.#since[Since.TickMs] = nowMs;
  }

  #honourReset(): void {
    const asked = Atomics.load(this.#words, Word.ResetsAsked);
    if (asked === Atomics.load(this.#words, Word.ResetsSeen)) return;
    this.#recent.fill(0);
    this.#previous.set(this.#baseline);
    this.#since[Since.TickMs] = Math.max(this.#since[Since.TickMs]!, this.#since[Since.ResetMs]!);
    Atomics.store(this.#words, Word.ResetsSeen, asked);
  }

  #sampleRates(seconds: number): void {
    const recent = this.#recent;
    const rate = this.#fresh(Counter.Requests) / seconds;
    const weight = smoothing(recent[Recent.RequestRate]!, rate);
    recent[Recent.RequestRate]! += weight * (rate - recent[Recent.RequestRate]!);
    const errors = this.#fresh(Counter.HttpErrors) / seconds;
    recent[Recent.ErrorRate]! += ERROR_RATE_WEIGHT * (errors - recent[Recent.ErrorRate]!);
  }

  #sampleLatency(): void {
    let answers = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      answers += this.#fresh(HISTOGRAM_AT + bucket);
    }
    // A second without answers tells nothing about latency.
    if (answers === 0) return;
    const recent = this.#recent;
    const former = recent[Recent.LatencyMeanMs]!;
    const mean = this.#fresh(Counter.LatencySumMs) / answers;
    const weight = former === 0 ? 1 : smoothing(former, mean);
    recent[Recent.LatencyMeanMs]! += weight * (mean - former);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const share = this.#fresh(HISTOGRAM_AT + bucket) / answers;
      const at = SHARES_AT + bucket;
      recent[at]! += weight * (share - recent[at]!);
    }
  }

  #fresh(counter: number): number {
    return this.#counters[counter]! - this.#previous[counter]!;
  }

  #sinceTick(startedMs: number, nowMs: number): number {
    return Math.max(0, nowMs - Math.max(startedMs, this.#since[Since.TickMs]!));
  }

  // --- Any thread --------------------------------------------------------------------------------

  /** An executor was replaced. */
  executorRestarted(): void {
    Atomics.add(this.#words, Word.ExecutorRestarts, 1);
  }

  /** An error outside any request reached an executor's top level. */
  strayException(): void {
    Atomics.add(this.#words, Word.StrayExceptions, 1);
  }

  /** Sets rates, latencies, errors and bytes to zero; connection and executor figures stay. */
  reset(nowMs = Date.now()): void {
    this.#baseline.set(this.#counters);
    this.#since[Since.ResetMs] = nowMs;
    Atomics.add(this.#words, Word.ResetsAsked, 1);
  }

  get connectedClients(): number {
    return Math.max(0, this.#words[Word.Connected]!);
  }

  /** Connections of the main port since the start. */
  get totalClients(): number {
    return this.#since[Since.Clients]!;
  }

  get executorRestarts(): number {
    return Atomics.load(this.#words, Word.ExecutorRestarts);
  }

  get strayExceptions(): number {
    return Atomics.load(this.#words, Word.StrayExceptions);
  }

  totals(): Totals {
    const errorsByCode: Record<string, number> = {};
    for (let code = FIRST_CODE; code <= LAST_CODE; code++) {
      const count = this.#total(CODES_AT + code - FIRST_CODE);
      if (count > 0) errorsByCode[code] = count;
    }
    return {
      requests: this.#total(Counter.Requests),
      pluginRequests: this.#total(Counter.PluginRequests),
      bytesIn: this.#total(Counter.BytesIn),
      bytesOut: this.#total(Counter.BytesOut),
      serviceErrors: this.#total(Counter.ServiceErrors),
      httpErrors: this.#total(Counter.HttpErrors),
      errorsByCode,
    };
  }

  /** Requests per second on the main port now, smoothed. */
  requestRate(): number {
    return this.#smoothed(Recent.RequestRate);
  }

  /** Error answers per second on the main port now, smoothed. */
  errorRate(): number {
    return this.#smoothed(Recent.ErrorRate);
  }

  /** Requests per second since the start or the last reset. */
  requestRateOfAll(nowMs = Date.now()): number {
    // Over less than a second, a rate would be guesswork.
    const seconds = Math.max(1, (nowMs - this.#since[Since.ResetMs]!) / 1000);
    return this.#total(Counter.Requests) / seconds;
  }

  /** Latency of recent answers. */
  latency(percentiles: readonly number[]): Latency {
    const shares = new Float64Array(BUCKETS);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      shares[bucket] = this.#smoothed(SHARES_AT + bucket);
    }
    return latencyRecord(this.#smoothed(Recent.LatencyMeanMs), shares, percentiles);
  }

  /** Latency of all answers since the start or the last reset. */
  latencyOfAll(percentiles: readonly number[]): Latency {
    const counts = new Float64Array(BUCKETS);
    let answers = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      counts[bucket] = this.#total(HISTOGRAM_AT + bucket);
      answers += counts[bucket]!;
    }
    const mean = answers === 0 ? 0 : this.#total(Counter.LatencySumMs) / answers;
    return latencyRecord(mean, counts, percentiles);
  }

  /** Requests given to executors, and those of them that are over, per port. */
  dispatch(portOffset: 0 | 1): { readonly dispatched: number; readonly completed: number } {
    const at = portOffset * Port.Stride;
    return {
      dispatched: this.#ports[at + Port.Dispatched]!,
      completed: this.#ports[at + Port.Completed]!,
    };
  }

  /** Requests finished in a slot, and its load in the last second. */
  slot(slot: number): { readonly jobs: number; readonly busyPercent: number } {
    const at = slot * Slot.Stride;
    return {
      jobs: this.#slots[at + Slot.Jobs]!,
      busyPercent: this.#slots[at + Slot.BusyPercent]!,
    };
  }

  #total(counter: number): number {
    return Math.max(0, this.#counters[counter]! - this.#baseline[counter]!);
  }

  #smoothed(at: number): number {
    const asked = Atomics.load(this.#words, Word.ResetsAsked);
    return asked === Atomics.load(this.#words, Word.ResetsSeen) ? this.#recent[at]! : 0;
  }
}

/** Weight of a new sample: the larger the jump, the quicker it is followed. */
function smoothing(running: number, sample: number): number {
  const high = Math.max(running, sample);
  if (high <= 0) return 0.1;
  return Math.min(0.9, Math.max(0.1, 1 - Math.min(running, sample) / high));
}

function latencyRecord(mean: number, weights: Float64Array, percentiles: readonly number[]) {
  const record: Record<string, number> = { mean: round(mean) };
  for (const percentile of percentiles) {
    record[percentileKey(percentile)] = round(percentileMs(weights, percentile));
  }
  return record;
}

/** `95.0`, `99.9`; more decimals only where they were asked for, so that no two keys are equal. */
function percentileKey(percentile: number): string {
  return Number.isInteger(percentile) ? percentile.toFixed(1) : String(percentile);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function portOf(slot: number): 0 | 1 {
  return slot < MAIN_SLOTS ? 0 : 1;
}
