// Identity of the process that owns a lock file, and whether it still runs. A process id alone is
// not enough: it is reused, after a reboot immediately.

import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot, "" if unknown. */
  readonly startedAt: string;
  /** Unique per boot, "" if unknown. */
  readonly bootId: string;
}

/** Indexes of the fields of /proc/<pid>/stat behind the command name. */
const STATE_FIELD = 0;
const START_FIELD = 19;

export function currentProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: processStart(process.pid), bootId: bootId() };
}

/** Returns true in doubt: holding a lock too long does less harm than breaking it too early. */
export function isRunning(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return identity.startedAt === processStart(identity.pid);
}

function processStart(pid: number): string {
  const text = readIfExists(`/proc/${pid}/stat`);
  // The command name may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // A zombie: ended, but not yet reaped by its parent.
  if (fields[STATE_FIELD] === "Z") return "ended";
  return fields[START_FIELD] ?? "";
}

function bootId(): string {
  return readIfExists("/proc/sys/kernel/random/boot_id").trim();
}

/** Returns an empty string on systems other than Linux. */
function readIfExists(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
