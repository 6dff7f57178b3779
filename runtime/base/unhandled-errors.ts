// Handles errors of code that executed project files leave behind, such as timers of
// `svc.config.ts`: if it throws or calls `process.exit`, the command completes and fails.

import { inspect } from "node:util";
import { SvcError } from "./errors.js";

/** Stack frames of temporary copies, with the names of the originals. */
const COPY = /\.([^\s/\\]+\.[cm]?[jt]s)\.\d+\.\w+\.mjs/;

/** Maximum characters of a thrown value in messages. */
const MAX_SHOWN = 200;
/** Node's code for a promise rejected with a value that is not an error. */
const REJECTED = "ERR_UNHANDLED_REJECTION";

let left: SvcError | null = null;
let lastRun: string | null = null;

/** Records an executed file: unattributed errors are assigned to it from now on. */
export function trackModule(file: string): void {
  lastRun = file;
}

/** Returns the tracked file on a stack, if any. */
export function moduleInStack(stack: string | undefined): string | undefined {
  return COPY.exec(stack ?? "")?.[1];
}

/** A tracked file calls `process.exit`. */
export class ExitAttempt extends SvcError {
  constructor(file: string, code: "SVC1101" | "SVC1180", status: unknown) {
    super(code, `${file} called process.exit(${status ?? ""}); throw an error instead`);
  }
}

/**
 * Records an uncaught exception if a tracked file caused it.
 * @returns the error to report; null: not caused by a tracked file
 */
export function recordUnhandledError(error: unknown): SvcError | null {
  const found = error instanceof ExitAttempt ? error : failureOf(error);
  left ??= found;
  return found;
}

/** @throws SvcError if such an exception was recorded */
export function rethrowUnhandledError(): void {
  if (left !== null) throw left;
}

function failureOf(error: unknown): SvcError | null {
  // svc itself throws only errors; other values have no stack to attribute them by.
  const isError = error instanceof Error && (error as NodeJS.ErrnoException).code !== REJECTED;
  const file = isError ? moduleInStack(error.stack) : lastRun;
  if (file === undefined || file === null) return null;
  const what = error instanceof Error ? error.message : shown(error);
  return new SvcError("SVC1101", `${file} failed after it was loaded: ${what}`, { cause: error });
}

function shown(value: unknown): string {
  return `${inspect(value, { customInspect: false, depth: 0 }).slice(0, MAX_SHOWN)} was thrown`;
}
