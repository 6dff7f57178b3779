// The server's log: one entry an event, on standard error and, when asked for, in hourly files.
// Requests are counted, not logged. An entry that comes again within a second is counted, too.
//
// The log must never be what stops a server: readers of a pipe go away, disks are full. Entries are
// lost then, and the status says how many.

import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { logEntry } from "./log-entry.js";

const KEPT_MS = 30 * 24 * 3600 * 1000;
const LOG_FILE = /^svc-\d{8}-\d{2}\.log$/;
/** Entries are told apart for so long, and so many of them. */
const REPEAT_MS = 1000;
const MAX_TOLD_APART = 100;

let folder: string | null = null;
let lastFile = "";
/** How often each entry came again. */
const repeats = new Map<string, number>();
let isSurviving = false;
let lost = 0;
let onLost: (() => void) | null = null;

/** Writes `svc: <text>`. */
export function log(text: string): void {
  const entry = logEntry(text);
  const count = repeats.get(entry);
  if (count !== undefined) {
    repeats.set(entry, count + 1);
    return;
  }
  if (repeats.size === 0) setTimeout(tellRepeats, REPEAT_MS).unref();
  if (repeats.size < MAX_TOLD_APART) repeats.set(entry, 0);
  write(entry);
}

/**
 * From now on this thread's log also goes to `svc-YYYYMMDD-HH.log` in a folder, which is made when
 * it is not there. Returns what ends that.
 */
export function logToFolder(path: string): () => void {
  mkdirSync(path, { recursive: true });
  folder = path;
  return () => {
    folder = null;
  };
}

/**
 * Lets the process go on when nobody can read what it writes any more. For the main thread: what
 * the others write goes through it.
 */
export function surviveLostReaders(): void {
  if (isSurviving) return;
  isSurviving = true;
  for (const stream of [process.stdout, process.stderr]) stream.on("error", countLost);
}

/** Tells of each write that is lost, and of those that were before. One listener at a time. */
export function onLostWrites(listener: () => void): void {
  onLost = listener;
  for (let told = 0; told < lost; told++) listener();
}

function countLost(): void {
  lost++;
  onLost?.();
}

function tellRepeats(): void {
  const again = [...repeats].filter(([, count]) => count > 0);
  repeats.clear();
  for (const [entry, count] of again) {
    const [first] = entry.split("\n", 1);
    write(`${first} (${count} more within a second)`);
  }
}

function write(entry: string): void {
  try {
    process.stderr.write(`svc: ${entry}\n`);
  } catch {
    countLost();
  }
  if (folder !== null) writeToFile(folder, entry);
}

function writeToFile(path: string, entry: string): void {
  const now = new Date().toISOString();
  const file = `svc-${now.slice(0, 10).replaceAll("-", "")}-${now.slice(11, 13)}.log`;
  try {
    if (file !== lastFile) deleteOld(path);
    lastFile = file;
    appendFileSync(join(path, file), `${now} ${entry}\n`);
  } catch {
    // A full disk must not stop the service.
    countLost();
  }
}

function deleteOld(path: string): void {
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    if (LOG_FILE.test(name) && Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
  }
}
