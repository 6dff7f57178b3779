// Which process a lock file belongs to, and whether that one still runs. A process number alone
// says little: it is soon given to another process, after a restart of the system at once.

import { readFileSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks from the start of the system to that of the process, "" where nothing tells. */
  readonly startedAt: string;
  /** Differs after each start of the system, "" where nothing tells. */
  readonly bootId: string;
}

/** Of the fields of /proc/<pid>/stat that follow the name of the command. */
const STATE_FIELD = 0;
const START_FIELD = 19;

export function currentProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid), bootId: bootId() };
}

/** In doubt, true: a lock that is kept too long does less harm than one that is taken too early. */
export function isRunning(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return identity.startedAt === startOf(identity.pid);
}

function startOf(pid: number): string {
  const text = readOrNothing(`/proc/${pid}/stat`);
  // The name of the command may hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // It has ended, and its parent has not asked how.
  if (fields[STATE_FIELD] === "Z") return "ended";
  return fields[START_FIELD] ?? "";
}

function bootId(): string {
  return readOrNothing("/proc/sys/kernel/random/boot_id").trim();
}

/** Only Linux tells. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
