// Decides which stored readings are still valid. A reading depends on the text of its file, on all
// files that it imports directly or indirectly, and on files that affect every other file.

import { areLookUpsCurrent, hashSource } from "./look-ups.js";
import type { StoredFile, StoredReadings } from "./stored-readings.js";

export interface ReadingPlan {
  /** Unchanged files whose direct and indirect imports are unchanged, too. */
  readonly kept: ReadonlyMap<string, StoredFile>;
  /** Files to read. */
  readonly toRead: readonly string[];
  /** Files that every program has to contain. */
  readonly common: readonly string[];
}

/** Returns the state of a source file, which changes when it becomes a plugin file. */
export function fileState(hash: string, isPlugin: boolean): string {
  return isPlugin ? `${hash}+` : hash;
}

/**
 * @param files the plugin files, absolute
 * @param hooks modules of hooks of all plugins
 * @returns null if everything has to be read again
 */
export function planReading(
  { files: stored, lookUps }: StoredReadings,
  files: readonly string[],
  hooks: readonly string[],
): ReadingPlan | null {
  if (!areLookUpsCurrent(lookUps)) return null;
  const plugins = new Set(files);
  const changed = [...stored]
    .filter(([path, { state }]) => fileState(hashSource(path), plugins.has(path)) !== state)
    .map(([path]) => path);
  const touched = withImporters(stored, changed);
  const implied = [...stored].filter(([, { isGlobal, isImplied }]) => isGlobal || isImplied);
  const common = [...implied.map(([path]) => path), ...hooks];
  if (common.some((path) => touched.has(path) || !stored.has(path))) return null;
  const untouched = new Map([...stored].filter(([path]) => !touched.has(path)));
  const kept = findReachable(untouched, [...files, ...common]);
  const isUnread = (path: string) => kept.get(path)?.reading == null;
  const unread = [...kept].filter(([path, { isOwn }]) => isOwn && isUnread(path));
  const toRead = new Set([...files.filter(isUnread), ...unread.map(([path]) => path)]);
  return { kept, toRead: [...toRead].sort(), common };
}

/** Returns the files that are reachable by imports, including the start files. */
export function findReachable(
  files: ReadonlyMap<string, StoredFile>,
  from: readonly string[],
): Map<string, StoredFile> {
  const found = new Map<string, StoredFile>();
  const queue = [...from];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const file = files.get(path);
    if (file === undefined || found.has(path)) continue;
    found.set(path, file);
    queue.push(...file.imports);
  }
  return found;
}

function withImporters(
  files: ReadonlyMap<string, StoredFile>,
  changed: readonly string[],
): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [path, { imports }] of files) {
    for (const imported of imports) {
      const known = importers.get(imported);
      if (known) known.push(path);
      else importers.set(imported, [path]);
    }
  }
  const found = new Set(changed);
  const queue = [...changed];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const importer of importers.get(path) ?? []) {
      if (found.has(importer)) continue;
      found.add(importer);
      queue.push(importer);
    }
  }
  return found;
}
