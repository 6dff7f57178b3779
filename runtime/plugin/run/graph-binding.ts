// Opens the `graph` argument of plugins, and releases it when the request is over.

import type { BoundGraph, GraphBinder } from "../contract/bound-graph.js";

let bound: BoundGraph | null = null;

/** Opens the `graph` argument of plugins in this thread; null without graphs. */
let binder: GraphBinder | null = null;

/** Sets the function by which this thread opens graphs for plugins. */
export function setGraphBinder(bindGraph: GraphBinder | null): void {
  binder = bindGraph;
}

/** Returns a graph by name for the plugin about to be called. */
export function requireBoundGraph(name: string): unknown {
  if (binder === null) {
    // A project may resolve another copy of the package than that of the server.
    const hint = "is svc-server installed twice?";
    throw new Error(`no graphs in this thread (graph '${name}'): ${hint}`);
  }
  bound = binder(name);
  return bound.graph;
}

/** Returns the graph opened for the plugin just called, null for none. */
export function takeBoundGraphs(): BoundGraph | null {
  const taken = bound;
  bound = null;
  return taken;
}
