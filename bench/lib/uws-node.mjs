// A Node in which uWebSockets loads: this one, possibly on a newer C library.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { newerLibcCommand } from "../../test/uws/newer-libc.mjs";

const BENCH = fileURLToPath(new URL("..", import.meta.url));
const LIBC = fileURLToPath(new URL("../../test/uws/.libc", import.meta.url));

/**
 * Returns the command that starts it; prints the reason and returns null if it is not available.
 * @returns {string[] | null}
 */
export function uwsNode() {
  const plain = [process.execPath];
  if (loads(plain)) return plain;
  try {
    const newer = newerLibcCommand(LIBC);
    if (loads(newer)) return newer;
    console.log("uws: skipped (uWebSockets does not load)\n");
  } catch (error) {
    console.log(`uws: skipped (${error.message})\n`);
  }
  return null;
}

function loads([program, ...args]) {
  const script = "require('uWebSockets.js')";
  return spawnSync(program, [...args, "--eval", script], { cwd: BENCH }).status === 0;
}
