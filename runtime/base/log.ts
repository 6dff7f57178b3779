// The server log: one entry per event, on standard error and optionally in hourly files. Requests
// are counted; only a sample is logged, if enabled. Repetitions within a second are counted instead
// of written, and the number of different request-related entries per second is limited: clients
// must not fill disks.
// Logging must never stop the server: if a pipe is broken or not read, or a disk is full, entries
// are dropped and counted in the status.

import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatJsonEntry, formatTextEntry, type LogFields } from "./log-entry.js";
import { LOG_LEVELS, type LogLevel, logSettings } from "./log-settings.js";
import { recordLogEntry } from "./recent-log.js";

const RETENTION_MS = 30 * 24 * 3600 * 1000;
const LOG_FILE = /^svc-\d{8}-\d{2}\.log$/;
/**
 * Window of deduplication, and the number of distinct entries in it; further request-related ones
 * are dropped.
 */
const REPEAT_WINDOW_MS = 1000;
const MAX_DISTINCT_ENTRIES = 100;
/** Buffer for a pipe whose reader is slow. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const NO_FIELDS: LogFields = {};

/** Number of repetitions of an entry. */
interface Repeated {
  readonly level: LogLevel;
  count: number;
}

let folder: string | null = null;
let lastFile = "";
const repeats = new Map<string, Repeated>();
let omitted = 0;
let ignoresBrokenPipe = false;
let droppedWrites = 0;
let onDropped: (() => void) | null = null;

/**
 * Writes `svc: <text>`, or a line of JSON.
 * @param fields for JSON only, except `request`, the id of a request
 */
export function log(text: string, level: LogLevel = "info", fields = NO_FIELDS): void {
  if (!isLogged(level)) return;
  const repeated = repeats.get(text);
  if (repeated !== undefined) {
    repeated.count++;
    return;
  }
  if (repeats.size === 0) setTimeout(reportRepeats, REPEAT_WINDOW_MS).unref();
  if (repeats.size < MAX_DISTINCT_ENTRIES) repeats.set(text, { level, count: 0 });
  else if (fields.request !== undefined) {
    omitted++;
    return;
  }
  logUnthrottled(text, level, fields);
}

/** Like `log`, but without deduplication: for entries of plugins and of single requests. */
export function logUnthrottled(text: string, level: LogLevel, fields: LogFields): void {
  if (!isLogged(level)) return;
  const { request } = fields;
  const entry = formatTextEntry(request === undefined ? text : withRequest(text, request));
  recordLogEntry(level, entry);
  if (logSettings().isJson) write(formatJsonEntry(level, text, fields), "");
  else write(entry, "svc: ");
}

/** Returns whether entries of a level are written. */
export function isLogged(level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= logSettings().level[0]!;
}

/** Appends the request id to the first line. */
function withRequest(text: string, request: LogFields[string]): string {
  const end = text.indexOf("\n");
  const first = end < 0 ? text : text.slice(0, end);
  return `${first} (request ${request})${end < 0 ? "" : text.slice(end)}`;
}

/**
 * Also writes this thread's log to `svc-YYYYMMDD-HH.log` in a folder, created if missing. Returns
 * the function that stops it.
 */
export function logToDirectory(path: string): () => void {
  mkdirSync(path, { recursive: true });
  folder = path;
  return () => {
    folder = null;
  };
}

/**
 * Ignores broken pipes of standard output and error. For the main thread, which writes for all
 * others.
 */
export function ignoreBrokenPipe(): void {
  if (ignoresBrokenPipe) return;
  ignoresBrokenPipe = true;
  for (const stream of [process.stdout, process.stderr]) stream.on("error", countDropped);
}

/** Reports every dropped write, including earlier ones. One listener at a time. */
export function onDroppedWrites(listener: () => void): void {
  onDropped = listener;
  for (let reported = 0; reported < droppedWrites; reported++) listener();
}

/**
 * Limits the buffered output of plugins: output that is not read in time is dropped. For threads
 * that run plugins; library programs decide for themselves.
 */
export function limitOutputBuffer(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]): boolean => {
      if (stream.writableLength <= MAX_UNREAD_BYTES) return write(...args);
      countDropped();
      const done = args.at(-1);
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    };
  }
}

function countDropped(): void {
  droppedWrites++;
  onDropped?.();
}

function reportRepeats(): void {
  const repeated = [...repeats].filter(([, { count }]) => count > 0);
  const omittedCount = omitted;
  repeats.clear();
  omitted = 0;
  for (const [text, { level, count }] of repeated) {
    const [first] = text.split("\n", 1);
    logUnthrottled(`${first} (${count} more within 1 s)`, level, { repeats: count });
  }
  if (omittedCount > 0)
    logUnthrottled(`${omittedCount} more entries dropped`, "warn", { repeats: omittedCount });
}

/** @param prefix of text lines on standard error; files have the time instead */
function write(entry: string, prefix: string): void {
  try {
    if (process.stderr.writableLength > MAX_UNREAD_BYTES) countDropped();
    else process.stderr.write(`${prefix}${entry}\n`);
  } catch {
    countDropped();
  }
  if (folder !== null) writeToFile(folder, entry, prefix !== "");
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
    countDropped();
  }
}

function deleteOld(path: string): void {
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    if (LOG_FILE.test(name) && Date.now() - statSync(file).mtimeMs > RETENTION_MS) rmSync(file);
  }
}
