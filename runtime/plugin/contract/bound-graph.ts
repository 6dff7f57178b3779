// The `graph` argument of a plugin, as its caller handles it: a value to pass, and to release when
// the request is over. The plugin contract itself is independent of graphs.

/** A graph opened for one request. */
export interface BoundGraph {
  /** The value of the argument. */
  readonly graph: unknown;
  /** Releases all resources of the request. Idempotent. */
  release(): void;
}

/** Opens a graph by name for one request. */
export type GraphBinder = (name: string) => BoundGraph;
