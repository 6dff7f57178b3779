// Derives the maximum number of connections from the limit of open files, so that descriptors
// remain for graphs: clients that reconnect repeatedly must not prevent snapshots.

import { readFileSync } from "node:fs";
import { MAX_CONNECTIONS_PER_PORT } from "./limits.js";

const LIMIT = /^Max open files +(\d+)/m;
/** Files of threads, graphs, the transaction log and listening sockets. */
const OWN_FILES = 160;
/**
 * Shares of the remaining files. Each port needs a quarter more for refused connections, and each
 * connection of the main port one more for a file being sent.
 */
const SHARES = [0.35, 0.15] as const;
const MIN_CONNECTIONS = 8;

/** Returns the limit of the main port (0) or the admin port (1). */
export function maxConnections(offset: 0 | 1): number {
  const left = Math.max(0, openFiles() - OWN_FILES);
  const share = Math.max(MIN_CONNECTIONS, Math.floor(left * SHARES[offset]));
  return Math.min(MAX_CONNECTIONS_PER_PORT, share);
}

/** Returns the limit of the process (`ulimit -n`); infinite without a known limit. */
function openFiles(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  try {
    const limit = LIMIT.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
