// How a plugin's `graph` argument is found. The graph store installs a binder for its thread; the
// plugin contract itself knows nothing about graphs.

import { SvcError } from "../errors.js";
import type { PluginRequest } from "./plugin-request.js";

/** Opens the graph of a name for one request. */
export type GraphBinder = (name: string, request: PluginRequest) => unknown;

let binder: GraphBinder | null = null;

/** Installs the binder of this thread; null removes it. */
export function setGraphBinder(next: GraphBinder | null): void {
  binder = next;
}

/** @throws SvcError SVC2002 when this server has no graphs */
export function graphOf(request: PluginRequest, name: string): unknown {
  if (binder === null) {
    throw new SvcError("SVC2002", `graphs are not available yet (graph '${name}')`);
  }
  return binder(name, request);
}
