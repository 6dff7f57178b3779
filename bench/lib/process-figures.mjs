// CPU time and resident memory of processes from the operating system. Linux only.

import { readFileSync } from "node:fs";

/** Unit of all these counters, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;
/** Offset among the fields after the command's name, which may contain spaces. */
const UTIME = 11;
const STIME = 12;
const CHILDREN_UTIME = 13;
const CHILDREN_STIME = 14;

/** Returns the CPU time of all threads of a process, user and system, in microseconds. */
export function cpuUs(pid) {
  const fields = statFields(pid);
  return ticksToUs(fields[UTIME] + fields[STIME]);
}

/** Returns the CPU time of the calling thread, user and system, in seconds; precise to some ms. */
export function threadCpuSeconds() {
  const [spentNs] = threadTimesNs();
  return spentNs / 1e9;
}

/** Clock of the calling thread in seconds, which stops while the thread waits for a core. */
export function threadSeconds() {
  const [, waitedNs] = threadTimesNs();
  return performance.now() / 1000 - waitedNs / 1e9;
}

function threadTimesNs() {
  return readFileSync("/proc/thread-self/schedstat", "latin1").split(" ").map(Number);
}

/** As `cpuUs`, for this process and its exited children. */
export function ownCpuUs() {
  const fields = statFields("self");
  const children = fields[CHILDREN_UTIME] + fields[CHILDREN_STIME];
  return ticksToUs(fields[UTIME] + fields[STIME] + children);
}

/** Returns the CPU time of the whole machine, in microseconds. */
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

/** Returns the resident memory of a process in MiB. */
export function residentMiB(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024;
}
