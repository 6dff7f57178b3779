// Keeps files of a project that are run, such as `svc.config.ts`, from ending the process: whoever
// builds wants to know how it went, and an exit in the middle looks like success. What such a file
// leaves behind, timers say, is kept from it as well, for as long as the process lives.

/** Frames of the copies that are run. */
const COPY = /\.[cm]?[jt]s\.\d+\.\w+\.mjs/;

let isGuarded = false;

/** @param file what the error calls it */
export async function withoutExit<T>(file: string, run: () => Promise<T>): Promise<T> {
  guardLater(file);
  const { exit, exitCode } = process;
  // Whoever has got hold of this one never ends anything.
  process.exit = (code) => {
    throw new Error(`it calls process.exit(${code ?? ""}); throw an error instead`);
  };
  try {
    return await run();
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
  }
}

function guardLater(file: string): void {
  if (isGuarded) return;
  isGuarded = true;
  const { exit } = process;
  process.exit = (code) => {
    if (!COPY.test(wholeStack())) return exit.call(process, code);
    throw new Error(`${file} calls process.exit(${code ?? ""}); throw an error instead`);
  };
}

function wholeStack(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack } = new Error("where");
  Error.stackTraceLimit = stackTraceLimit;
  return stack ?? "";
}
