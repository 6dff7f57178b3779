// Replays a log on graphs in one pass, applying what each snapshot lacks. A graph that fails is
// left out; the others continue.
//
// No reader sees the graphs yet, so no undo log is written. A failure within a transaction leaves
// it half applied: that graph is broken and is not touched again.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { applyTransaction } from "../../graph/log/apply-transaction.js";
import { prefetchIds } from "../../graph/log/prefetch-ids.js";
import { operationCountAfter, operationCountBefore } from "../../graph/log/transaction-format.js";
import type { GraphStore } from "../../graph/manager/logging-entry-points.js";
import type { SegmentLog } from "./segment-log.js";
import { forEachTransaction } from "./transactions.js";

/** Reasons of failed graphs; broken ones are not touched again. */
export interface ReplayFailures {
  readonly reasons: Map<GraphStore, Error>;
  readonly broken: Set<GraphStore>;
}

/**
 * @param stores by log number; not logged during the replay
 * @param failures of earlier passes; extended by this one
 * @param progress called with the share done, from 0 to 1
 * @returns number of applied transactions
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
  /** Where the prefetched transactions of the frame end, and the frame itself. */
  let prefetched = 0;
  let end = 0;
  let store = stores.get(number);
  const unit = (words: Uint32Array, at: number, graph: number): void => {
    if (graph !== number) {
      number = graph;
      store = stores.get(graph);
    }
    if (store === undefined || operationCountAfter(words, at) <= store.operationCount) return;
    if (broken.has(store)) return;
    // If not, the preceding transaction may be in the other log.
    const isNext = operationCountBefore(words, at) === store.operationCount;
    if (!isNext && reasons.has(store)) return;
    if (at >= prefetched) prefetched = prefetchIds(store, words, at, end);
    try {
      applyTransaction(store, words, at);
      units++;
    } catch (error) {
      reasons.set(store, error as Error);
      if (isNext) broken.add(store);
    }
  };
  const visitor = { unit, control: () => undefined };
  runExclusively([...stores.values()], () => {
    for (const frame of log.read(first)) {
      prefetched = frame.at;
      end = frame.end;
      forEachTransaction(frame, visitor);
      progress((frame.header.sn - first) / (last - first + 1));
    }
  });
  return units;
}

/** Runs changes of graphs that have no readers. */
function runExclusively([store, ...others]: readonly GraphStore[], run: () => void): void {
  if (store === undefined) run();
  else store.writer.runUnshared(() => runExclusively(others, run));
}

const STDERR = 2;
const EVERY_MS = 250;

export class ProgressLine {
  readonly #title: string;
  readonly #begunAt = performance.now();
  #shownAt = this.#begunAt;
  #isShown = false;

  constructor(title: string) {
    this.#title = title;
  }

  /** @param done from 0 to 1 */
  show(done: number): void {
    const now = performance.now();
    if (now - this.#shownAt < EVERY_MS || !isatty(STDERR)) return;
    this.#shownAt = now;
    this.#isShown = true;
    writeSync(STDERR, `\r${this.#title}: ${Math.floor(done * 100)} % read, ${this.seconds()} s `);
  }

  end(): void {
    if (this.#isShown) writeSync(STDERR, `\r${" ".repeat(60)}\r`);
  }

  /** Returns the seconds since creation. */
  seconds(): string {
    return ((performance.now() - this.#begunAt) / 1000).toFixed(1);
  }
}
