// A former leader can have changes that were never acknowledged and that the next leader lacks. Its
// data folder cannot take them back, so its contents are set aside at the next start, and it begins
// with copies of the leader's graphs.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncDirectory, mkdirDurable } from "../../base/durable-files.js";
import { LOG_FOLDER } from "../../base/graph-names.js";
import { writeState } from "../../base/state-file.js";
import { isRootLocked, listStoredGraphs } from "../../graph/manager/data-folder.js";
import { DATA_FILES } from "../lineage.js";
import { MEMBER_FILE } from "./member-file.js";

const MARKER = "_ahead.json";
/** Hidden folders never contain graphs. */
const LOST_FOLDER = ".lost";
const KEPT = 3;

/** Sets the contents of a data folder aside at the next start. */
export function requestSetAside(root: string, reason: string): void {
  writeState(join(root, MARKER), { reason });
}

/**
 * Sets the contents aside if that was requested. Nothing may use the data folder.
 * @returns where they are now; null: nothing was requested
 */
export function setAside(root: string, name = new Date().toISOString()): string | null {
  if (!existsSync(join(root, MARKER)) || isRootLocked(root)) return null;
  const lost = join(root, LOST_FOLDER);
  const folder = join(lost, name.replaceAll(":", ""));
  mkdirDurable(lost);
  mkdirSync(folder, { recursive: true });
  const graphs = listStoredGraphs(root).map(({ path }) => path.split("/", 1)[0]!);
  // The member file last: until then, an interrupted start repeats this.
  for (const entry of new Set([...graphs, LOG_FOLDER, ...DATA_FILES, MEMBER_FILE])) {
    if (existsSync(join(root, entry))) renameSync(join(root, entry), join(folder, entry));
  }
  fsyncDirectory(folder);
  rmSync(join(root, MARKER));
  fsyncDirectory(root);
  const old = readdirSync(lost).sort().slice(0, -KEPT);
  for (const each of old) rmSync(join(lost, each), { recursive: true, force: true });
  return folder;
}
