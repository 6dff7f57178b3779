// Where a thread gets graphs from: the main thread knows them all, one thread makes them. What is
// asked, and what is answered, crosses threads as it stands here.

import { GRAPH_NAME, MAX_GRAPH_NAME_LENGTH } from "../../base/graph-names.js";
import type { SharedGraphMemory } from "../memory/graph-memory.js";
import { DataError } from "../model/errors.js";

/** A graph on its way between threads. */
export interface SharedGraph {
  readonly share: SharedGraphMemory;
  /** Folder of its snapshots, null where nothing is stored. */
  readonly path: string | null;
  /** The same below the root, with `/`. */
  readonly logPath: string;
  readonly isLocal: boolean;
}

export interface GraphRequest {
  readonly name: string;
  /** Folder below the root; null: as the graph is called. */
  readonly path: string | null;
  readonly isLocal: boolean;
}

export interface GraphSource {
  /**
   * Gets a graph, which is loaded or made if it is not open.
   * @throws DataError, OperationTimeout
   */
  open(request: GraphRequest, giveUpAt: number): SharedGraph;
  /** A graph that is open; null if there is none. */
  find(name: string): SharedGraph | null;
  /** Names of all that are open, sorted. */
  names(): readonly string[];
  /**
   * Lets a graph go, for all threads.
   * @param isErased what is stored goes, too
   */
  remove(name: string, isErased: boolean): boolean;
  /**
   * Sends all graphs to those that follow them, or those that differ from what these have.
   * @returns false if that is still under way
   * @throws SvcError SVC2530
   */
  sync(repair: RepairAction, timeoutMs: number): boolean;
}

/** What who follows is to get again: all graphs, or those that differ from what it has. */
export type RepairAction = "all" | "different";

/** One call of a `GraphSource`, as one thread asks it of another. */
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
