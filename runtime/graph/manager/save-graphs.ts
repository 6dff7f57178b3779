// Saves graphs one after the other; a failure does not affect the others.

import type { LogLine } from "../../base/log-settings.js";
import { saveGraphIncrementally } from "../snapshot/save-graph.js";
import type { GraphStore } from "../store/graph-store.js";

export interface PersistableGraph {
  readonly store: GraphStore;
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
}

/**
 * Saves changed graphs, yielding the thread in between.
 * @param timeoutMs maximum wait for another save of the same graph
 * @param log receives an error per graph that cannot be saved
 * @param isForced also saves unchanged graphs
 * @returns whether all are saved
 */
export async function saveGraphs(
  graphs: readonly PersistableGraph[],
  timeoutMs: number,
  log: LogLine,
  isForced = false,
): Promise<boolean> {
  let isAllSaved = true;
  for (const { store, path } of graphs) {
    try {
      if (path !== null) await saveGraphIncrementally(store, path, { timeoutMs, isForced });
    } catch (error) {
      log(`graph "${store.name}" could not be saved: ${(error as Error).message}`, "error");
      isAllSaved = false;
    }
  }
  return isAllSaved;
}
