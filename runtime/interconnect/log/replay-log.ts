// Does to graphs again what a log says, in one pass: of each graph what its snapshot does not hold.
// A graph for which that fails is left out; the others must not suffer.
//
// Nobody else sees the graphs yet, so that nothing is noted for an undo. What fails within a unit
// leaves half of it done: that graph is broken, and nothing may be tried on it again.

import { applyTransaction } from "../../graph/log/apply-transaction.js";
import { operationCountAfter, operationCountBefore } from "../../graph/log/transaction-format.js";
import type { GraphStore } from "../../graph/store/graph-store.js";
import type { SegmentLog } from "./segment-log.js";
import { forEachTransaction } from "./transactions.js";

/** Why graphs cannot be used, as far as is known; of broken ones nothing more is tried. */
export interface ReplayFailures {
  readonly reasons: Map<GraphStore, Error>;
  readonly broken: Set<GraphStore>;
}

/**
 * @param stores by the number that the log gave the graph; not logged meanwhile
 * @param failures of earlier passes; gets further ones
 * @param progress is called now and then with how much is done, from 0 to 1
 * @returns how many units were applied
 */
export function replayLog(
  log: SegmentLog,
  stores: ReadonlyMap<number, GraphStore>,
  { reasons, broken }: ReplayFailures,
  progress: (done: number) => void,
): number {
  const { first, last } = log;
  let units = 0;
  let number = 0;
  let store = stores.get(number);
  const unit = (words: Uint32Array, at: number, graph: number): void => {
    if (graph !== number) {
      number = graph;
      store = stores.get(graph);
    }
    if (store === undefined || operationCountAfter(words, at) <= store.operationCount) return;
    if (broken.has(store)) return;
    // If not, what comes before it may be in another log.
    const isNext = operationCountBefore(words, at) === store.operationCount;
    if (!isNext && reasons.has(store)) return;
    try {
      applyTransaction(store, words, at);
      units++;
    } catch (error) {
      reasons.set(store, error as Error);
      if (isNext) broken.add(store);
    }
  };
  const visitor = { unit, control: () => undefined };
  alone([...stores.values()], () => {
    for (const frame of log.read(first)) {
      forEachTransaction(frame, visitor);
      progress((frame.header.sn - first) / (last - first + 1));
    }
  });
  return units;
}

/** Runs what changes graphs that nobody else sees. */
function alone([store, ...others]: readonly GraphStore[], run: () => void): void {
  if (store === undefined) run();
  else store.writer.runUnshared(() => alone(others, run));
}
