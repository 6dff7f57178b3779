// What keeps a log, as the keeper of graphs sees it.

import type { SharedLogMemory } from "../memory/graph-memory.js";
import type { GraphStore } from "../store/graph-store.js";

/** A graph that the log has changes of. */
export interface RecoverableGraph {
  readonly name: string;
  /** Folder below the root, with `/`. */
  readonly path: string;
  readonly isLocal: boolean;
}

export interface GraphLog {
  /** Graphs of which the log has changes. */
  graphs(): readonly RecoverableGraph[];
  /** Where changes of a graph are to go that is about to be loaded or made. */
  share(name: string): SharedLogMemory | null;
  /** Identity of a graph of which there is no snapshot, but a log. */
  identityOf(name: string): string | undefined;
  /** True if the log says that this graph was erased, whatever is left of its files. */
  isErased(store: GraphStore): boolean;
  /**
   * Does to graphs, as they were loaded or made, what the log has beyond.
   * @returns why those cannot be used for which that failed
   */
  replay(stores: readonly GraphStore[]): ReadonlyMap<GraphStore, Error>;
  /** From now on changes of a graph are logged. */
  open(store: GraphStore, path: string, isLocal: boolean): void;
  /** The log says, for good, that a graph is no more. */
  erase(identity: string): void;
  /** Lets go what snapshots make needless; returns graphs that keep it from being less. */
  trim(): readonly string[];
  /** Is called whenever the log has grown so much that graphs are to be saved. */
  onGrown(save: () => void): void;
  /** Writes what is left; nothing may be changed any more. */
  close(): Promise<void>;
}
