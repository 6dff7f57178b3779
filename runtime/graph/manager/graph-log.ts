// Transaction log as the graph manager uses it.

import type { SharedLogMemory } from "../memory/graph-memory.js";
import type { GraphStore } from "../store/graph-store.js";

/** A graph with changes in the log. */
export interface RecoverableGraph {
  readonly name: string;
  /** Folder below the data folder, with `/`. */
  readonly path: string;
  readonly isLocal: boolean;
}

export interface GraphLog {
  /** Returns the graphs with changes in the log. */
  graphs(): readonly RecoverableGraph[];
  /** Returns the log memory of a graph about to be loaded or created. */
  share(name: string): SharedLogMemory | null;
  /** Returns the identity of a graph that is in the log but has no snapshot. */
  identityOf(name: string): string | undefined;
  /** Returns true if the log records that the graph was erased, even if files remain. */
  isErased(store: GraphStore): boolean;
  /**
   * Replays the log on graphs just loaded or created.
   * @returns the errors of graphs for which that failed
   */
  replay(stores: readonly GraphStore[]): ReadonlyMap<GraphStore, Error>;
  /** Starts logging the changes of a graph. */
  open(store: GraphStore, path: string, isLocal: boolean): void;
  /** Durably records that a graph was erased. */
  erase(identity: string): void;
  /** Returns whether the disk has too little space for a previous snapshot of each graph. */
  isLow(): boolean;
  /** Drops segments that snapshots cover; returns the graphs that prevent dropping others. */
  trim(): readonly string[];
  /** Registers a callback that saves the graphs when the log has grown too large. */
  onGrown(save: () => void): void;
  /** Writes the remaining transactions. No graph may change after the call. */
  close(): Promise<void>;
}
