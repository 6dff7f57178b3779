// Prints an error and chooses the exit code. User errors are one line with a remedy; only bugs of
// svc print a stack.

import { ERROR_CODES, type ErrorCodeName } from "../../runtime/base/error-codes.js";
import { SvcError } from "../../runtime/base/errors.js";
import { isInstallationCorrupt } from "../../runtime/base/installation.js";
import { escapeControlChars } from "./printable.js";

export const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

const USAGE_ERRORS: ReadonlySet<ErrorCodeName> = new Set([
  "SVC3001",
  "SVC3002",
  "SVC3003",
  "SVC3004",
  "SVC3012",
  "SVC3111",
]);

/** Messages that name the command to run themselves. */
const NAMES_COMMAND = /: run `[^`]+`(?: first)?$/;

function errorLine(code: ErrorCodeName, message: string): string {
  const line = `svc: error ${code}: ${escapeControlChars(message)}`;
  if (NAMES_COMMAND.test(message)) return line;
  const end = /[.?!]$/.test(message) ? "" : ".";
  return `${line}${end} ${ERROR_CODES[code].fix}`;
}

/** The process or the machine has no free file descriptor. */
const NO_DESCRIPTOR = /^E[MN]FILE\b/;

/** Prints the error on standard error and returns the exit code. */
export function reportError(thrown: unknown): number {
  const error = withCause(thrown);
  if (error instanceof SvcError) {
    process.stderr.write(`${errorLine(error.code, error.message)}\n`);
    return USAGE_ERRORS.has(error.code) ? EXIT_USAGE : EXIT_FAILURE;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`svc: this is a bug in svc, please report it\n${text}\n`);
  return EXIT_FAILURE;
}

/** Returns the error that explains another one: no descriptors, or a corrupt installation. */
function withCause(error: unknown): unknown {
  // Executors fail alike if their own code or that of plugins does not load.
  if (error instanceof SvcError && error.code !== "SVC2201") return error;
  const message = error instanceof Error ? error.message : String(error);
  if (NO_DESCRIPTOR.test(message)) return new SvcError("SVC3093", message, { cause: error });
  return isInstallationCorrupt() ? new SvcError("SVC3094", message, { cause: error }) : error;
}
