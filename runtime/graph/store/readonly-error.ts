// Error of changes to a read-only graph: names what cannot be written.

import { Header, ReadonlyBy } from "../memory/layout.js";
import { AccessError, StorageError } from "../model/errors.js";
import type { GraphStore } from "./graph-store.js";

/**
 * Returns the error of a change to a read-only graph.
 * @param end appended to the message unless the log is the reason
 */
export function readonlyError({ memory }: GraphStore, end = ""): AccessError {
  if ((memory.header.words[Header.Readonly]! & ReadonlyBy.Storage) !== 0) {
    return new StorageError("Graph is readonly: the data folder cannot be written");
  }
  const clock = memory.log?.clock;
  if (clock?.isFull === true) {
    return new StorageError("Graph is readonly: the disk of the transaction log is full");
  }
  return clock?.hasFailed === true
    ? new StorageError("Graph is readonly: the transaction log has failed")
    : new AccessError(`Graph is readonly${end}`);
}
