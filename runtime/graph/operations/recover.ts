// What is to be done for a graph when one of its threads has died. It must be called by exactly one
// other thread, before the number of the dead one is given to a new one.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

/**
 * Undoes what a dead thread was writing, finishes what it had begun and releases its locks.
 * @returns true if there was anything to be done
 */
export function recoverGraph(_store: GraphStore, _deadThread: number): boolean {
  throw new InternalError("not written");
}
