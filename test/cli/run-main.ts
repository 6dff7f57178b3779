// Runs one command line in this process and captures both outputs.

import { main } from "../../cli/main.js";

export async function run(...words: string[]) {
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
    return { ...outputs, code: process.exitCode };
  } finally {
    process.stdout.write = original.stdout;
    process.stderr.write = original.stderr;
    process.exitCode = 0;
  }
}
