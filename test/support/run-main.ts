// Runs a command line in this process and captures both outputs: starting a process costs more
// than most commands.

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** @param main the command line, of the sources or of a build */
export async function runMain(
  main: (words: readonly string[]) => Promise<void>,
  words: readonly string[],
): Promise<CommandResult> {
  const outputs = { stdout: "", stderr: "" };
  const original = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      outputs[name] += chunk;
      return true;
    };
  }
  try {
    await main(words);
    return { ...outputs, code: Number(process.exitCode) };
  } finally {
    process.stdout.write = original.stdout;
    process.stderr.write = original.stderr;
    process.exitCode = 0;
  }
}
