// Access of built-in plugins to the graphs of their thread.

import type { Graph } from "../../graph/api/graph.js";
import { threadGraphs } from "../../graph/manager/thread-graphs.js";
import { KeyError } from "../../graph/model/errors.js";
import { requireBoundGraph } from "../../plugin/run/graph-binding.js";

/**
 * Returns an existing graph, for the running request.
 * @throws KeyError if it does not exist
 */
export function graphNamed(name: string): Graph {
  if (threadGraphs().find(name) !== null) return requireBoundGraph(name) as Graph;
  throw new KeyError(`Graph instance not available: ${name}`);
}
