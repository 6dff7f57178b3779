// Lock file that prevents a second process from writing to the same data folder: `svc.lock` names
// the owner. It survives a killed process; the next process detects that and takes it over.
//
// A lock is acquired by linking a complete file to its name, so it is never seen half-written and
// only one process can succeed. To take over a stale lock, a process first acquires the lock
// `<file>.<token>` with the token of the stale one: of all processes that saw the same stale lock
// only one proceeds, checks that it is unchanged, and replaces it. That second lock may be stale
// too, and is taken over the same way.
//
// Processes in containers with separate process id namespaces do not see each other.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { processExists } from "../../../base/process-exists.js";
import { DataError } from "../../model/errors.js";

const FILE = "svc.lock";
/** Maximum nesting of interrupted takeovers. */
const MAX_DEPTH = 4;
/** Maximum attempts while the lock is repeatedly released or taken over. */
const MAX_ATTEMPTS = 100;

export interface RootLock {
  /** Releases the lock. Idempotent. */
  release(): void;
}

interface LockOwner extends ProcessIdentity {
  /** Distinguishes this lock from all others. */
  readonly token: string;
}

/**
 * Acquires the right to write to a data folder, creating the folder if needed.
 * @throws DataError if a process holds it, even this one; the message names process and file
 */
export function lockRoot(root: string): RootLock {
  const file = join(root, FILE);
  try {
    mkdirSync(root, { recursive: true });
    const token = acquire(file, 0);
    return { release: () => release(file, token) };
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new DataError(`${file} cannot be written: ${error.message}`, { cause: error });
  }
}

/** Returns true if a lock file exists, stale or not. */
export function isRootLocked(root: string): boolean {
  return existsSync(join(root, FILE));
}

/** Acquires a lock; returns its token. */
function acquire(file: string, depth: number): string {
  const token = randomBytes(8).toString("hex");
  const complete = `${file}.${token}.new`;
  writeFlushed(complete, JSON.stringify({ ...currentProcessIdentity(), token }));
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (linkIfFree(complete, file)) return token;
      const stale = readOwner(file);
      if (stale === null) continue;
      if (isRunning(stale) || depth === MAX_DEPTH) throw inUseError(file, stale);
      const claim = `${file}.${stale.token}`;
      const claimToken = acquire(claim, depth + 1);
      try {
        if (readOwner(file)?.token !== stale.token) continue;
        renameSync(complete, file);
        return token;
      } finally {
        release(claim, claimToken);
      }
    }
    throw new DataError(`${file} is repeatedly locked and released by another process`);
  } finally {
    rmSync(complete, { force: true });
  }
}

function release(file: string, token: string): void {
  if (readOwner(file)?.token === token) rmSync(file, { force: true });
}

function linkIfFree(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the owner, null if there is no lock. */
function readOwner(file: string): LockOwner | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const owner = parseOwner(text);
  if (owner !== null) return owner;
  throw new DataError(`${file} is not a lock file; delete it if no server uses this root`);
}

function parseOwner(text: string): LockOwner | null {
  try {
    const { pid, startedAt, bootId, token } = JSON.parse(text) as Partial<LockOwner>;
    if (!Number.isInteger(pid) || pid! <= 0 || !/^[0-9a-f]{16}$/.test(String(token))) return null;
    return { pid: pid!, token: token!, startedAt: String(startedAt), bootId: String(bootId) };
  } catch {
    return null;
  }
}

function inUseError(file: string, { pid }: LockOwner): DataError {
  const who = pid === process.pid ? "this process" : `process ${pid}`;
  return new DataError(`root is in use by ${who} (see ${file})`);
}

function writeFlushed(file: string, text: string): void {
  const descriptor = openSync(file, "wx");
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A process id alone is not enough: it is reused, after a reboot immediately. */
interface ProcessIdentity {
  readonly pid: number;
  /** Start time in clock ticks since boot, "" if unknown. */
  readonly startedAt: string;
  /** Unique per boot, "" if unknown. */
  readonly bootId: string;
}

/** Indexes of the fields of /proc/<pid>/stat behind the command name. */
const STATE_FIELD = 0;
const START_FIELD = 19;

function currentProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, startedAt: processStart(process.pid), bootId: bootId() };
}

/** Returns true if in doubt: a lock held too long is less harmful than one broken too early. */
function isRunning(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId() || !processExists(identity.pid)) return false;
  return identity.startedAt === processStart(identity.pid);
}

function processStart(pid: number): string {
  const text = readIfExists(`/proc/${pid}/stat`);
  // The command name may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended, but is not yet reaped by its parent.
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
