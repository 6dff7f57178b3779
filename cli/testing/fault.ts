// The faults that a test can inject into an instance; faults.ts implements them.

import { SvcError } from "../../runtime/base/errors.js";
import { type Duration, milliseconds } from "./duration.js";

/**
 * - `refuse`: rejects new connections
 * - `hang`: responds to health checks only, until the fault is cleared
 * - `cut`: closes connections in the middle of each response, except health checks
 * - `slow`: delays each request except health checks, by the clock of the test
 */
export type Fault = "refuse" | "hang" | "cut" | { readonly slow: Duration };

const NAMES = ["refuse", "hang", "cut"];

/** @throws SvcError SVC3300 for an unknown fault */
export function checkedFault(fault: Fault): Fault {
  if (typeof fault === "object" && fault !== null && Object.hasOwn(fault, "slow")) {
    return { slow: milliseconds(fault.slow) };
  }
  if (NAMES.includes(fault as string)) return fault;
  const allowed = 'use "refuse", "hang", "cut" or { slow: "20ms" }';
  const text = `invalid fault ${JSON.stringify(fault)}: ${allowed}`;
  throw new SvcError("SVC3300", text);
}
