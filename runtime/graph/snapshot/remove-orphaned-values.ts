// Removes files of values that neither the graph nor a snapshot of it names any more. That is known
// only of those that were unused when the graph was loaded an earlier time, and that nobody has put
// there again since, once both snapshots are of a later time. A list of them is left for that.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { LogLine } from "../../base/log-settings.js";
import { listValues, VALUES_FOLDER } from "../store/external-values.js";
import type { GraphStore } from "../store/graph-store.js";
import { SnapshotFiles } from "./snapshot-files.js";

const LIST = "unused";

/**
 * To be called where nobody else uses the graph yet. What goes wrong costs space, and nothing else.
 * @param store as its snapshot has it
 */
export function removeOrphanedValues(store: GraphStore, folder: string, warn?: LogLine): void {
  if (!existsSync(join(folder, VALUES_FOLDER))) return;
  try {
    sweep(store, folder);
  } catch (error) {
    const text = `graph "${store.name}": values on disk that are unused stay there`;
    warn?.(`${text}: ${(error as Error).message}`, "warn");
  }
}

function sweep(store: GraphStore, folder: string): void {
  const list = join(folder, VALUES_FOLDER, LIST);
  const listed = readList(list);
  const unused = listValues(folder).filter(({ file }) => !isUsed(store, file));
  const isOver = listed !== null && snapshotsAreLater(folder, listed.at);
  if (listed !== null && !isOver) return;
  for (const { file } of unused) {
    const isGone = listed?.files.has(nameOf(file)) === true && statSync(file).mtimeMs < listed.at;
    if (isGone) rmSync(file);
  }
  writeFileSync(list, unused.map(({ file }) => nameOf(file)).join("\n"));
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
  return store.strings.findBytes(Buffer.from(nameOf(file), "hex")) !== 0;
}

/** As memory has it: the folder and the name. */
function nameOf(file: string): string {
  return basename(dirname(file)) + basename(file);
}
