// Memory of the machine and of this process, with the extremes observed at calls.

import { freemem, totalmem } from "node:os";

export interface MemoryStats {
  /** Bytes of the machine. */
  readonly total: number;
  readonly current: { readonly available: number; readonly process: number };
  readonly "worst-case": { readonly available: number; readonly process: number };
}

let leastAvailable = Number.POSITIVE_INFINITY;
let mostUsed = 0;

export function memoryStats(): MemoryStats {
  const current = { available: freemem(), process: process.memoryUsage.rss() };
  leastAvailable = Math.min(leastAvailable, current.available);
  mostUsed = Math.max(mostUsed, current.process);
  return {
    total: totalmem(),
    current,
    "worst-case": { available: leastAvailable, process: mostUsed },
  };
}
