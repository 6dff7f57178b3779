// CPU time of this process.

import { readFileSync } from "node:fs";

/** Unit of times in /proc. */
const TICKS_PER_SECOND = 100;

/** Of this process and the ones it has waited for; without the latter where /proc is missing. */
export function cpuSeconds() {
  try {
    const [, after] = readFileSync("/proc/self/stat", "latin1").split(") ");
    const ticks = after.split(" ").slice(11, 15).map(Number);
    return ticks.reduce((sum, count) => sum + count) / TICKS_PER_SECOND;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
