// Finds a Node.js that can load uWebSockets: the current one, with a newer C library if necessary.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { newerLibcCommand } from "../../test/uws/newer-libc.mjs";

const BENCH = fileURLToPath(new URL("..", import.meta.url));
const LIBC = fileURLToPath(new URL("../../test/uws/.libc", import.meta.url));

/**
 * Returns the command that starts that Node.js; prints the reason and returns null without one.
 * @returns {string[] | null}
 */
export function uwsNode() {
  const plain = [process.execPath];
  if (canLoad(plain)) return plain;
  try {
    const newer = newerLibcCommand(LIBC);
    if (canLoad(newer)) return newer;
    console.log("uws: skipped (uWebSockets does not load)\n");
  } catch (error) {
    console.log(`uws: skipped (${error.message})\n`);
  }
  return null;
}

function canLoad([program, ...args]) {
  const script = "require('uWebSockets.js')";
  return spawnSync(program, [...args, "--eval", script], { cwd: BENCH }).status === 0;
}
