// Copies a data folder with a corrupt transaction log to a new folder: snapshots unchanged, and the
// log up to the corruption. The original is not modified. The log gets its final name last, when
// everything is durable, so that an interrupted copy cannot be mistaken for a complete one.

import {
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { fsyncDirectory } from "../../runtime/base/durable-files.js";
import { SvcError } from "../../runtime/base/errors.js";
import { LOG_FOLDER } from "../../runtime/base/graph-names.js";
import { GraphRoot } from "../../runtime/graph/manager/graph-root.js";
import { checkLogs, type FoundLog } from "./log-folders.js";

const UNFINISHED = `${LOG_FOLDER}.unfinished`;
const CHUNK_BYTES = 2 ** 20;

/**
 * @returns the reports of the logs
 * @throws SvcError SVC3050 if there is no log or the new folder is in use, SVC2409 if the old one
 *   is in use, SVC3345 if the copy fails
 */
export function repairRoot(root: string, target: string): FoundLog[] {
  const isInside = `${resolve(target)}/`.startsWith(`${resolve(root)}/`);
  if (isInside || !isFree(target)) {
    throw new SvcError("SVC3050", `${target} is not a new folder outside ${root}`);
  }
  const logs = checkLogs(root);
  const owner = new GraphRoot(root, {});
  try {
    owner.acquire();
    copyRoot(root, target, logs);
  } finally {
    owner.release();
  }
  return logs;
}

function isFree(target: string): boolean {
  return (
    !existsSync(target) || (statSync(target).isDirectory() && readdirSync(target).length === 0)
  );
}

function copyRoot(root: string, target: string, logs: readonly FoundLog[]): void {
  try {
    mkdirSync(target, { recursive: true, mode: statSync(root).mode & 0o777 });
    cpSync(root, target, { recursive: true, filter: (path) => isKept(root, path) });
    for (const log of logs) copyLog(root, target, log);
    flushAll(target);
    renameSync(join(target, UNFINISHED), join(target, LOG_FOLDER));
    fsyncDirectory(target);
  } catch (error) {
    // Empties the folder, so that leftovers do not block another attempt.
    const names = existsSync(target) ? readdirSync(target) : [];
    for (const name of names) rmSync(join(target, name), { recursive: true, force: true });
    const reason = (error as Error).message;
    const text = `cannot copy ${root} to ${target} (now empty again): ${reason}`;
    throw new SvcError("SVC3345", text, { cause: error });
  }
}

function isKept(root: string, path: string): boolean {
  return path !== join(root, LOG_FOLDER) && !basename(path).startsWith("svc.lock");
}

function copyLog(root: string, target: string, { folder, report }: FoundLog): void {
  const { end } = report;
  const into = join(target, UNFINISHED, folder.slice(LOG_FOLDER.length));
  // Accessible only to the owner, because it contains the data of all graphs.
  mkdirSync(into, { recursive: true, mode: 0o700 });
  if (end === null) return;
  for (const { name, firstSn } of report.segments) {
    if (firstSn >= end.segment.firstSn) break;
    copyFileSync(join(root, folder, name), join(into, name));
  }
  const { name } = end.segment;
  copyHead(join(root, folder, name), join(into, name), end.offset);
}

/** Copies only the first bytes, because later ones may be unreadable. */
function copyHead(from: string, to: string, bytes: number): void {
  const source = openSync(from, "r");
  try {
    writeFileSync(to, "", { mode: 0o600 });
    const piece = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < bytes; ) {
      const read = readSync(source, piece, 0, Math.min(piece.length, bytes - at), at);
      if (read === 0) throw new Error(`${from} was truncated while it was copied`);
      writeFileSync(to, piece.subarray(0, read), { flag: "a" });
      at += read;
    }
  } finally {
    closeSync(source);
  }
}

/** Makes the folder entry durable. */
function flushAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) flushAll(path);
    else if (entry.isFile()) flushFile(path);
  }
  fsyncDirectory(folder);
}

function flushFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
