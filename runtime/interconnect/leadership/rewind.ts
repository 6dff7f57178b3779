// Builds the data folder of a replica from the contents of a former leader, up to the transaction
// at which the next leader took over. The replica then follows by the log, without copies of the
// graphs. The source stays unchanged, and changes that the next leader lacks are left out.

import { copyFileSync, existsSync, linkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { LOG_FOLDER, LOG_LOCAL_FOLDER } from "../../base/graph-names.js";
import {
  listValues,
  readSnapshotCheckpoint,
  readSnapshotHeader,
  SnapshotFiles,
} from "../../graph/manager/data-folder.js";
import { cutLog } from "../archive/cut-log.js";
import { demote, LINEAGE_FILE, readLineage } from "../lineage.js";
import { realDisk } from "../log/disk.js";
import { LogCatalog } from "../log/log-catalog.js";
import { listSegments, readLog } from "../log/segments.js";
import type { Ancestor } from "../wire/positions.js";

/**
 * @param from former contents of the data folder
 * @param root empty data folder
 * @returns false if snapshots and log do not lead to that transaction; discard `root` then
 */
export function rewind(from: string, root: string, { id, sn, chain, counts }: Ancestor): boolean {
  const [source, log] = [join(from, LOG_FOLDER), join(root, LOG_FOLDER)];
  if (counts === undefined || listSegments(realDisk, source).length === 0) return false;
  copyLog(source, log);
  const { end, epoch } = cutLog(realDisk, log, { kind: "position", id, sn });
  // A log may begin after that transaction, or contain others, if its folder was restored before.
  if (end.id !== id || end.chain !== chain) return false;
  for (const { identity, path, before, after } of catalogOf(log).all()) {
    // `counts` omits graphs without changes.
    const limit = counts[identity] ?? 0;
    const { start, end: saved } = linkGraph(from, root, path, identity, limit);
    // Without transactions of the graph in the log, its snapshot must have all operations.
    const isGap = before === null ? saved !== limit : before > start;
    if (isGap || after > limit) return false;
  }
  copyLocalGraphs(from, root);
  copyIfThere(join(from, LINEAGE_FILE), join(root, LINEAGE_FILE));
  demote(root, { id, sn, chain }, Math.max(epoch, readLineage(root).epoch));
  return true;
}

/** Copies graphs that are not replicated, with all their changes. */
function copyLocalGraphs(from: string, root: string): void {
  const [source, log] = [from, root].map((folder) => join(folder, LOG_FOLDER, LOG_LOCAL_FOLDER));
  copyLog(source!, log!);
  for (const { identity, path } of catalogOf(log!).all()) {
    linkGraph(from, root, path, identity, Number.POSITIVE_INFINITY);
  }
}

function catalogOf(log: string): LogCatalog {
  const catalog = new LogCatalog();
  readLog(realDisk, log, (frame) => catalog.readFrame(frame, () => undefined));
  return catalog;
}

function copyLog(from: string, to: string): void {
  realDisk.makeFolder(to);
  for (const { name } of listSegments(realDisk, from))
    copyIfThere(join(from, name), join(to, name));
  fsyncDirectory(to);
}

function copyIfThere(from: string, to: string): void {
  if (!existsSync(from)) return;
  copyFileSync(from, to);
  const file = realDisk.open(to, "write");
  try {
    file.flushNow();
  } finally {
    file.close();
  }
}

/**
 * Links the snapshots of a graph that have at most `limit` operations. Files of snapshots and
 * external values never change, so both folders can share them.
 * @returns operation counts of the latest base snapshot and of its delta; 0: there is none
 */
function linkGraph(
  from: string,
  root: string,
  path: string,
  identity: string,
  limit: number,
): { readonly start: number; readonly end: number } {
  const [source, target] = [
    new SnapshotFiles(join(from, path)),
    new SnapshotFiles(join(root, path)),
  ];
  const counted = [source.current, source.previous].map((file) => {
    return { file, count: existsSync(file) ? countOf(file, identity) : Number.NaN };
  });
  const bases = counted.filter(({ count }) => count <= limit);
  if (bases.length === 0) return { start: 0, end: 0 };
  target.makeFolder();
  for (const [n, { file }] of bases.entries()) {
    linkSync(file, n === 0 ? target.current : target.previous);
  }
  const start = bases[0]!.count;
  let end = start;
  for (const delta of [source.delta, source.previousDelta].filter((file) => existsSync(file))) {
    const { operationCount } = readSnapshotHeader(delta);
    if (operationCount > limit) continue;
    linkSync(delta, join(target.folder, basename(delta)));
    end = Math.max(end, operationCount);
  }
  for (const { file } of listValues(source.folder)) {
    const value = join(target.folder, relative(source.folder, file));
    mkdirDurable(dirname(value));
    linkSync(file, value);
    fsyncDirectory(dirname(value));
  }
  fsyncDirectory(target.folder);
  return { start, end };
}

/** Returns the operation count of a snapshot; NaN if it belongs to another graph of that name. */
function countOf(file: string, identity: string): number {
  const snapshot = readSnapshotCheckpoint(file);
  return snapshot.identity === identity ? snapshot.count : Number.NaN;
}
