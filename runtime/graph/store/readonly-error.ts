// Why a graph accepts no change: an operator or its role, or a transaction log that cannot be
// written.

import { AccessError, StorageError } from "../model/errors.js";
import type { GraphStore } from "./graph-store.js";

/**
 * Returns the error of a change to a read-only graph.
 * @param end of the message, where the reason is not the log
 */
export function readonlyError({ memory }: GraphStore, end = ""): AccessError {
  const clock = memory.log?.clock;
  if (clock?.isFull === true) {
    return new StorageError("Graph is readonly: the disk of the transaction log is full");
  }
  return clock?.hasFailed === true
    ? new StorageError("Graph is readonly: the transaction log has failed")
    : new AccessError(`Graph is readonly${end}`);
}
