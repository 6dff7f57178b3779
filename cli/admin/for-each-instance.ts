// Runs one operation on all chosen instances in parallel. Reports failures and continues with the
// others.

import { unexpectedResponse } from "../../runtime/system/unexpected-response.js";
import { EXIT_FAILURE } from "../framework/report-error.js";
import type { AdminContext } from "./context.js";

interface Outcome {
  readonly id: string;
  readonly result: unknown;
  readonly error: string | null;
}

/** Outcome of one instance, and its output line. */
interface InstanceResult {
  readonly outcome: Outcome;
  readonly line: string;
}

/**
 * @param format formats a result
 * @returns the exit code
 */
export async function forEachInstance(
  context: AdminContext,
  ids: readonly string[],
  operation: (id: string) => Promise<unknown>,
  format: (result: unknown) => string,
): Promise<number> {
  const formatResult = context.isJson ? JSON.stringify : format;
  const results = await Promise.all(ids.map((id) => runOn(id, operation, formatResult)));
  const outcomes = results.map(({ outcome }) => outcome);
  context.print(
    outcomes,
    results.map(({ line }) => line),
  );
  return outcomes.some(({ error }) => error !== null) ? EXIT_FAILURE : 0;
}

async function runOn(
  id: string,
  operation: (id: string) => Promise<unknown>,
  format: (result: unknown) => string,
): Promise<InstanceResult> {
  try {
    const result = await operation(id);
    return { outcome: { id, result, error: null }, line: `${id}: ${format(result)}` };
  } catch (error) {
    const { code, message } = unexpectedResponse(id, error);
    const isUnreachable = code === "SVC2701";
    const line = isUnreachable ? `Not running: ${id} (${message})` : `${id}: ${code}: ${message}`;
    return { outcome: { id, result: null, error: line }, line };
  }
}
