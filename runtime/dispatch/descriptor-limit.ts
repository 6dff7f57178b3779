// File descriptor budget of this process. A matrix that may need more must not start: it would fail
// under load, when it is needed most.

import { MAX_CONNECTIONS_PER_PORT } from "../base/limits.js";

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}

/** Threads, files, listening sockets, the admin port. */
const BASE_DESCRIPTORS = 256;

/**
 * Returns the file descriptors left for back-ends when the main port has all its clients; Infinity
 * without a limit.
 */
export function openFileLimit(): number {
  const { userLimits } = process.report.getReport() as Report;
  const soft = Number(userLimits?.open_files?.soft);
  if (Number.isNaN(soft)) return Number.POSITIVE_INFINITY;
  return Math.max(0, soft - MAX_CONNECTIONS_PER_PORT - BASE_DESCRIPTORS);
}
