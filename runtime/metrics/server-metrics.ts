// Performance metrics of the HTTP server, as returned by `serverMetrics()` and
// `/svc/builtin/metrics`.

import { ParameterError } from "../base/errors.js";
import type { Latency } from "./latency-histogram.js";
import type { Metrics } from "./metrics.js";

/** Performance of the main port since the start or the last reset. */
export interface ServerMetrics {
  readonly bytes_in: number;
  readonly bytes_out: number;
  /** 1 when Service-IN. */
  readonly serving: 0 | 1;
  readonly total_requests: number;
  readonly connected_clients: number;
  readonly request_rate: { readonly current: number; readonly all: number };
  readonly latency_ms: { readonly current: Latency; readonly all: Latency };
}

/**
 * Reads the metrics (http-interface, "Management operations").
 * @param percentiles one or more numbers above 0 and below 100
 * @throws ParameterError for any other value
 */
export function serverMetrics(
  metrics: Metrics,
  serviceIn: boolean,
  percentiles: unknown,
): ServerMetrics {
  const sorted = checkedPercentiles(percentiles);
  const totals = metrics.totals();
  return {
    bytes_in: totals.bytesIn,
    bytes_out: totals.bytesOut,
    serving: serviceIn ? 1 : 0,
    total_requests: totals.requests,
    connected_clients: metrics.connectedClients,
    request_rate: {
      current: threeDecimals(metrics.requestRate()),
      all: threeDecimals(metrics.requestRateOfAll()),
    },
    latency_ms: { current: metrics.latency(sorted), all: metrics.latencyOfAll(sorted) },
  };
}

/** Returns the percentiles, sorted and unique. */
function checkedPercentiles(percentiles: unknown): number[] {
  if (!Array.isArray(percentiles)) throw new ParameterError("TypeError", "a list is required");
  if (percentiles.length === 0) {
    throw new ParameterError("ValueError", "one or more percentiles are required");
  }
  for (const percentile of percentiles) {
    if (typeof percentile !== "number") {
      throw new ParameterError("TypeError", "percentile must be numeric");
    }
    if (!(percentile > 0 && percentile < 100)) {
      throw new ParameterError("ValueError", "percentile must be in range <0,100>");
    }
  }
  return [...new Set<number>(percentiles)].sort((a, b) => a - b);
}

function threeDecimals(rate: number): number {
  return Math.round(rate * 1000) / 1000;
}
