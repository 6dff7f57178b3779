// Prevents project files that the build runs, such as `svc.config.ts`, from ending the process: an
// exit in the middle would look like success. Timers that such a file leaves behind are covered
// too, for the life of the process.

import { ExitAttempt, moduleInStack, trackModule } from "../../runtime/base/unhandled-errors.js";

let isGuarded = false;

/**
 * @param file what the error calls it
 * @param code of the error
 */
export async function blockProcessExit<T>(
  file: string,
  code: "SVC1101" | "SVC1180",
  run: () => Promise<T>,
): Promise<T> {
  guardLater(code);
  trackModule(file);
  const { exit, exitCode } = process;
  // A captured reference to this function stays harmless.
  process.exit = (status) => {
    throw new ExitAttempt(file, code, status);
  };
  try {
    return await run();
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
  }
}

function guardLater(code: "SVC1101" | "SVC1180"): void {
  if (isGuarded) return;
  isGuarded = true;
  const { exit } = process;
  process.exit = (...given) => {
    const file = moduleInStack(wholeStack());
    // With nothing given it is `process.exitCode` that counts, not 0.
    if (file === undefined) return exit.apply(process, given);
    throw new ExitAttempt(file, code, given[0]);
  };
}

function wholeStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack } = new Error("where");
  Error.stackTraceLimit = stackTraceLimit;
  return stack ?? "";
}
