// The algorithms over whole graphs that run now.

import type { AlgorithmReport } from "../../base/algorithm-report.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { serverView } from "../context.js";

/**
 * Running algorithms over whole graphs, and counts by outcome.
 * @plugin algorithms
 * @readonly
 */
export function algorithms(_request: PluginRequest): AlgorithmReport {
  return serverView().algorithms();
}
