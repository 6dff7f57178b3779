// Reports changed sources of a project. Uses one watcher per folder instead of Node's recursive
// one, which would watch every file in node_modules, while Linux limits the number of watchers.

import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join, relative, sep } from "node:path";
import { ChangeDebouncer } from "./change-debouncer.js";

/** Sources, and lock files, which change with packages. */
const SOURCE = /\.([cm]?[jt]sx?|json)$|^(yarn\.lock|bun\.lock|pnpm-lock\.yaml)$/;
/** Hidden names are skipped: a build creates such a file while it reads the configuration. */
const SKIPPED = /^(\..*|node_modules)$/;
/** Errors of paths that are not folders, no longer exist, or that a build cannot read either. */
const NOT_TO_BE_WATCHED = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

/**
 * Calls `onChange` with changed files, relative to `folder`, after a pause without changes. Folders
 * below it that cannot be watched are reported on standard error.
 * @param isDeep whether folders below it are watched too
 * @returns a function that ends the watching
 */
export function watchFolder(
  folder: string,
  onChange: (files: string[]) => void,
  isDeep = true,
): () => void {
  const watchers = new Map<string, FSWatcher>();
  /** Known sources, to report sources that disappear with their folder. */
  const sources = new Set<string>();
  const changes = new ChangeDebouncer(folder, onChange);

  function note(path: string): void {
    sources.add(path);
    changes.add(relative(folder, path).replaceAll("\\", "/"));
  }

  /** @param isNew true for a folder that appears: its files count as changed */
  function add(path: string, isNew: boolean): void {
    const watcher = watch(path, (_event, name) => name !== null && visit(join(path, name), name));
    watcher.on("error", () => unwatch(path));
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
    // The path may be a folder that appeared, disappeared or was replaced, or not a source.
    unwatch(path);
    if (isDeep) enter(path, true);
  }

  function enter(path: string, isNew: boolean): void {
    try {
      add(path, isNew);
    } catch (error) {
      unwatch(path);
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (NOT_TO_BE_WATCHED.has(code)) return;
      process.stderr.write(`svc: warning: cannot watch ${path}: ${message}\n`);
    }
  }

  /** Stops watching a folder and its subfolders, whose sources may be gone. */
  function unwatch(path: string): void {
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
