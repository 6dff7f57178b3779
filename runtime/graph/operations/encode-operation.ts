// The record of one change, as it is logged and replicated.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Operation } from "./operation.js";

/** The record of an operation that was just applied. */
export function encodeOperation(_store: GraphStore, _operation: Operation): Uint8Array {
  throw new InternalError("not written");
}

/**
 * Reads a record into an operation.
 * @throws DataError if it is none
 */
export function decodeOperation(_store: GraphStore, _record: Uint8Array, _into: Operation): void {
  throw new InternalError("not written");
}
