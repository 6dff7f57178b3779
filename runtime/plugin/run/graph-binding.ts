// How a plugin's `graph` argument is found, and what becomes of it when the request is over.

import type { BoundGraph, GraphBinder } from "../contract/bound-graph.js";

let bound: BoundGraph | null = null;

/** Opens the `graph` argument of plugins in this thread; null: there are no graphs. */
let binder: GraphBinder | null = null;

/** Sets how this thread opens graphs for plugins. */
export function setGraphBinder(bindGraph: GraphBinder | null): void {
  binder = bindGraph;
}

/** The graph of a name, for the plugin that is about to be called. */
export function requireBoundGraph(name: string): unknown {
  if (binder === null) {
    // The plugins of a project may load another copy of the package than the one that serves them.
    const hint = "is svc-server installed twice?";
    throw new Error(`no graphs in this thread (graph '${name}'): ${hint}`);
  }
  bound = binder(name);
  return bound.graph;
}

/** What `graphOf` has opened for the plugin that was just called, null if nothing. */
export function takeBoundGraphs(): BoundGraph | null {
  const taken = bound;
  bound = null;
  return taken;
}
