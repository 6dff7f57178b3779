// A graph that a thread has attached to.

import type { GraphStore } from "../store/graph-store.js";
import type { SharedGraph } from "./graph-source.js";

export interface RegisteredGraph {
  readonly store: GraphStore;
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
  /** Not replicated to other instances. */
  readonly isLocal: boolean;
  /** The graph as passed to other threads. */
  readonly shared: SharedGraph;
}
