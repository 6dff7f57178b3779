// How a plugin's `graph` argument is found, and what becomes of it when the request is over.

import { installThreadContext, threadContext } from "../../base/thread-context.js";
import type { BoundGraph, GraphBinder } from "../contract/bound-graph.js";

let bound: BoundGraph | null = null;

/** Says how this thread opens graphs for plugins; null: not at all. */
export function setGraphBinder(bindGraph: GraphBinder | null): void {
  installThreadContext({ bindGraph });
}

/** The graph of a name, for the plugin that is about to be called. */
export function requireBoundGraph(name: string): unknown {
  const { bindGraph } = threadContext();
  if (bindGraph === null) {
    // The plugins of a project may load another copy of the package than the one that serves them.
    const hint = "is svc-server installed twice?";
    throw new Error(`no graphs in this thread (graph '${name}'): ${hint}`);
  }
  bound = bindGraph(name);
  return bound.graph;
}

/** What `graphOf` has opened for the plugin that was just called, null if nothing. */
export function takeBoundGraphs(): BoundGraph | null {
  const taken = bound;
  bound = null;
  return taken;
}
