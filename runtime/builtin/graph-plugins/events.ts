// Backlog of the event processor (http-interface, "Graph status and queries"). Scans all scheduled
// events, which is too slow for the IO thread, and would delay queries.

import { endTimeSlice } from "../../graph/api/entry-points.js";
import type { str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { graphNamed } from "./graph-named.js";

/**
 * Backlog of the TTL event processor.
 * @plugin eventbacklog
 * @readonly
 * @param graph name of the graph
 */
export function eventbacklog(_request: PluginRequest, graph: str): string {
  endTimeSlice();
  return graphNamed(graph).eventBacklog();
}
