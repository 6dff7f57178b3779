// Keeps a second process from writing to the same root: the file `svc.lock` names the process which
// does. It outlives a process that is killed; the next one sees that, and takes it over.
//
// A lock file is made by linking a complete one to its name, so that nobody sees half of one, and
// only one of many can succeed. Whoever takes over a stale lock first takes the lock
// `<file>.<token>`, where the token is that of the stale one: of all who have seen the same stale
// lock only one gets on, looks whether it is still there, and replaces it. That second lock can be
// stale as well, and is then taken over in the same way.
//
// Processes in containers with process numbers of their own do not see each other.

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
import { DataError } from "../model/errors.js";
import { currentProcessIdentity, isRunning, type ProcessIdentity } from "./process-identity.js";

const FILE = "svc.lock";
/** Takeovers that died in a takeover. */
const MAX_DEPTH = 4;
/** A lock that is released or taken over again and again while we look. */
const MAX_ATTEMPTS = 100;

export interface RootLock {
  /** Lets others write to the root. Safe to call twice. */
  release(): void;
}

interface LockOwner extends ProcessIdentity {
  /** Tells this lock from any other. */
  readonly token: string;
}

/**
 * Takes the right to write to a root; the folder is made where it is missing.
 * @throws DataError another process has it, or this one already; the text names process and file
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

/** True if some process has the right to write to a root, or has died with it. */
export function isRootLocked(root: string): boolean {
  return existsSync(join(root, FILE));
}

/** Returns the token of the lock. */
function acquire(file: string, depth: number): string {
  const token = randomBytes(8).toString("hex");
  const complete = `${file}.${token}.new`;
  writeFlushed(complete, JSON.stringify({ ...currentProcessIdentity(), token }));
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (linkIfFree(complete, file)) return token;
      const stale = readOwner(file);
      if (stale === null) continue;
      if (isRunning(stale) || depth === MAX_DEPTH) throw inUse(file, stale);
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
    throw new DataError(`${file} is taken and released again and again`);
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

/** Null if there is no lock. */
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
  throw new DataError(`${file} is no lock file; remove it if no server uses this root`);
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

function inUse(file: string, { pid }: LockOwner): DataError {
  const who = pid === process.pid ? "this process" : `process ${pid}`;
  return new DataError(`this root is used by ${who}, as ${file} says`);
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
