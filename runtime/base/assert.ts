// Assertions of internal assumptions. Public functions come in pairs of them: where data enters a
// structure, and where it is used. A failure is a defect of svc, never of its input: what comes
// from a disk, a peer or a client is validated, with an error of its own.

export class AssertionError extends Error {}

/**
 * Checks an assumption that the code below relies on.
 * @param assumption constant text, so that a check on a hot path builds no string
 * @throws AssertionError if the condition is false
 */
export function assert(condition: boolean, assumption: string): asserts condition {
  if (!condition) throw new AssertionError(`internal error: assertion failed: ${assumption}`);
}
