// Reports changed sources of a project. One watcher a folder, not Node's recursive one: that would
// watch every file of node_modules too, and Linux bounds how many watchers there may be.

import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative } from "node:path";

const SOURCE = /\.([cm]?[jt]sx?|json)$/;
const SKIPPED_FOLDER = /^(\..*|node_modules)$/;
/** Editors write a file in several steps; a pause this long means that they are done. */
const QUIET_MS = 15;

/**
 * Calls `onChange` with the changed files, relative to `folder`, once they have been quiet.
 * @returns a function that ends the watching
 */
export function watchFolder(folder: string, onChange: (files: string[]) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(path: string): void {
    changed.add(relative(folder, path).replaceAll("\\", "/"));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const files = [...changed].sort();
      changed.clear();
      onChange(files);
    }, QUIET_MS);
  }

  /** @param isNew files of a folder that appears have changed, those found at the start have not */
  function add(path: string, isNew: boolean): void {
    if (watchers.has(path)) return;
    const watcher = watch(path, (_event, name) => name !== null && visit(join(path, name), name));
    watcher.on("error", () => drop(path));
    watchers.set(path, watcher);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDER.test(entry.name)) add(inside, isNew);
      else if (isNew && SOURCE.test(entry.name)) note(inside);
    }
  }

  function visit(path: string, name: string): void {
    if (SOURCE.test(name)) note(path);
    else if (!SKIPPED_FOLDER.test(name)) follow(path);
  }

  /** What has no source's name may be a folder that appeared or went. */
  function follow(path: string): void {
    try {
      add(path, true);
    } catch {
      drop(path);
    }
  }

  function drop(path: string): void {
    watchers.get(path)?.close();
    watchers.delete(path);
  }

  add(folder, false);
  return () => {
    clearTimeout(timer);
    for (const path of watchers.keys()) drop(path);
  };
}
