// Prevents project files that the build executes, such as `svc.config.ts`, from ending the process:
// an early exit would look like success. This also covers timers that such a file leaves behind.

import { ExitAttempt, moduleInStack, trackModule } from "../../runtime/base/unhandled-errors.js";

let isGuarded = false;

/**
 * @param file its name in the error
 * @param code error code
 */
export async function blockProcessExit<T>(
  file: string,
  code: "SVC1101" | "SVC1180",
  run: () => Promise<T>,
): Promise<T> {
  guardPermanently(code);
  trackModule(file);
  const { exit, exitCode } = process;
  // A captured reference to this function becomes harmless afterwards.
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

function guardPermanently(code: "SVC1101" | "SVC1180"): void {
  if (isGuarded) return;
  isGuarded = true;
  const { exit } = process;
  process.exit = (...args) => {
    const file = moduleInStack(captureFullStack());
    // Without an argument, `process.exitCode` is the status, not 0.
    if (file === undefined) return exit.apply(process, args);
    throw new ExitAttempt(file, code, args[0]);
  };
}

function captureFullStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack } = new Error("where");
  Error.stackTraceLimit = stackTraceLimit;
  return stack ?? "";
}
