// Verbs that do one operation on each chosen instance, all at once; what does not run is told, and
// the others go on.

import { SvcError } from "../../runtime/base/errors.js";
import { EXIT_FAILURE } from "../frame/report-error.js";
import type { AdminContext } from "./context.js";

interface Outcome {
  readonly id: string;
  readonly result: unknown;
  readonly error: string | null;
}

/**
 * @param say what a line says of a result
 * @returns the exit code
 */
export async function onEach(
  context: AdminContext,
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  say: (result: unknown) => string,
): Promise<number> {
  const outcomes = await Promise.all(ids.map((id) => outcomeOf(id, act)));
  context.print(
    outcomes,
    outcomes.map(({ id, result, error }) => error ?? `${id}: ${say(result)}`),
  );
  return outcomes.some(({ error }) => error !== null) ? EXIT_FAILURE : 0;
}

async function outcomeOf(id: string, act: (id: string) => Promise<unknown>): Promise<Outcome> {
  try {
    return { id, result: await act(id), error: null };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const isGone = error.code === "SVC2701";
    const text = isGone
      ? `Not running: ${id} (${error.message})`
      : `${id}: ${error.code}: ${error.message}`;
    return { id, result: null, error: text };
  }
}
