// What a plugin's `graph` argument is to the one who calls the plugin: something to hand over, and
// to let go of when the request is over. The plugin contract itself knows nothing about graphs.

/** A graph that was opened for one request. */
export interface BoundGraph {
  /** What the plugin gets. */
  readonly graph: unknown;
  /** Lets go of all that the request holds. May be called twice. */
  release(): void;
}

/** Opens the graph of a name for one request. */
export type GraphBinder = (name: string) => BoundGraph;
