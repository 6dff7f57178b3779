// Conditions on one value: `5`, `"a*"`, `[V_GT, 5]`, `[V_RANGE, [1, 9]]`. Read once, then tested
// against plain values here and against property cells in property-condition.ts.

import { InternalError } from "../errors.js";

/** A condition on a value, ready for tests. `code` is one of V_ANY to V_NRANGE. */
export interface ValueTest {
  readonly code: number;
  /** Bounds; of a comparison with one number both are it. Integers and floats compare alike. */
  readonly low: number;
  readonly high: number;
  /** Text to equal or to begin with, null for numbers. */
  readonly text: string | null;
  readonly isPrefix: boolean;
}

/**
 * Reads a condition; null and undefined pass anything.
 * @param plainCode what a plain number means: V_EQ, or V_GTE for times
 * @throws QueryError what is no value condition
 */
export function parseValueCondition(_condition: unknown, _plainCode?: number): ValueTest {
  throw new InternalError("not written yet");
}

/** Whether a number passes. */
export function testNumber(_test: ValueTest, _value: number): boolean {
  throw new InternalError("not written yet");
}

/** Whether a value of any kind passes; only V_ANY passes what is neither number nor text. */
export function testValue(_test: ValueTest, _value: unknown): boolean {
  throw new InternalError("not written yet");
}
