// Saves graphs one after another; a failure does not affect the others.

import type { LogLine } from "../../base/log-settings.js";
import type { GraphStore } from "../store/graph-store.js";
import { type SaveOptions, saveGraphIncrementally } from "./snapshot/save-graph.js";

export interface PersistableGraph {
  readonly store: GraphStore;
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
}

/**
 * Saves changed graphs, yielding the thread in between.
 * @param log receives an error per graph that cannot be saved
 * @returns whether all are saved
 */
export async function saveGraphs(
  graphs: readonly PersistableGraph[],
  log: LogLine,
  options: SaveOptions,
): Promise<boolean> {
  let isAllSaved = true;
  for (const { store, path } of graphs) {
    try {
      if (path !== null) await saveGraphIncrementally(store, path, options);
    } catch (error) {
      log(`graph "${store.name}" could not be saved: ${(error as Error).message}`, "error");
      isAllSaved = false;
    }
  }
  return isAllSaved;
}
