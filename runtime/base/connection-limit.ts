// How many connections there may be, so that files are left for what matters more: whoever connects
// again and again must not keep graphs from being saved.

import { readFileSync } from "node:fs";
import { MAX_CONNECTIONS_PER_PORT } from "./limits.js";

const LIMIT = /^Max open files +(\d+)/m;
/** Threads, graphs, the log of changes, listening sockets. */
const OWN_FILES = 160;
/**
 * Of those that are left. Each port has a quarter more for those that are turned away, and each
 * connection of the main port may have a file that it is sent.
 */
const SHARES = [0.35, 0.15] as const;
const FEWEST = 8;

/** For the main port (0) and the admin port (1). */
export function maxConnections(offset: 0 | 1): number {
  const left = Math.max(0, openFiles() - OWN_FILES);
  const share = Math.max(FEWEST, Math.floor(left * SHARES[offset]));
  return Math.min(MAX_CONNECTIONS_PER_PORT, share);
}

/** That the process may have (`ulimit -n`); infinite where there is no bound, or none is known. */
function openFiles(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  try {
    const limit = LIMIT.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
