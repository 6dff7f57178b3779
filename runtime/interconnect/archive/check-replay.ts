// Replays the log of a restored data folder and compares the graphs with the digests that were
// recorded during the backup, at each position that has one.

import { join } from "node:path";
import { SvcError } from "../../base/errors.js";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { applyTransaction } from "../../graph/log/apply-transaction.js";
import { operationCountAfter } from "../../graph/log/transaction-format.js";
import {
  allocateLogMemory,
  CommitClock,
  digestCheckpoint,
  GraphStore,
  listStoredGraphs,
  loadGraph,
  openForLogging,
  requireIdentity,
  verifyDigest,
} from "../../graph/manager/logging-entry-points.js";
import { realDisk } from "../log/disk.js";
import { LogCatalog } from "../log/log-catalog.js";
import { readLog } from "../log/segments.js";
import { forEachTransaction } from "../log/transactions.js";
import type { GraphCheckpoint } from "./manifest.js";

/** Arbitrary, because no other thread uses these graphs. */
const THREAD = 1;

export interface ReplayReport {
  readonly graphs: number;
  /** Number of digests that were compared. */
  readonly compared: number;
}

/**
 * @param root data folder that no process uses
 * @throws SvcError SVC3423, LogCorruptionError, DataError
 */
export function checkReplay(root: string, expected: readonly GraphCheckpoint[]): ReplayReport {
  const replay = new CheckedReplay(root, expected);
  const catalog = new LogCatalog();
  readLog(realDisk, join(root, LOG_FOLDER), (frame) => {
    catalog.readFrame(frame, () => undefined);
    if (frame.header.isTable) return;
    const transaction = (words: Uint32Array, at: number, graph: number): void => {
      // The catalog has rejected transactions of unknown graphs.
      replay.apply(replay.open(catalog.byNumber(graph)!), words, at);
    };
    forEachTransaction(frame, { transaction, control: () => undefined });
  });
  return replay.finish();
}

class CheckedReplay {
  readonly #root: string;
  readonly #clock = new CommitClock();
  /** Digests by identity and count. */
  readonly #expected = new Map<string, string>();
  readonly #stores = new Map<string, GraphStore>();
  #compared = 0;

  constructor(root: string, expected: readonly GraphCheckpoint[]) {
    this.#root = root;
    for (const { identity, count, digest } of expected) {
      this.#expected.set(`${identity} ${count}`, digest);
    }
    for (const { name, path } of listStoredGraphs(root)) {
      const store = this.#load(name, path);
      if (store === null) continue;
      this.#stores.set(requireIdentity(store), store);
      this.#compare(store);
    }
  }

  open({ identity, name, path }: { identity: string; name: string; path: string }): GraphStore {
    const known = this.#stores.get(identity);
    if (known !== undefined) return known;
    const { folder } = openForLogging(this.#root, path, name);
    const log = allocateLogMemory(this.#clock, false);
    const values = { folder, isWritable: true };
    const store = GraphStore.create(name, THREAD, { log, identity, values });
    this.#stores.set(identity, store);
    return store;
  }

  /** Applies a transaction, unless the snapshot contains it. */
  apply(store: GraphStore, words: Uint32Array, at: number): void {
    if (operationCountAfter(words, at) <= store.operationCount) return;
    applyTransaction(store, words, at);
    this.#compare(store);
  }

  finish(): ReplayReport {
    for (const store of this.#stores.values()) {
      if (!verifyDigest(store)) throw digestMismatch(store.name, store.operationCount);
    }
    return { graphs: this.#stores.size, compared: this.#compared };
  }

  #load(name: string, path: string): GraphStore | null {
    const { folder } = openForLogging(this.#root, path, name);
    const log = allocateLogMemory(this.#clock, false);
    const store = loadGraph(name, folder, THREAD, { log });
    // Check before applying changes, which could fail on wrong contents.
    if (store !== null && !verifyDigest(store)) throw digestMismatch(name, store.operationCount);
    return store;
  }

  #compare(store: GraphStore): void {
    const key = `${requireIdentity(store)} ${store.operationCount}`;
    const digest = this.#expected.get(key);
    if (digest === undefined) return;
    if (digestCheckpoint(store)?.digest !== digest) {
      throw digestMismatch(store.name, store.operationCount);
    }
    this.#compared++;
  }
}

function digestMismatch(name: string, count: number): SvcError {
  return new SvcError("SVC3423", `graph "${name}" differs after ${count} operations`);
}
