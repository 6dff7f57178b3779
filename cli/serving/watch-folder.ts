// Reports changed sources of a project. One watcher a folder, not Node's recursive one: that would
// watch every file of node_modules too, and Linux bounds how many watchers there may be.

import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import { ChangeDebouncer } from "./change-debouncer.js";

const SOURCE = /\.([cm]?[jt]sx?|json)$/;
/** Hidden files too: a build creates one while it reads the configuration. */
const SKIPPED = /^(\..*|node_modules)$/;
/** Errors of paths that are no folders, no longer there, or closed to us and to a build alike. */
const NOT_TO_BE_WATCHED = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

/**
 * Calls `onChange` with the changed files, relative to `folder`, once they have been quiet. Folders
 * below it that cannot be watched are named on standard error.
 * @param isDeep whether folders below it are watched, too
 * @returns a function that ends the watching
 */
export function watchFolder(
  folder: string,
  onChange: (files: string[]) => void,
  isDeep = true,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  /** Known sources: the only way to tell which ones disappear with their folder. */
  const sources = new Set<string>();
  const changes = new ChangeDebouncer(folder, onChange);

  function note(path: string): void {
    sources.add(path);
    changes.add(relative(folder, path).replaceAll("\\", "/"));
  }

  /** @param isNew files of a folder that appears have changed, those found at the start have not */
  function add(path: string, isNew: boolean): void {
    const watcher = watch(path, (_event, name) => name !== null && visit(join(path, name), name));
    watcher.on("error", () => leave(path));
    watchers.set(path, watcher);
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (SKIPPED.test(entry.name)) continue;
      if (entry.isDirectory()) {
        if (isDeep) enter(inside, isNew);
      } else if (!SOURCE.test(entry.name)) continue;
      else if (isNew) note(inside);
      else sources.add(inside);
    }
  }

  function visit(path: string, name: string): void {
    if (SKIPPED.test(name)) return;
    if (SOURCE.test(name)) return note(path);
    // A folder that appeared, went, or took the place of another; or a file of no concern.
    leave(path);
    if (isDeep) enter(path, true);
  }

  function enter(path: string, isNew: boolean): void {
    try {
      add(path, isNew);
    } catch (error) {
      leave(path);
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (NOT_TO_BE_WATCHED.has(code)) return;
      process.stderr.write(`svc: warning: cannot watch ${path}: ${message}\n`);
    }
  }

  /** Forgets a folder and those below it; their sources may be gone. */
  function leave(path: string): void {
    const isInside = (other: string) => other === path || other.startsWith(path + sep);
    for (const [watched, watcher] of watchers) {
      if (!isInside(watched)) continue;
      watcher.close();
      watchers.delete(watched);
    }
    for (const source of [...sources].filter(isInside)) note(source);
  }

  add(folder, false);
  return () => {
    for (const watcher of watchers.values()) watcher.close();
    changes.close();
  };
}
