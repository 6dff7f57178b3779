// What the operating system knows of processes: CPU time and resident memory. Linux only.

import { readFileSync } from "node:fs";

/** The unit of all these counters, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Of the fields behind the command's name, which may hold blanks itself. */
const UTIME = 11;
const STIME = 12;
const CHILDREN_UTIME = 13;
const CHILDREN_STIME = 14;

/** CPU time that all threads of a process have spent, user and system, in microseconds. */
export function cpuUs(pid) {
  const fields = statFields(pid);
  return ticksToUs(fields[UTIME] + fields[STIME]);
}

/** CPU time that the calling thread has spent, user and system, in seconds; some ms inexact. */
export function threadCpuSeconds() {
  const [spentNs] = threadTimesNs();
  return spentNs / 1e9;
}

/** A clock of the calling thread that stands still while it waits for a core, in seconds. */
export function threadSeconds() {
  const [, waitedNs] = threadTimesNs();
  return performance.now() / 1000 - waitedNs / 1e9;
}

function threadTimesNs() {
  return readFileSync("/proc/thread-self/schedstat", "latin1").split(" ").map(Number);
}

/** As `cpuUs`, for this process and its children that have ended. */
export function ownCpuUs() {
  const fields = statFields("self");
  const children = fields[CHILDREN_UTIME] + fields[CHILDREN_STIME];
  return ticksToUs(fields[UTIME] + fields[STIME] + children);
}

/** CPU time that everything on the machine has spent, in microseconds. */
export function machineCpuUs() {
  const [line] = readFileSync("/proc/stat", "utf8").split("\n", 1);
  const [user, nice, system, , , irq, softirq] = line.split(/ +/).slice(1).map(Number);
  return ticksToUs(user + nice + system + irq + softirq);
}

function statFields(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

function ticksToUs(ticks) {
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024;
}
