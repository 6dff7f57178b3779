// Where the graphs of a root lie: one folder each, named by the graph's path or name. No path may
// lead out of the root, not by a symbolic link either. Which graphs there are is what their
// snapshots say: there is no list that could differ from them.

import { existsSync, lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { GRAPH_FOLDER_PART, MAX_GRAPH_FOLDER_PARTS } from "../../base/graph-names.js";
import type { LogLine } from "../../base/log-settings.js";
import { DataError } from "../model/errors.js";
import { VALUES_FOLDER } from "../store/external-values.js";
import { SnapshotFiles } from "./snapshot-files.js";
import { readSnapshotHeader } from "./snapshot-reader.js";

export interface StoredGraph {
  readonly name: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
}

/** Graphs that are stored below a root, sorted by path. */
export function listStoredGraphs(root: string): StoredGraph[] {
  const found: StoredGraph[] = [];
  for (const parts of foldersOf(root)) {
    const path = parts.join("/");
    const name = path === "" ? null : nameOf(join(root, path), path);
    if (name !== null) found.push({ name, path });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Removes what saves have left that were cut off. Only for who has just got the right to write to
 * the root: nobody saves there.
 */
export function removeIncompleteSaves(root: string, warn: LogLine): void {
  try {
    for (const parts of foldersOf(root)) {
      removeUnfinished(new SnapshotFiles(join(root, ...parts)).temporary, warn);
    }
  } catch (error) {
    warn(`saves that were cut off are not all removed: ${(error as Error).message}`, "warn");
  }
}

/** What stays costs space, and nothing else. */
function removeUnfinished(file: string, warn: LogLine): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    warn(`what is left of a save that was cut off stays: ${(error as Error).message}`, "warn");
  }
}

/**
 * Absolute folder of a graph, which need not be there.
 * @param path relative to the root, with `/`
 * @throws DataError a path that is absolute, leads out of the root or is too deep
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

/** Removes all that is stored of a graph, and its folder if nothing else is in it. */
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

/** Folders that may be those of graphs, as parts of paths below the root; the root comes first. */
function* foldersOf(root: string, parts: readonly string[] = []): Generator<readonly string[]> {
  const folder = join(root, ...parts);
  if (parts.length === 0 && !existsSync(folder)) return;
  yield parts;
  if (parts.length === MAX_GRAPH_FOLDER_PARTS) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && GRAPH_FOLDER_PART.test(entry.name))
      yield* foldersOf(root, [...parts, entry.name]);
  }
}

/** Name of the graph in a folder, null if there is none. */
function nameOf(folder: string, path: string): string | null {
  const files = new SnapshotFiles(folder);
  const stored = [files.current, files.previous].filter((file) => existsSync(file));
  for (const file of stored) {
    try {
      return readSnapshotHeader(file).name;
    } catch {
      // Whoever loads it is told what is wrong; until then it goes by the default name.
    }
  }
  return stored.length === 0 ? null : path;
}
