// Replays a log on graphs in one pass: applies the transactions that each snapshot lacks. A graph
// that fails is skipped from there on; the others continue.
//
// No reader sees the graphs yet, so no undo log is written. A transaction that fails stays half
// applied: its graph is broken, and replay does not change it again.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { applyTransaction } from "../../graph/log/apply-transaction.js";
import { prefetchIds } from "../../graph/log/prefetch-ids.js";
import { operationCountAfter, operationCountBefore } from "../../graph/log/transaction-format.js";
import type { GraphStore } from "../../graph/manager/logging-entry-points.js";
import type { SegmentLog } from "./segment-log.js";
import { forEachTransaction } from "./transactions.js";

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
  let transactions = 0;
  let number = 0;
  /** Ends of the prefetched transactions and of the frame, as offsets. */
  let prefetched = 0;
  let end = 0;
  let store = stores.get(number);
  const transaction = (words: Uint32Array, at: number, graph: number): void => {
    if (graph !== number) {
      number = graph;
      store = stores.get(graph);
    }
    if (store === undefined || operationCountAfter(words, at) <= store.operationCount) return;
    if (broken.has(store)) return;
    // Otherwise the transactions in between may be in the other log, which a later pass replays.
    const isNext = operationCountBefore(words, at) === store.operationCount;
    if (!isNext && reasons.has(store)) return;
    if (at >= prefetched) prefetched = prefetchIds(store, words, at, end);
    try {
      applyTransaction(store, words, at);
      transactions++;
    } catch (error) {
      reasons.set(store, error as Error);
      if (isNext) broken.add(store);
    }
  };
  const visitor = { transaction, control: () => undefined };
  runExclusively([...stores.values()], () => {
    for (const frame of log.read(first)) {
      prefetched = frame.at;
      end = frame.end;
      forEachTransaction(frame, visitor);
      progress((frame.header.sn - first) / (last - first + 1));
    }
  });
  return transactions;
}

/** Runs changes without an undo log: the graphs have no readers. */
function runExclusively([store, ...others]: readonly GraphStore[], run: () => void): void {
  if (store === undefined) run();
  else store.writer.runUnshared(() => runExclusively(others, run));
}

const STDERR = 2;
const INTERVAL_MS = 250;

export class ProgressLine {
  readonly #title: string;
  readonly #startedAtMs = performance.now();
  #shownAtMs = this.#startedAtMs;
  #isShown = false;

  constructor(title: string) {
    this.#title = title;
  }

  /** @param done from 0 to 1 */
  show(done: number): void {
    const now = performance.now();
    if (now - this.#shownAtMs < INTERVAL_MS || !isatty(STDERR)) return;
    this.#shownAtMs = now;
    this.#isShown = true;
    writeSync(STDERR, `\r${this.#title}: ${Math.floor(done * 100)} % read, ${this.seconds()} s `);
  }

  end(): void {
    if (this.#isShown) writeSync(STDERR, `\r${" ".repeat(60)}\r`);
  }

  /** Returns the seconds since creation. */
  seconds(): string {
    return ((performance.now() - this.#startedAtMs) / 1000).toFixed(1);
  }
}
