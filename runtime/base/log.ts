// The server's log: one line an event, on standard error and, when asked for, in hourly files.
// Requests are counted, not logged.

import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const KEPT_MS = 30 * 24 * 3600 * 1000;
const LOG_FILE = /^svc-\d{8}-\d{2}\.log$/;

let folder: string | null = null;
let lastFile = "";

/** Writes `svc: <text>`. */
export function log(text: string): void {
  process.stderr.write(`svc: ${text}\n`);
  if (folder !== null) writeToFile(folder, text);
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

function writeToFile(path: string, text: string): void {
  const now = new Date().toISOString();
  const file = `svc-${now.slice(0, 10).replaceAll("-", "")}-${now.slice(11, 13)}.log`;
  try {
    if (file !== lastFile) deleteOld(path);
    lastFile = file;
    appendFileSync(join(path, file), `${now} ${text}\n`);
  } catch (error) {
    // A full disk must not stop the service.
    process.stderr.write(`svc: the log cannot be written: ${(error as Error).message}\n`);
  }
}

function deleteOld(path: string): void {
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    if (LOG_FILE.test(name) && Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
  }
}
