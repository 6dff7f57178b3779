// What files of a project leave behind that were run to be read, such as timers of `svc.config.ts`:
// where that fails, or wants to end the process, the command comes to its end, and fails.

import { inspect } from "node:util";
import { SvcError } from "./errors.js";

/** Frames of the copies that are run, and the names of their originals. */
const COPY = /\.([^\s/\\]+\.[cm]?[jt]s)\.\d+\.\w+\.mjs/;

/** Characters of a thrown value that are told. */
const MAX_SHOWN = 200;
/** What Node makes of a promise that was rejected with what is no error. */
const REJECTED = "ERR_UNHANDLED_REJECTION";

let left: SvcError | null = null;
let lastRun: string | null = null;

/** A file is run: what nobody else can have thrown is taken for its, from now on. */
export function trackModule(file: string): void {
  lastRun = file;
}

/** The file whose code a stack runs through, if there is one. */
export function moduleInStack(stack: string | undefined): string | undefined {
  return COPY.exec(stack ?? "")?.[1];
}

/** Such a file calls `process.exit`. */
export class ExitAttempt extends SvcError {
  constructor(file: string, code: "SVC1101" | "SVC1180", status: unknown) {
    super(code, `${file} called process.exit(${status ?? ""}); throw an error instead`);
  }
}

/**
 * Notes an exception that nobody has caught, if such a file has left it behind.
 * @returns what is to be told of it; null: it is not of one
 */
export function recordUnhandledError(error: unknown): SvcError | null {
  const found = error instanceof ExitAttempt ? error : failureOf(error);
  left ??= found;
  return found;
}

/** @throws SvcError where there was such an exception */
export function rethrowUnhandledError(): void {
  if (left !== null) throw left;
}

function failureOf(error: unknown): SvcError | null {
  // Nothing of ours throws what is no error, and has no stack to tell whose it is.
  const isError = error instanceof Error && (error as NodeJS.ErrnoException).code !== REJECTED;
  const file = isError ? moduleInStack(error.stack) : lastRun;
  if (file === undefined || file === null) return null;
  const what = error instanceof Error ? error.message : shown(error);
  return new SvcError("SVC1101", `${file} failed after it was loaded: ${what}`, { cause: error });
}

function shown(value: unknown): string {
  return `${inspect(value, { customInspect: false, depth: 0 }).slice(0, MAX_SHOWN)} was thrown`;
}
