// Runs `svc` to completion and returns its output.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../../bin/svc.cjs", import.meta.url));
const MAX_OUTPUT = 64 * 1024 * 1024;

export function runCommand(
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { maxBuffer: MAX_OUTPUT };
    const child = execFile(process.execPath, [BIN, ...words], options, (_error, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}
