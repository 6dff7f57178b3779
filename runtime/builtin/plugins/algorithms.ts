// The algorithms over whole graphs that run now.

import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { serverView } from "../context.js";
import type { AlgorithmReport } from "../server-view.js";

/**
 * Running algorithms over whole graphs, and counts by outcome.
 * @plugin algorithms
 * @readonly
 */
export function algorithms(_request: PluginRequest): AlgorithmReport {
  return serverView().algorithms();
}
