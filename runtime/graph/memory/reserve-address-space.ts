// Addresses for the memory of graphs, which is reserved at once and grows in its place.

import { availableAddressSpace, formatGiB } from "../../base/address-space.js";
import { CapacityError } from "../model/errors.js";

/** What the engine reserves for each memory that WebAssembly works on: 4 GiB, and guards around. */
export const KERNEL_ADDRESSES = 10 * 2 ** 30;
/** Who takes all but the last leaves none to threads that begin later: V8 ends the process. */
const LEFT_TO_THREADS = 4 * 2 ** 30;

/**
 * Makes what reserves so many addresses.
 * @param what subject of a message
 * @throws CapacityError where the process may not have as many
 */
export function reserveAddressSpace<T>(what: string, bytes: number, make: () => T): T {
  const left = availableAddressSpace();
  if (left < bytes + LEFT_TO_THREADS) throw tooFew(what, bytes, left);
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw tooFew(what, bytes, null, error);
    throw error;
  }
}

/** @param left null: unknown */
function tooFew(what: string, bytes: number, left: number | null, cause?: RangeError) {
  const had = left === null ? "fewer" : formatGiB(left);
  return new CapacityError(
    `${what} reserves ${formatGiB(bytes)} of addresses, which cost no memory, beside ` +
      `${formatGiB(LEFT_TO_THREADS)} for threads, and the process may have ${had} more: ` +
      "let it have more (`ulimit -v unlimited`), or have fewer graphs",
    { cause },
  );
}
