// Writes a graph to its folder, so that at every moment one whole snapshot of it is found there.
// Writers are kept waiting for no longer than it takes to copy what changed since the last time.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

export interface SaveOptions {
  /** Writes everything, not only what has changed. */
  readonly isForced?: boolean;
  /** How long to wait for another save of this graph; 0: not at all, negative: for ever. */
  readonly timeoutMs?: number;
}

/**
 * Saves a graph; the folder is made where it is missing. Returns the number of 8-byte words written.
 * That the caller holds no locks is for the caller to know.
 * @throws OperationTimeout while another thread saves
 * @throws DataError what the file system refuses
 */
export function saveGraph(_store: GraphStore, _folder: string, _options: SaveOptions = {}): number {
  throw new InternalError("not written");
}

/** Frees the right to save from a thread that died in a save; the old snapshot is untouched. */
export function releaseSaving(_store: GraphStore, _deadThread: number): void {
  throw new InternalError("not written");
}
