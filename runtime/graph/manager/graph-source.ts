// Source of graphs for a thread: the main thread has a list of all graphs, the interconnect thread
// opens them. Values of these types are passed between threads.

import { GRAPH_NAME, MAX_GRAPH_NAME_LENGTH } from "../../base/graph-names.js";
import type { SharedGraphMemory } from "../memory/graph-memory.js";
import type { MemorySize } from "../memory/layout.js";
import { DataError } from "../model/errors.js";

/** An open graph, as passed between threads. */
export interface SharedGraph {
  readonly share: SharedGraphMemory;
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
  /** Folder relative to the data folder, with `/`, as the log records it. */
  readonly logPath: string;
  readonly isLocal: boolean;
}

export interface GraphRequest {
  readonly name: string;
  /** Folder below the data folder; null: the graph's name. */
  readonly path: string | null;
  readonly isLocal: boolean;
  /** Default: that of the stored graph, large for a new one. */
  readonly size?: MemorySize | undefined;
}

export interface GraphSource {
  /**
   * Opens a graph: loads or creates it unless it is open.
   * @throws DataError, OperationTimeout
   */
  open(request: GraphRequest, giveUpAt: number): SharedGraph;
  /** Returns an open graph, or null. */
  find(name: string): SharedGraph | null;
  /** Returns the names of all open graphs, sorted. */
  names(): readonly string[];
  /**
   * Closes a graph for all threads.
   * @param isErased also removes its files
   */
  remove(name: string, isErased: boolean): boolean;
  /**
   * Resends all graphs to subscribers, or only diverged ones.
   * @returns false if a sync is still in progress
   * @throws SvcError SVC2530
   */
  sync(repair: RepairAction, timeoutMs: number): boolean;
}

/** Which graphs are resent to subscribers: all, or only the diverged ones. */
export type RepairAction = "all" | "different";

/** A call of `GraphSource` as a message between threads. */
export type GraphCommand =
  | { readonly op: "open"; readonly request: GraphRequest }
  | { readonly op: "find"; readonly name: string }
  | { readonly op: "names" }
  | { readonly op: "remove"; readonly name: string; readonly isErased: boolean }
  | { readonly op: "sync"; readonly sync: { repair: RepairAction; timeoutMs: number } };

/** @throws DataError */
export function checkGraphName(name: unknown): string {
  if (typeof name === "string" && name.length <= MAX_GRAPH_NAME_LENGTH && GRAPH_NAME.test(name))
    return name;
  throw new DataError(`invalid graph name: '${String(name).slice(0, 100)}'`);
}
