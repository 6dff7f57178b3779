// Transactions over several graphs: changes that are committed together, or rolled back. Rules:
// ARCHITECTURE, "Transactions over several graphs".

import { commitTogether } from "../memory/joint-commit.js";
import { Header } from "../memory/layout.js";
import { freezeClock, unfreezeClock } from "../memory/time.js";
import { Writer } from "../memory/writer.js";
import { AccessError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { requireSynchronous } from "./require-synchronous.js";
import { requireWritable } from "./vertex-key.js";

/** A graph of a transaction. */
export interface TransactionGraph {
  readonly store: GraphStore;
  /** Not replicated: its changes are in a log of their own. */
  readonly isLocal: boolean;
}

/**
 * Runs a function whose changes of all graphs are committed together, or rolled back when it
 * throws.
 * @throws AccessError for a read-only graph, before anything is done, and for other graphs
 * @throws TypeError for an async function; CapacityError, ConstraintError
 */
export function runTransaction<T>(graphs: readonly TransactionGraph[], run: () => T): T {
  if (typeof run !== "function") throw new TypeError("transaction requires a function");
  checkGraphs(graphs);
  const stores = graphs.map(({ store }) => store).sort(byName);
  const writers = lockAll(stores);
  Writer.batchWriter = writers[0]!;
  const isFirst = freezeClock();
  try {
    const result = run();
    requireSynchronous(result, "transaction");
    if (Writer.commitWithRequest?.(writers) !== true) commitTogether(writers);
    // Queries that read the state before must retry.
    for (const { memory } of stores) Atomics.add(memory.header.ints, Header.Batches, 1);
    return result;
  } catch (error) {
    for (const writer of writers) writer.rollback();
    throw error;
  } finally {
    if (isFirst) unfreezeClock();
    Writer.batchWriter = null;
    for (const writer of writers) writer.end();
    Writer.holdsSeveral = false;
  }
}

/** Locks the graphs in the order of their names, which prevents deadlocks. */
function lockAll(stores: readonly GraphStore[]): Writer[] {
  const locked: Writer[] = [];
  for (const { writer } of stores) writer.enlarge();
  Writer.holdsSeveral = true;
  try {
    for (const store of stores) {
      store.writer.begin();
      locked.push(store.writer);
      // One may have become read-only while this thread waited for a mutex.
      requireWritable(store);
    }
    return locked;
  } catch (error) {
    for (const writer of locked) writer.end();
    Writer.holdsSeveral = false;
    throw error;
  }
}

function checkGraphs(graphs: readonly TransactionGraph[]): void {
  if (graphs.length === 0) throw new TypeError("transaction requires at least one graph");
  if (new Set(graphs.map(({ store }) => store.name)).size < graphs.length) {
    throw new TypeError("transaction requires different graphs");
  }
  const isBusy = graphs.some(({ store }) => store.writer.isWriting) || Writer.batchWriter !== null;
  if (isBusy) throw new AccessError("a transaction cannot begin within a batch or transaction");
  for (const { store } of graphs) requireWritable(store);
  if (new Set(graphs.map(({ isLocal }) => isLocal)).size > 1) {
    throw new AccessError("a transaction cannot combine local graphs with replicated ones");
  }
}

function byName(a: GraphStore, b: GraphStore): number {
  return a.name < b.name ? -1 : 1;
}
