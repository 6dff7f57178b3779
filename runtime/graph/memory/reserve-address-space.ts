// Reserves address space for graph memory, which is reserved at once and grows in place.

import { availableAddressSpace, formatGiB } from "../../base/address-space.js";
import { CapacityError } from "../model/errors.js";

/** Reserved by the engine per WebAssembly memory: 4 GiB plus guard regions. */
export const KERNEL_ADDRESSES = 10 * 2 ** 30;
/** Address space left for later threads; V8 aborts the process when they find none. */
const THREAD_RESERVE_BYTES = 4 * 2 ** 30;

/**
 * Calls `make` if the process may still reserve `bytes` of address space.
 * @param subject subject of the error message
 * @throws CapacityError if it may not
 */
export function reserveAddressSpace<T>(subject: string, bytes: number, make: () => T): T {
  const left = availableAddressSpace();
  if (left < bytes + THREAD_RESERVE_BYTES) throw addressSpaceError(subject, bytes, left);
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) throw addressSpaceError(subject, bytes, null, error);
    throw error;
  }
}

/** @param left null: unknown */
function addressSpaceError(
  subject: string,
  bytes: number,
  left: number | null,
  cause?: RangeError,
) {
  const had = left === null ? "less" : `only ${formatGiB(left)} more`;
  return new CapacityError(
    `${subject} reserves ${formatGiB(bytes)} of address space (no memory) in addition to ` +
      `${formatGiB(THREAD_RESERVE_BYTES)} for threads, but the process may reserve ${had}: ` +
      "raise `ulimit -v`, or open fewer graphs",
    { cause },
  );
}
