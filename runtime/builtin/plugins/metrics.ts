// Request rate, latency and I/O of the main port.

import { serverMetrics } from "../../metrics/server-metrics.js";
import type { json } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { serverView } from "../context.js";

/**
 * HTTP server metrics.
 * @plugin metrics
 * @readonly
 * @param latency percentiles, each above 0 and below 100
 */
export function metrics(_request: PluginRequest, latency: json = [80, 90, 95, 99]) {
  const view = serverView();
  return serverMetrics(view.metrics, view.serviceIn, latency);
}
