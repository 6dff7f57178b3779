// Graphs stored below a data folder: one folder each, named by the graph's path or name. No path
// may leave the data folder, not even by a symbolic link. There is no list of graphs other than the
// snapshots themselves.

import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { SvcError } from "../../../base/errors.js";
import {
  GRAPH_FOLDER_PART,
  MAX_GRAPH_FOLDER_PARTS,
  RESTORE_MARKER,
} from "../../../base/graph-names.js";
import type { LogLine } from "../../../base/log-settings.js";
import { DataError } from "../../model/errors.js";
import { VALUES_FOLDER } from "../../store/external-values.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { readSnapshotHeader } from "./snapshot-reader.js";

export interface StoredGraph {
  readonly name: string;
  /** Relative to the data folder, with `/`. */
  readonly path: string;
}

/** @throws SvcError SVC3421 if the data folder contains only a part of a backup */
export function refuseIncompleteRestore(root: string): void {
  if (existsSync(join(root, RESTORE_MARKER))) {
    throw new SvcError("SVC3421", `${root} has the remains of an interrupted restore`);
  }
}

/** Returns the graphs stored below a data folder, sorted by path. */
export function listStoredGraphs(root: string): StoredGraph[] {
  const found: StoredGraph[] = [];
  for (const parts of walkFolders(root)) {
    const path = parts.join("/");
    const name = path === "" ? null : readGraphName(join(root, path), path);
    if (name !== null) found.push({ name, path });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Removes the files of incomplete saves. Call it only right after acquiring the data folder: no
 * save is running then.
 */
export function removeIncompleteSaves(root: string, warn: LogLine): void {
  try {
    for (const parts of walkFolders(root)) {
      removeUnfinished(new SnapshotFiles(join(root, ...parts)).temporary, warn);
    }
  } catch (error) {
    warn(`incomplete snapshots not fully removed: ${(error as Error).message}`, "warn");
  }
}

/** Removes a file; a failure only wastes disk space. */
function removeUnfinished(file: string, warn: LogLine): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    warn(`incomplete snapshot left behind: ${(error as Error).message}`, "warn");
  }
}

/**
 * Returns the absolute folder of a graph, which need not exist.
 * @param path relative to the data folder, with `/`
 * @throws DataError if the path is absolute, leaves the data folder or is too deep
 */
export function graphFolder(root: string, path: string): string {
  const parts = path.split("/");
  if (isAbsolute(path)) throw new DataError(`path of a graph must be relative: '${path}'`);
  if (!parts.every((part) => GRAPH_FOLDER_PART.test(part)))
    throw new DataError(`bad path of a graph: '${path}'`);
  if (parts.length > MAX_GRAPH_FOLDER_PARTS) {
    throw new DataError(`path of a graph has more than ${MAX_GRAPH_FOLDER_PARTS} parts: '${path}'`);
  }
  let folder = existsSync(root) ? realpathSync(root) : root;
  for (const part of parts) {
    folder = join(folder, part);
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined || entry.isDirectory()) continue;
    throw new DataError(`path of a graph is not a folder: '${folder}'`);
  }
  return folder;
}

/** Removes all files of a graph, and its folder if it is empty afterwards. */
export function eraseStoredGraph(folder: string): void {
  new SnapshotFiles(folder).remove();
  rmSync(join(folder, VALUES_FOLDER), { recursive: true, force: true });
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

/** Yields possible graph folders as path components below the root, the root itself first. */
function* walkFolders(root: string, parts: readonly string[] = []): Generator<readonly string[]> {
  const folder = join(root, ...parts);
  if (parts.length === 0 && !existsSync(folder)) return;
  yield parts;
  if (parts.length === MAX_GRAPH_FOLDER_PARTS) return;
  for (const entry of readEntries(folder)) {
    if (entry.isDirectory() && GRAPH_FOLDER_PART.test(entry.name))
      yield* walkFolders(root, [...parts, entry.name]);
  }
}

/** @throws SvcError SVC3008: without its folder, a stored graph would look like a new one */
function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const text = `a folder of graphs cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC3008", text, { cause: error });
  }
}

/** Returns the name of the graph in a folder, null if there is none. */
function readGraphName(folder: string, path: string): string | null {
  const files = new SnapshotFiles(folder);
  const stored = [files.current, files.previous].filter((file) => existsSync(file));
  for (const file of stored) {
    try {
      return readSnapshotHeader(file).name;
    } catch {
      // The load will report it; until then the graph has its default name.
    }
  }
  return stored.length === 0 ? null : path;
}
