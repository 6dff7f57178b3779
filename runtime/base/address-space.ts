// The address space that the process may still reserve under a limit (`ulimit -v`). Reserving costs
// no memory, but V8 aborts the process without a message when a thread gets too little: check
// before starting many threads.

import { readFileSync } from "node:fs";

const GIB = 2 ** 30;
const KIB = 1024;
const LIMIT = /^Max address space +(\d+)/m;
const USED = /^VmSize:\s+(\d+) kB$/m;

/** Returns bytes; infinite without a known limit. */
export function availableAddressSpace(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  try {
    const limit = LIMIT.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    const used = USED.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    return Math.max(0, Number(limit) - Number(used ?? 0) * KIB);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Formats bytes for messages. */
export function formatGiB(bytes: number): string {
  return `${Number((bytes / GIB).toFixed(1))} GiB`;
}
