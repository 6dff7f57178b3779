// What files of a project leave behind that were run to be read, such as timers of `svc.config.ts`:
// where that fails, or wants to end the process, the command comes to its end, and fails.

import { SvcError } from "./errors.js";

/** Frames of the copies that are run, and the names of their originals. */
const COPY = /\.([^\s/\\]+\.[cm]?[jt]s)\.\d+\.\w+\.mjs/;

let left: SvcError | null = null;

/** The file whose code a stack runs through, if there is one. */
export function runFileIn(stack: string | undefined): string | undefined {
  return COPY.exec(stack ?? "")?.[1];
}

/** Such a file calls `process.exit`. */
export class ExitCall extends SvcError {
  constructor(file: string, code: "SVC1101" | "SVC1180", status: unknown) {
    super(code, `${file} calls process.exit(${status ?? ""}); throw an error instead`);
  }
}

/**
 * Notes an exception that nobody has caught, if such a file has left it behind.
 * @returns what is to be told of it; null: it is not of one
 */
export function noteLeft(error: unknown): SvcError | null {
  const found = error instanceof ExitCall ? error : failureOf(error);
  left ??= found;
  return found;
}

/** @throws SvcError where there was such an exception */
export function refuseLeft(): void {
  if (left !== null) throw left;
}

function failureOf(error: unknown): SvcError | null {
  if (!(error instanceof Error)) return null;
  const file = runFileIn(error.stack);
  if (file === undefined) return null;
  const text = `${file} fails after it was read: ${error.message}`;
  return new SvcError("SVC1101", text, { cause: error });
}
