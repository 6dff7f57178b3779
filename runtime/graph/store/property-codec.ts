// Property values as bytes: what the table keeps of those that do not fit a cell, and what records
// of operations carry.

import { InternalError } from "../errors.js";
import type { PropertyValue } from "./property-values.js";

/** Kind byte, then the value; of a value that `checkedValue` has passed. */
export function encodeProperty(_value: PropertyValue): Uint8Array {
  throw new InternalError("not written yet");
}

/**
 * The value of such bytes.
 * @throws DataError if they are none
 */
export function decodeProperty(_bytes: Uint8Array): PropertyValue {
  throw new InternalError("not written yet");
}
