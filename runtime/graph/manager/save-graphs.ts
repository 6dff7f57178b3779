// Saves graphs one after the other. One that cannot be saved must not keep the others from it.

import type { LogLine } from "../../base/log-settings.js";
import { saveGraphIncrementally } from "../snapshot/save-graph.js";
import type { GraphStore } from "../store/graph-store.js";

export interface PersistableGraph {
  readonly store: GraphStore;
  /** Folder of its snapshots, null where nothing is stored. */
  readonly path: string | null;
}

/**
 * Saves what has changed, and lets the thread do something else meanwhile.
 * @param timeoutMs how long to wait for another save of the same graph
 * @param log is told of each graph that cannot be saved
 * @param isForced saves what has not changed, too
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
