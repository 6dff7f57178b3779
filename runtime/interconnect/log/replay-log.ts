// Does to graphs again what a log says, in one pass: of each graph what its snapshot does not hold.
// A graph for which that fails is left out; the others must not suffer.

import { applyUnit } from "../../graph/log/apply-unit.js";
import { countAfter } from "../../graph/log/unit-format.js";
import type { GraphStore } from "../../graph/store/graph-store.js";
import type { SegmentLog } from "./segment-log.js";
import { eachUnit } from "./units.js";

export interface Replayed {
  /** Units that were applied. */
  readonly units: number;
  /** By graph: why it cannot be used. */
  readonly failures: ReadonlyMap<GraphStore, Error>;
}

/**
 * @param stores by the number that the log gave the graph; not logged meanwhile
 * @param progress is called now and then with how much is done, from 0 to 1
 */
export function replayLog(
  log: SegmentLog,
  stores: ReadonlyMap<number, GraphStore>,
  progress: (done: number) => void,
): Replayed {
  const failures = new Map<GraphStore, Error>();
  const { first, last } = log;
  let units = 0;
  const unit = (words: Uint32Array, at: number, graph: number): void => {
    const store = stores.get(graph);
    if (store === undefined || countAfter(words, at) <= store.operationCount) return;
    if (failures.has(store)) return;
    try {
      applyUnit(store, words, at);
      units++;
    } catch (error) {
      failures.set(store, error as Error);
    }
  };
  for (const frame of log.read(first)) {
    eachUnit(frame, { unit, control: () => undefined });
    progress((frame.header.sn - first) / (last - first + 1));
  }
  return { units, failures };
}
