// What the operating system knows of a process: CPU time and resident memory. Linux only.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
/** Of the fields behind the command's name, which may hold blanks itself. */
const UTIME = 11;
const STIME = 12;

/** CPU time that all threads of a process have spent, user and system, in microseconds. */
export function cpuUs(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[UTIME]) + Number(fields[STIME])) / TICKS_PER_SECOND) * 1e6;
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024;
}
