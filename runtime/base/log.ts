// The server's log: one entry an event, on standard error and, when asked for, in hourly files.
// Requests are counted; only a sample of them is logged, when asked for. An entry that comes again
// within a second is counted, too, and of those that requests provoke so many different ones are
// written in a second: clients must not fill disks.
//
// The log must never be what stops a server: readers of a pipe go away or do not read, disks are
// full. Entries are lost then, and the status says how many.

import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatJsonEntry, formatTextEntry, type LogFields } from "./log-entry.js";
import { LOG_LEVELS, type LogLevel, logSettings } from "./log-settings.js";
import { recordLogEntry } from "./recent-log.js";

const KEPT_MS = 30 * 24 * 3600 * 1000;
const LOG_FILE = /^svc-\d{8}-\d{2}\.log$/;
/** Entries are told apart for so long, and so many; further ones of requests are left out. */
const REPEAT_MS = 1000;
const MAX_TOLD_APART = 100;
/** What waits for a reader that does not read. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const NO_FIELDS: LogFields = {};

/** How often an entry came again. */
interface Repeated {
  readonly level: LogLevel;
  count: number;
}

let folder: string | null = null;
let lastFile = "";
const repeats = new Map<string, Repeated>();
let leftOut = 0;
let isSurviving = false;
let lost = 0;
let onLost: (() => void) | null = null;

/**
 * Writes `svc: <text>`, or a line of JSON.
 * @param fields for JSON alone, but for `request`, the id of a request
 */
export function log(text: string, level: LogLevel = "info", fields = NO_FIELDS): void {
  if (!isLogged(level)) return;
  const repeated = repeats.get(text);
  if (repeated !== undefined) {
    repeated.count++;
    return;
  }
  if (repeats.size === 0) setTimeout(tellRepeats, REPEAT_MS).unref();
  if (repeats.size < MAX_TOLD_APART) repeats.set(text, { level, count: 0 });
  else if (fields.request !== undefined) {
    leftOut++;
    return;
  }
  logUnthrottled(text, level, fields);
}

/** The same for entries that somebody wants each of: those of plugins, and of single requests. */
export function logUnthrottled(text: string, level: LogLevel, fields: LogFields): void {
  if (!isLogged(level)) return;
  const { request } = fields;
  const entry = formatTextEntry(request === undefined ? text : withRequest(text, request));
  recordLogEntry(level, entry);
  if (logSettings().isJson) write(formatJsonEntry(level, text, fields), "");
  else write(entry, "svc: ");
}

/** Whether entries of a level are written. */
export function isLogged(level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(logSettings().level);
}

/** At the end of the first line. */
function withRequest(text: string, request: LogFields[string]): string {
  const end = text.indexOf("\n");
  const first = end < 0 ? text : text.slice(0, end);
  return `${first} (request ${request})${end < 0 ? "" : text.slice(end)}`;
}

/**
 * From now on this thread's log also goes to `svc-YYYYMMDD-HH.log` in a folder, which is made when
 * it is not there. Returns what ends that.
 */
export function logToDirectory(path: string): () => void {
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
export function ignoreBrokenPipe(): void {
  if (isSurviving) return;
  isSurviving = true;
  for (const stream of [process.stdout, process.stderr]) stream.on("error", countLost);
}

/** Tells of each write that is lost, and of those that were before. One listener at a time. */
export function onDroppedWrites(listener: () => void): void {
  onLost = listener;
  for (let told = 0; told < lost; told++) listener();
}

/**
 * Keeps what plugins print from piling up in memory: what a reader does not take in time is lost.
 * For threads that run plugins; a program of its own decides by itself.
 */
export function limitOutputBuffer(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    stream.write = (...given: unknown[]): boolean => {
      if (stream.writableLength <= MAX_UNREAD_BYTES) return write(...given);
      countLost();
      const done = given.at(-1);
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    };
  }
}

function countLost(): void {
  lost++;
  onLost?.();
}

function tellRepeats(): void {
  const again = [...repeats].filter(([, { count }]) => count > 0);
  const missing = leftOut;
  repeats.clear();
  leftOut = 0;
  for (const [text, { level, count }] of again) {
    const [first] = text.split("\n", 1);
    logUnthrottled(`${first} (${count} more within 1 s)`, level, { repeats: count });
  }
  if (missing > 0) logUnthrottled(`${missing} more entries dropped`, "warn", { repeats: missing });
}

/** @param start of a line for people; files have the time there */
function write(entry: string, start: string): void {
  try {
    if (process.stderr.writableLength > MAX_UNREAD_BYTES) countLost();
    else process.stderr.write(`${start}${entry}\n`);
  } catch {
    countLost();
  }
  if (folder !== null) writeToFile(folder, entry, start !== "");
}

function writeToFile(path: string, entry: string, isText: boolean): void {
  const now = new Date().toISOString();
  const file = `svc-${now.slice(0, 10).replaceAll("-", "")}-${now.slice(11, 13)}.log`;
  try {
    if (file !== lastFile) deleteOld(path);
    lastFile = file;
    appendFileSync(join(path, file), isText ? `${now} ${entry}\n` : `${entry}\n`);
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
