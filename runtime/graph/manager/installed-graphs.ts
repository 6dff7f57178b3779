// The graph source of this thread, as a global, so that code needs no reference to it.

import type { OpenTransactionReader } from "../log/transaction-reader.js";
import type { GraphSource } from "./graph-source.js";

export interface InstalledGraphs {
  /** Number of the thread. */
  readonly thread: number;
  readonly source: GraphSource;
  /** Opens the transaction log for change feeds; null: this thread cannot read it. */
  readonly openTransactions: OpenTransactionReader | null;
}

/** Null in tools, and before a program initializes. */
let installed: InstalledGraphs | null = null;

/** Sets the graphs of this thread; null: no graphs. `ThreadGraphs` opens them. */
export function installThreadGraphs(graphs: InstalledGraphs | null): void {
  installed = graphs;
}

/** Returns the graphs of this thread without loading the graph engine. */
export function installedGraphs(): InstalledGraphs | null {
  return installed;
}
