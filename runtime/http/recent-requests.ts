// Completed plugin requests of the main port: the latest, the slowest of the last 15 minutes, and
// the latest failed ones. Records are reused, so that a request allocates nothing.

import { nowMs } from "../base/clock.js";
import type { CountedPlugin } from "../metrics/plugin-counters.js";
import type { Exchange, RequestExplanation } from "./transport.js";

const RECENT = 1000;
const SLOW = 64;
const FAILED = 64;
const SLOW_FOR_MS = 900_000;
const FIRST_ERROR = 400;
/** Longer targets are recorded without their query. */
const MAX_TARGET = 512;

export class RequestRecord {
  /** Counted from 1; 0: empty. */
  number = 0;
  /** Arrival, milliseconds since 1970. */
  atMs = 0;
  ms = 0;
  status = 0;
  bytes = 0;
  method = "";
  plugin = "";
  target = "";
  contentBytes = 0;
  /** Microseconds in the queue and in an executor; -1 if no executor ran it. */
  queueUs = -1;
  runUs = -1;
  explanation: RequestExplanation | null = null;
  traceParent: string | null = null;

  copyFrom(other: RequestRecord): void {
    Object.assign(this, other);
  }
}

export type RequestState = "recent" | "slow" | "failed";

const createRing = (length: number): readonly RequestRecord[] =>
  Array.from({ length }, () => new RequestRecord());

export class RecentRequests {
  #number = 0;
  readonly #recent = createRing(RECENT);
  readonly #slow = createRing(SLOW);
  readonly #failed = createRing(FAILED);
  #failures = 0;
  /** The slow record to replace next, and the duration that a request must exceed. */
  #next = 0;
  #thresholdMs = 0;
  #oldestSlowMs = 0;

  /**
   * Records a completed request if it called a plugin on the main port.
   * @param bytes of the response's content
   * @param ms until the response
   */
  add(exchange: Exchange, port: 0 | 1, status: number, bytes: number, ms: number): void {
    const { countedPlugin } = exchange;
    // Late warm-up results arrive after the warm-up was forgotten.
    if (port !== 0 || countedPlugin === null || (exchange.isWarmUp && exchange.aborted)) return;
    const number = ++this.#number;
    const record = this.#recent[number % RECENT]!;
    fill(record, exchange, countedPlugin, status, bytes);
    record.ms = ms;
    record.number = number;
    if (status >= FIRST_ERROR) this.#failed[this.#failures++ % FAILED]!.copyFrom(record);
    const isDue = record.atMs - this.#oldestSlowMs > SLOW_FOR_MS;
    if (record.ms > this.#thresholdMs || isDue) this.#addSlow(record);
  }

  /** Forgets all records, such as those of the warm-up. */
  forget(): void {
    for (const ring of [this.#recent, this.#slow, this.#failed]) {
      for (const record of ring) if (record.number > 0) record.copyFrom(new RequestRecord());
    }
    this.#number = 0;
    this.#failures = 0;
    this.#next = 0;
    this.#thresholdMs = 0;
    this.#oldestSlowMs = 0;
  }

  #addSlow(record: RequestRecord): void {
    this.#slow[this.#next]!.copyFrom(record);
    const limit = record.atMs - SLOW_FOR_MS;
    let oldest = record.atMs;
    let next = 0;
    this.#thresholdMs = Number.POSITIVE_INFINITY;
    for (let index = 0; index < SLOW; index++) {
      const { number, atMs, ms } = this.#slow[index]!;
      const isFree = number === 0 || atMs < limit;
      const effectiveMs = isFree ? 0 : ms;
      if (!isFree) oldest = Math.min(oldest, atMs);
      if (effectiveMs >= this.#thresholdMs) continue;
      this.#thresholdMs = effectiveMs;
      next = index;
    }
    this.#next = next;
    this.#oldestSlowMs = oldest;
  }

  /**
   * Returns records with numbers above `after`: the newest first, or the slowest first.
   * @param maxRecords maximum number of records
   */
  read(state: RequestState, after: number, maxRecords: number): readonly RequestRecord[] {
    const rings = { recent: this.#recent, slow: this.#slow, failed: this.#failed };
    const limit = nowMs() - SLOW_FOR_MS;
    const records = rings[state].filter(
      ({ number, atMs }) => number > after && (state !== "slow" || atMs >= limit),
    );
    const order = state === "slow" ? "ms" : "number";
    return records.sort((a, b) => b[order] - a[order]).slice(0, maxRecords);
  }

  /** Counts the records of each state. */
  counts(): Readonly<Record<RequestState, number>> {
    return {
      recent: Math.min(this.#number, RECENT),
      slow: this.read("slow", 0, SLOW).length,
      failed: Math.min(this.#failures, FAILED),
    };
  }

  /** The `after` of the next call. */
  get next(): number {
    return this.#number;
  }
}

function fill(
  record: RequestRecord,
  exchange: Exchange,
  countedPlugin: CountedPlugin,
  status: number,
  bytes: number,
): void {
  const { t0Ms, target, explanation, trace } = exchange;
  record.atMs = t0Ms;
  record.status = status;
  record.bytes = bytes;
  record.method = exchange.method;
  record.plugin = typeof countedPlugin === "string" ? countedPlugin : countedPlugin.name;
  record.target = target.length <= MAX_TARGET ? target : target.split("?", 1)[0]!;
  record.contentBytes = exchange.body?.length ?? 0;
  record.queueUs = exchange.queueUs;
  record.runUs = exchange.runUs;
  record.explanation = explanation;
  record.traceParent = trace === null ? null : trace.parentText();
  explanation?.end();
}
