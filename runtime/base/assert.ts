// Assertions of internal assumptions, placed in pairs: where data enter a structure, and where they
// are used. A failure is a defect of svc, never of its input: data from disks, peers and clients
// are validated with errors of their own.

export class AssertionError extends Error {}

/**
 * Checks an assumption that the code below relies on.
 * @param assumption constant text, so that a check on a hot path builds no string
 * @throws AssertionError if the condition is false
 */
export function assert(condition: boolean, assumption: string): asserts condition {
  if (!condition) throw new AssertionError(`internal error: assertion failed: ${assumption}`);
}
