// Metrics of the HTTP service in shared memory, readable without waiting. Counters have a single
// writer, the IO thread, so plain stores suffice. A reset by another thread must not store zeros,
// which could lose updates; it stores a baseline that readers subtract. Requests are counted for
// the main port only, slots and ports for both.

import { nowMs } from "../base/clock.js";
import { MAIN_SLOTS } from "../base/limits.js";
import { BUCKETS, bucketIndex, type Latency, latencyRecord } from "./latency-histogram.js";
import {
  CODES_AT,
  COUNTERS,
  Counter,
  FIRST_CODE,
  HISTOGRAM_AT,
  LAST_CODE,
  Mark,
  METRICS_BYTES,
  metricsViews,
  Port,
  Recent,
  SHARES_AT,
  SLOTS,
  Slot,
  Word,
} from "./metrics-layout.js";

const ERROR_RATE_WEIGHT = 0.1;
/** Recent latencies are 0 after this time without a response. */
const MAX_LATENCY_AGE_S = 60;

/** Counts since the start or the last reset, main port only. */
export interface Totals {
  readonly requests: number;
  readonly pluginRequests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Error responses of the engine: plugins, services, files. */
  readonly serviceErrors: number;
  /** All error responses, including those of the HTTP parser and its limits. */
  readonly httpErrors: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
}

/** The shared metrics; pass the buffer of another thread's instance to share it. */
export class Metrics {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #counters: Float64Array;
  readonly #baseline: Float64Array;
  readonly #recent: Float64Array;
  readonly #slots: Float64Array;
  readonly #ports: Float64Array;
  readonly #marks: Float64Array;
  /**
   * Seconds since a response was sampled; only used by the thread that ticks. An array, because a
   * field that becomes a fraction would change the layout of this object, and V8 would recompile
   * all code that counts.
   */
  readonly #sinceLatency = new Float64Array(1);
  /** Counters at the last tick; only used by the thread that ticks. */
  readonly #previous = new Float64Array(COUNTERS);

  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? new SharedArrayBuffer(METRICS_BYTES);
    const views = metricsViews(this.buffer);
    this.#words = views.words;
    this.#counters = views.counters;
    this.#baseline = views.baseline;
    this.#recent = views.recent;
    this.#slots = views.slots;
    this.#ports = views.ports;
    this.#marks = views.marks;
    // A restarted IO thread continues with the counters of the former one.
    this.#previous.set(this.#counters);
    if (buffer !== undefined) return;
    this.#marks[Mark.ResetMs] = nowMs();
    this.#marks[Mark.TickMs] = this.#marks[Mark.ResetMs]!;
  }

  // --- IO thread, per request: no allocation -----------------------------------------------------

  /** Counts a request that the engine answered on the main port; not those of monitors. */
  countResponse(status: number, latencyMs: number, isPlugin: boolean): void {
    const counters = this.#counters;
    counters[Counter.Requests]!++;
    if (isPlugin) counters[Counter.PluginRequests]!++;
    counters[Counter.LatencySumMs]! += latencyMs;
    counters[HISTOGRAM_AT + bucketIndex(latencyMs)]!++;
    if (status < FIRST_CODE) return;
    counters[Counter.ServiceErrors]!++;
    this.#countError(status);
  }

  /** Counts a request that the transport of the main port rejected. */
  countRejection(status: number): void {
    this.#counters[Counter.Requests]!++;
    this.#countError(status);
  }

  #countError(status: number): void {
    this.#counters[Counter.HttpErrors]!++;
    const isKnown = status >= FIRST_CODE && status <= LAST_CODE;
    if (isKnown) this.#counters[CODES_AT + status - FIRST_CODE]!++;
  }

  /** Counts the bytes of a request and its response on the main port. */
  countBytes(bytesIn: number, bytesOut: number): void {
    this.#counters[Counter.BytesIn]! += bytesIn;
    this.#counters[Counter.BytesOut]! += bytesOut;
  }

  /** Counts a connection of the main port, opened (1) or closed (-1). */
  countConnection(delta: 1 | -1): void {
    this.#words[Word.Connected]! += delta;
    if (delta === 1) this.#marks[Mark.Clients]!++;
  }

  /** Counts a request assigned to a slot (0-31 main port, 32-39 admin port). */
  countDispatch(slot: number): void {
    this.#ports[portOf(slot) * Port.Stride + Port.Dispatched]!++;
  }

  /** Counts a released slot, whatever the outcome of its request. */
  countCompletion(slot: number): void {
    this.#ports[portOf(slot) * Port.Stride + Port.Completed]!++;
  }

  /** Counts a request completed in a slot, claimed at `startedMs`. */
  countJob(slot: number, startedMs: number, endedMs: number): void {
    const at = slot * Slot.Stride;
    this.#slots[at + Slot.Jobs]!++;
    this.#slots[at + Slot.BusyMs]! += this.#sinceTick(startedMs, endedMs);
  }

  // --- IO thread, once a second ------------------------------------------------------------------

  /**
   * Samples rates, recent latencies and utilization.
   * @param atMs milliseconds since 1970
   * @param startedMs returns when the running request of a slot was claimed, 0 for none
   */
  tick(atMs: number, startedMs: (slot: number) => number): void {
    this.#applyReset();
    const elapsedMs = atMs - this.#marks[Mark.TickMs]!;
    if (elapsedMs <= 0) return;
    this.#sampleRates(elapsedMs / 1000);
    this.#sampleLatency(elapsedMs / 1000);
    for (let slot = 0; slot < SLOTS; slot++) {
      const at = slot * Slot.Stride;
      const started = startedMs(slot);
      const runningMs = started > 0 ? this.#sinceTick(started, atMs) : 0;
      const busy = (this.#slots[at + Slot.BusyMs]! + runningMs) / elapsedMs;
      this.#slots[at + Slot.BusyMs] = 0;
      this.#slots[at + Slot.BusyPercent] = Math.min(100, 100 * busy);
    }
    this.#previous.set(this.#counters);
    this.#marks[Mark.TickMs] = atMs;
  }

  /** Sets the utilization of the IO thread since the last tick. */
  ioBusy(percent: number): void {
    Atomics.store(this.#words, Word.IoBusyPercent, Math.round(percent));
  }

  #applyReset(): void {
    const resets = Atomics.load(this.#words, Word.ResetsAsked);
    if (resets === Atomics.load(this.#words, Word.ResetsSeen)) return;
    this.#recent.fill(0);
    this.#previous.set(this.#baseline);
    this.#marks[Mark.TickMs] = Math.max(this.#marks[Mark.TickMs]!, this.#marks[Mark.ResetMs]!);
    Atomics.store(this.#words, Word.ResetsSeen, resets);
  }

  #sampleRates(seconds: number): void {
    const recent = this.#recent;
    const rate = this.#fresh(Counter.Requests) / seconds;
    const weight = smoothing(recent[Recent.RequestRate]!, rate);
    recent[Recent.RequestRate]! += weight * (rate - recent[Recent.RequestRate]!);
    const errors = this.#fresh(Counter.HttpErrors) / seconds;
    recent[Recent.ErrorRate]! += ERROR_RATE_WEIGHT * (errors - recent[Recent.ErrorRate]!);
  }

  #sampleLatency(seconds: number): void {
    this.#sinceLatency[0]! += seconds;
    let responses = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      responses += this.#fresh(HISTOGRAM_AT + bucket);
    }
    const recent = this.#recent;
    // A second without responses has no sample; after a minute, the last one is obsolete.
    if (responses === 0) {
      if (this.#sinceLatency[0]! >= MAX_LATENCY_AGE_S) recent.fill(0, Recent.LatencyMeanMs);
      return;
    }
    const former = recent[Recent.LatencyMeanMs]!;
    const mean = this.#fresh(Counter.LatencySumMs) / responses;
    const step = smoothing(former, mean);
    // Applies the smoothing once per second that has passed.
    const weight = former === 0 ? 1 : 1 - (1 - step) ** Math.max(1, this.#sinceLatency[0]!);
    this.#sinceLatency[0] = 0;
    recent[Recent.LatencyMeanMs]! += weight * (mean - former);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const share = this.#fresh(HISTOGRAM_AT + bucket) / responses;
      const at = SHARES_AT + bucket;
      recent[at]! += weight * (share - recent[at]!);
    }
  }

  #fresh(counter: number): number {
    return this.#counters[counter]! - this.#previous[counter]!;
  }

  #sinceTick(startedMs: number, untilMs: number): number {
    return Math.max(0, untilMs - Math.max(startedMs, this.#marks[Mark.TickMs]!));
  }

  // --- Any thread --------------------------------------------------------------------------------

  /** Counts a replaced executor. */
  countExecutorRestart(): void {
    Atomics.add(this.#words, Word.ExecutorRestarts, 1);
  }

  /** Counts an uncaught exception of an executor outside any request. */
  countStrayException(): void {
    Atomics.add(this.#words, Word.StrayExceptions, 1);
  }

  /** Counts an `@inline` plugin moved to the executors because it is slow. */
  countInlineMove(): void {
    Atomics.add(this.#words, Word.InlineLeft, 1);
  }

  /** Counts a dropped log entry or plugin output. */
  countLostLogWrite(): void {
    Atomics.add(this.#words, Word.LostLogWrites, 1);
  }

  /** Resets rates, latencies, errors and bytes, but not connection and executor metrics. */
  reset(atMs = nowMs()): void {
    this.#baseline.set(this.#counters);
    this.#marks[Mark.ResetMs] = atMs;
    Atomics.add(this.#words, Word.ResetsAsked, 1);
  }

  /**
   * Clears all request counters, for warm-up calls. Only for the thread that counts, before
   * Service-IN.
   */
  forget(): void {
    for (const counted of [this.#counters, this.#baseline, this.#recent, this.#slots, this.#ports])
      counted.fill(0);
    this.#previous.fill(0);
    this.reset();
  }

  /** Returns the counts since the start, independent of resets, for time-series monitors. */
  totalsSinceStart(): Totals {
    return this.#totalsAbove(null);
  }

  get connectedClients(): number {
    return Math.max(0, this.#words[Word.Connected]!);
  }

  /** Connections of the main port since the start. */
  get totalClients(): number {
    return this.#marks[Mark.Clients]!;
  }

  get executorRestarts(): number {
    return Atomics.load(this.#words, Word.ExecutorRestarts);
  }

  get strayExceptions(): number {
    return Atomics.load(this.#words, Word.StrayExceptions);
  }

  get leftInline(): number {
    return Atomics.load(this.#words, Word.InlineLeft);
  }

  /** Utilization in the last second. */
  get ioBusyPercent(): number {
    return Atomics.load(this.#words, Word.IoBusyPercent);
  }

  get lostLogWrites(): number {
    return Atomics.load(this.#words, Word.LostLogWrites);
  }

  totals(): Totals {
    return this.#totalsAbove(this.#baseline);
  }

  #totalsAbove(baseline: Float64Array | null): Totals {
    const total = (at: number): number => this.#above(baseline, at);
    const errorsByCode: Record<string, number> = {};
    for (let code = FIRST_CODE; code <= LAST_CODE; code++) {
      const count = total(CODES_AT + code - FIRST_CODE);
      if (count > 0) errorsByCode[code] = count;
    }
    return {
      requests: total(Counter.Requests),
      pluginRequests: total(Counter.PluginRequests),
      bytesIn: total(Counter.BytesIn),
      bytesOut: total(Counter.BytesOut),
      serviceErrors: total(Counter.ServiceErrors),
      httpErrors: total(Counter.HttpErrors),
      errorsByCode,
    };
  }

  /** Smoothed current requests per second on the main port. */
  requestRate(): number {
    return this.#smoothed(Recent.RequestRate);
  }

  /** Smoothed current error responses per second on the main port. */
  errorRate(): number {
    return this.#smoothed(Recent.ErrorRate);
  }

  /** Requests per second since the start or the last reset. */
  requestRateOfAll(atMs = nowMs()): number {
    // Rates over less than a second are meaningless.
    const seconds = Math.max(1, (atMs - this.#marks[Mark.ResetMs]!) / 1000);
    return this.#total(Counter.Requests) / seconds;
  }

  /** Latency of recent responses. */
  latency(percentiles: readonly number[]): Latency {
    const shares = new Float64Array(BUCKETS);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      shares[bucket] = this.#smoothed(SHARES_AT + bucket);
    }
    return latencyRecord(this.#smoothed(Recent.LatencyMeanMs), shares, percentiles);
  }

  /** Latency of all responses since the start or the last reset. */
  latencyOfAll(percentiles: readonly number[]): Latency {
    const counts = new Float64Array(BUCKETS);
    let responses = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      counts[bucket] = this.#total(HISTOGRAM_AT + bucket);
      responses += counts[bucket]!;
    }
    const mean = responses === 0 ? 0 : this.#total(Counter.LatencySumMs) / responses;
    return latencyRecord(mean, counts, percentiles);
  }

  /** Numbers of requests assigned to executors and of completed ones, per port. */
  dispatch(portOffset: 0 | 1): { readonly dispatched: number; readonly completed: number } {
    const at = portOffset * Port.Stride;
    return {
      dispatched: this.#ports[at + Port.Dispatched]!,
      completed: this.#ports[at + Port.Completed]!,
    };
  }

  /** Requests completed in a slot, and its utilization in the last second. */
  slot(slot: number): { readonly jobs: number; readonly busyPercent: number } {
    const at = slot * Slot.Stride;
    return {
      jobs: this.#slots[at + Slot.Jobs]!,
      busyPercent: this.#slots[at + Slot.BusyPercent]!,
    };
  }

  #total(counter: number): number {
    return this.#above(this.#baseline, counter);
  }

  #above(baseline: Float64Array | null, counter: number): number {
    return Math.max(0, this.#counters[counter]! - (baseline?.[counter] ?? 0));
  }

  #smoothed(at: number): number {
    const resets = Atomics.load(this.#words, Word.ResetsAsked);
    return resets === Atomics.load(this.#words, Word.ResetsSeen) ? this.#recent[at]! : 0;
  }
}

/** Returns the weight of a new sample, which is higher for larger changes. */
function smoothing(running: number, sample: number): number {
  const high = Math.max(running, sample);
  if (high <= 0) return 0.1;
  return Math.min(0.9, Math.max(0.1, 1 - Math.min(running, sample) / high));
}

function portOf(slot: number): 0 | 1 {
  return slot < MAIN_SLOTS ? 0 : 1;
}
