// The faults that a test may put an instance at; what they do is in faults.ts.

import { SvcError } from "../../runtime/base/errors.js";
import { type Duration, milliseconds } from "./duration.js";

/**
 * - `refuse`: no new connection is let in
 * - `hang`: health checks are answered, nothing else is until the fault is over
 * - `cut`: connections end in the middle of each answer, but of health checks
 * - `slow`: each request but health checks is begun so much later, by the clock of the test
 */
export type Fault = "refuse" | "hang" | "cut" | { readonly slow: Duration };

const NAMES = ["refuse", "hang", "cut"];

/** @throws SvcError SVC3300 for what is no fault */
export function checkedFault(fault: Fault): Fault {
  if (typeof fault === "object" && fault !== null && Object.hasOwn(fault, "slow")) {
    return { slow: milliseconds(fault.slow) };
  }
  if (NAMES.includes(fault as string)) return fault;
  const text = `${JSON.stringify(fault)} is no fault: "refuse", "hang", "cut", or { slow: "20ms" }`;
  throw new SvcError("SVC3300", text);
}
