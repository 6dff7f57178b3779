// Addresses that the process may still reserve, where somebody has set a bound (`ulimit -v`). They
// cost no memory, but V8 ends a process that has too few for a thread without a word: so who needs
// many looks first.

import { readFileSync } from "node:fs";

const GIB = 2 ** 30;
const KIB = 1024;
const LIMIT = /^Max address space +(\d+)/m;
const USED = /^VmSize:\s+(\d+) kB$/m;

/** Bytes; infinite where there is no bound, or none that is known. */
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

/** For messages. */
export function formatGiB(bytes: number): string {
  return `${Number((bytes / GIB).toFixed(1))} GiB`;
}
