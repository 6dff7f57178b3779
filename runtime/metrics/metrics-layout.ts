// Layout of the SharedArrayBuffer of the metrics:
//
//   int32    words    [16]            see Word
//   float64  counters [COUNTERS]      only ever grow              written by the IO thread
//            baseline [COUNTERS]      counters at the last reset  written by the resetting thread
//            recent   [RECENT]        smoothed, once a second     written by the IO thread
//            slots    [SLOTS * 3]     jobs, busy ms, busy %       written by the IO thread
//            ports    [2 * 2]         dispatched, completed       written by the IO thread
//            marks    [3]             see Mark

import { ADMIN_SLOTS, MAIN_SLOTS } from "../base/limits.js";
import { BUCKETS } from "./latency-histogram.js";

/** First status code with a counter of its own. */
export const FIRST_CODE = 400;
export const LAST_CODE = 527;

export enum Word {
  Connected,
  ResetsAsked,
  ResetsSeen,
  ExecutorRestarts,
  StrayExceptions,
  LostLogWrites,
  InlineLeft,
  IoBusyPercent,
  /** Sixteen words align the floats that follow. */
  Count = 16,
}

export enum Counter {
  Requests,
  PluginRequests,
  ServiceErrors,
  HttpErrors,
  BytesIn,
  BytesOut,
  LatencySumMs,
  Count,
}
/** After the counters above: one per error code, then one per latency bucket. */
export const CODES_AT = Counter.Count;
export const HISTOGRAM_AT = CODES_AT + LAST_CODE - FIRST_CODE + 1;
export const COUNTERS = HISTOGRAM_AT + BUCKETS;

export enum Recent {
  RequestRate,
  ErrorRate,
  LatencyMeanMs,
  Count,
}
/** After the values above: share of the responses per latency bucket. */
export const SHARES_AT = Recent.Count;
const RECENT = SHARES_AT + BUCKETS;

export enum Slot {
  Jobs,
  /** Since the last tick. */
  BusyMs,
  BusyPercent,
  Stride,
}
export const SLOTS = MAIN_SLOTS + ADMIN_SLOTS;

export enum Port {
  Dispatched,
  Completed,
  Stride,
}

export enum Mark {
  /** Milliseconds since 1970. */
  ResetMs,
  TickMs,
  /** Connections since the start. */
  Clients,
  Count,
}

export interface MetricsViews {
  readonly words: Int32Array;
  readonly counters: Float64Array;
  readonly baseline: Float64Array;
  readonly recent: Float64Array;
  readonly slots: Float64Array;
  readonly ports: Float64Array;
  readonly marks: Float64Array;
}

const FLOATS = 2 * COUNTERS + RECENT + SLOTS * Slot.Stride + 2 * Port.Stride + Mark.Count;
export const METRICS_BYTES = Word.Count * 4 + FLOATS * 8;

/** Returns views of a buffer of METRICS_BYTES. */
export function metricsViews(buffer: SharedArrayBuffer): MetricsViews {
  let at = Word.Count * 4;
  const floats = (length: number): Float64Array => {
    const view = new Float64Array(buffer, at, length);
    at += view.byteLength;
    return view;
  };
  return {
    words: new Int32Array(buffer, 0, Word.Count),
    counters: floats(COUNTERS),
    baseline: floats(COUNTERS),
    recent: floats(RECENT),
    slots: floats(SLOTS * Slot.Stride),
    ports: floats(2 * Port.Stride),
    marks: floats(Mark.Count),
  };
}
