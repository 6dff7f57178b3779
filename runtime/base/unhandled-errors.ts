// Handles late errors of executed project files, such as those of timers in `svc.config.ts`. If
// such code throws or calls `process.exit`, the command completes and then fails.

import { inspect } from "node:util";
import { SvcError } from "./errors.js";

/** Stack frames of temporary copies, with the names of the originals. */
const COPY = /\.([^\s/\\]+\.[cm]?[jt]s)\.\d+\.\w+\.mjs/;

/** Maximum characters of a thrown value in messages. */
const MAX_SHOWN = 200;
/** Node's code for a promise rejected with a value that is not an error. */
const REJECTED = "ERR_UNHANDLED_REJECTION";

let recorded: SvcError | null = null;
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
  const found = error instanceof ExitAttempt ? error : attributeError(error);
  recorded ??= found;
  return found;
}

/** @throws SvcError if such an exception was recorded */
export function rethrowUnhandledError(): void {
  if (recorded !== null) throw recorded;
}

function attributeError(error: unknown): SvcError | null {
  // svc itself throws only errors; other values have no stack to attribute them by.
  const isError = error instanceof Error && (error as NodeJS.ErrnoException).code !== REJECTED;
  const file = isError ? moduleInStack(error.stack) : lastRun;
  if (file === undefined || file === null) return null;
  const message = error instanceof Error ? error.message : formatThrown(error);
  return new SvcError("SVC1101", `${file} failed after it was loaded: ${message}`, {
    cause: error,
  });
}

function formatThrown(value: unknown): string {
  return `${inspect(value, { customInspect: false, depth: 0 }).slice(0, MAX_SHOWN)} was thrown`;
}
