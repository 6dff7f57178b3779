// How a plugin's `graph` argument is found, and what becomes of it when the request is over. The
// thread installs a binder; the plugin contract itself knows nothing about graphs.

/** A graph that was opened for one request. */
export interface BoundGraph {
  /** What the plugin gets. */
  readonly graph: unknown;
  /** Lets go of all that the request holds. May be called twice. */
  release(): void;
}

/** Opens the graph of a name for one request. */
export type GraphBinder = (name: string) => BoundGraph;

let binder: GraphBinder | null = null;
let bound: BoundGraph | null = null;

/** Installs the binder of this thread; null removes it. */
export function setGraphBinder(next: GraphBinder | null): void {
  binder = next;
}

/** The graph of a name, for the plugin that is about to be called. */
export function graphOf(name: string): unknown {
  if (binder === null) {
    // The plugins of a project may load another copy of the package than the one that serves them.
    const hint = "is svc-server installed twice?";
    throw new Error(`no graphs in this thread (graph '${name}'): ${hint}`);
  }
  bound = binder(name);
  return bound.graph;
}

/** What `graphOf` has opened for the plugin that was just called, null if nothing. */
export function takeBound(): BoundGraph | null {
  const taken = bound;
  bound = null;
  return taken;
}
