// Figures of the HTTP service in memory that all threads share, so that reading them never waits
// for anyone. Counters have one writer, the IO thread, hence plain stores. A reset cannot store
// zeros beside that writer without losing some, so it notes a baseline that readers subtract.
// Only the main port is counted; slots and ports cover both.

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
  readonly #marks: Float64Array;
  /** Counters at the last tick; only the thread that ticks uses them. */
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
    // A restarted IO thread goes on from where the former one stopped.
    this.#previous.set(this.#counters);
    if (buffer !== undefined) return;
    this.#marks[Mark.ResetMs] = nowMs();
    this.#marks[Mark.TickMs] = this.#marks[Mark.ResetMs]!;
  }

  // --- IO thread, per request: no allocation -----------------------------------------------------

  /** One request that the engine answered on the main port; not for `/svc/hc` and the like. */
  answered(status: number, latencyMs: number, isPlugin: boolean): void {
    const counters = this.#counters;
    counters[Counter.Requests]!++;
    if (isPlugin) counters[Counter.PluginRequests]!++;
    counters[Counter.LatencySumMs]! += latencyMs;
    counters[HISTOGRAM_AT + bucketIndex(latencyMs)]!++;
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
    if (delta === 1) this.#marks[Mark.Clients]!++;
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
  jobDone(slot: number, startedMs: number, endedMs: number): void {
    const at = slot * Slot.Stride;
    this.#slots[at + Slot.Jobs]!++;
    this.#slots[at + Slot.BusyMs]! += this.#sinceTick(startedMs, endedMs);
  }

  // --- IO thread, once a second ------------------------------------------------------------------

  /**
   * Takes the samples that rates, recent latencies and loads are made of.
   * @param atMs milliseconds since 1970
   * @param startedMs when the job that runs in a slot now was begun, 0 when none does
   */
  tick(atMs: number, startedMs: (slot: number) => number): void {
    this.#honourReset();
    const elapsedMs = atMs - this.#marks[Mark.TickMs]!;
    if (elapsedMs <= 0) return;
    this.#sampleRates(elapsedMs / 1000);
    this.#sampleLatency();
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

  /** Share of the time since the last tick that the IO thread did something. */
  ioBusy(percent: number): void {
    Atomics.store(this.#words, Word.IoBusyPercent, Math.round(percent));
  }

  #honourReset(): void {
    const asked = Atomics.load(this.#words, Word.ResetsAsked);
    if (asked === Atomics.load(this.#words, Word.ResetsSeen)) return;
    this.#recent.fill(0);
    this.#previous.set(this.#baseline);
    this.#marks[Mark.TickMs] = Math.max(this.#marks[Mark.TickMs]!, this.#marks[Mark.ResetMs]!);
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

  #sinceTick(startedMs: number, untilMs: number): number {
    return Math.max(0, untilMs - Math.max(startedMs, this.#marks[Mark.TickMs]!));
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

  /** A plugin that said `@inline` turned out to be slow. */
  inlineLeft(): void {
    Atomics.add(this.#words, Word.InlineLeft, 1);
  }

  /** An entry of the log, or output of a plugin, that nobody can read. */
  logWriteLost(): void {
    Atomics.add(this.#words, Word.LostLogWrites, 1);
  }

  /** Sets rates, latencies, errors and bytes to zero; connection and executor figures stay. */
  reset(atMs = nowMs()): void {
    this.#baseline.set(this.#counters);
    this.#marks[Mark.ResetMs] = atMs;
    Atomics.add(this.#words, Word.ResetsAsked, 1);
  }

  /**
   * Forgets all that was counted of requests, as if none had come. Only for the thread that counts,
   * while nobody else is served.
   */
  forget(): void {
    for (const counted of [this.#counters, this.#baseline, this.#recent, this.#slots, this.#ports])
      counted.fill(0);
    this.#previous.fill(0);
    this.reset();
  }

  /** What was counted since the start, whatever was reset meanwhile: for monitors of their own. */
  everCounted(): Totals {
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

  /** Of the last second. */
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

  /** Requests per second on the main port now, smoothed. */
  requestRate(): number {
    return this.#smoothed(Recent.RequestRate);
  }

  /** Error answers per second on the main port now, smoothed. */
  errorRate(): number {
    return this.#smoothed(Recent.ErrorRate);
  }

  /** Requests per second since the start or the last reset. */
  requestRateOfAll(atMs = nowMs()): number {
    // Over less than a second, a rate would be guesswork.
    const seconds = Math.max(1, (atMs - this.#marks[Mark.ResetMs]!) / 1000);
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
    return this.#above(this.#baseline, counter);
  }

  #above(baseline: Float64Array | null, counter: number): number {
    return Math.max(0, this.#counters[counter]! - (baseline?.[counter] ?? 0));
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

function portOf(slot: number): 0 | 1 {
  return slot < MAIN_SLOTS ? 0 : 1;
}
