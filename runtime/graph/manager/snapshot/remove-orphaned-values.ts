// Removes files of external values that neither the graph nor a snapshot refers to. A file is
// removed if it was unused at an earlier load, was not written again since, and both snapshots are
// later than that load. The unused files are listed on disk for the next load.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LogLine } from "../../../base/log-settings.js";
import { listValues, VALUES_FOLDER } from "../../store/external-values.js";
import type { GraphStore } from "../../store/graph-store.js";
import { SnapshotFiles } from "./snapshot-files.js";

const LIST = "unused";

/**
 * Removes orphaned values. Call it before another thread uses the graph. A failure only wastes disk
 * space.
 * @param store the graph as loaded from its snapshot
 */
export function removeOrphanedValues(store: GraphStore, folder: string, warn?: LogLine): void {
  if (!existsSync(join(folder, VALUES_FOLDER))) return;
  try {
    removeOrphans(store, folder);
  } catch (error) {
    const text = `graph "${store.name}": unused external value files not removed`;
    warn?.(`${text}: ${(error as Error).message}`, "warn");
  }
}

function removeOrphans(store: GraphStore, folder: string): void {
  const list = join(folder, VALUES_FOLDER, LIST);
  const listed = readList(list);
  const unused = listValues(folder).filter(({ file }) => !isUsed(store, file));
  if (listed !== null && !snapshotsAreLater(folder, listed.at)) return;
  for (const { file } of unused) {
    const isOrphan =
      listed?.files.has(valueName(file)) === true && statSync(file).mtimeMs < listed.at;
    if (isOrphan) rmSync(file);
  }
  writeFileSync(list, unused.map(({ file }) => valueName(file)).join("\n"));
}

function readList(list: string): { files: Set<string>; at: number } | null {
  if (!existsSync(list)) return null;
  return { files: new Set(readFileSync(list, "utf8").split("\n")), at: statSync(list).mtimeMs };
}

function snapshotsAreLater(folder: string, at: number): boolean {
  const { current, previous } = new SnapshotFiles(folder);
  return [current, previous].every((file) => existsSync(file) && statSync(file).mtimeMs > at);
}

function isUsed(store: GraphStore, file: string): boolean {
  return store.strings.findBytes(Buffer.from(valueName(file), "hex")) !== 0;
}

/** Returns the hash in the form stored in memory: folder name plus file name. */
function valueName(file: string): string {
  return basename(dirname(file)) + basename(file);
}
