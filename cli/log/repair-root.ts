// Copies a root with a damaged log to a new folder: snapshots as they are, of the log what comes
// before the damage. The old one stays as it is.

import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, truncateSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { LOG_FOLDER } from "../../runtime/base/graph-names.js";
import { GraphRoot } from "../../runtime/graph/keeper/graph-root.js";
import { checkLogs, type FoundLog } from "./log-folders.js";

/**
 * @returns what was found, and saved as far as it could be
 * @throws SvcError SVC3050 there is no log, or the new folder is in use; SVC2409 the old one is
 */
export function repairRoot(root: string, target: string): FoundLog[] {
  const isInside = `${resolve(target)}/`.startsWith(`${resolve(root)}/`);
  if (isInside || (existsSync(target) && readdirSync(target).length > 0)) {
    throw new SvcError("SVC3050", `${target} is not a new folder outside of ${root}`);
  }
  const logs = checkLogs(root);
  const owner = new GraphRoot(root, {});
  try {
    owner.take();
    mkdirSync(target, { recursive: true });
    cpSync(root, target, { recursive: true, filter: (path) => isKept(root, path) });
    for (const log of logs) copyLog(root, target, log);
  } finally {
    owner.leave();
  }
  return logs;
}

function isKept(root: string, path: string): boolean {
  return path !== join(root, LOG_FOLDER) && !basename(path).startsWith("svc.lock");
}

function copyLog(root: string, target: string, { folder, report }: FoundLog): void {
  const { end } = report;
  mkdirSync(join(target, folder), { recursive: true });
  if (end === null) return;
  for (const { name, firstSn } of report.segments) {
    if (firstSn > end.segment.firstSn) break;
    copyFileSync(join(root, folder, name), join(target, folder, name));
  }
  truncateSync(join(target, folder, end.segment.name), end.offset);
}
