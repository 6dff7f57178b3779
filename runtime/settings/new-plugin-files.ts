// Whether the folders of plugins may hold files that a build does not know. Each start asks, and
// names alone take a fraction of the time of a search by patterns.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A segment of a pattern that matches more than itself. */
const IS_OPEN = /[*?[\]{}()!+@|\\]/;
/** Paths that patterns never find. They may find hidden names, whatever their extensions. */
const NEVER_PLUGIN = /^(?!\.|.*\/\.).*\.(?:test\.(?:ts|mts|cts|tsx|js|mjs)|d\.[mc]?ts)$/;

/**
 * Returns false if `patterns` find no file that is not `known`; true if they may find one.
 * @param known files relative to the project
 */
export function mayFindNewFiles(
  projectDir: string,
  patterns: readonly string[],
  known: readonly string[],
): boolean {
  const all = new Set(known);
  try {
    return patterns.some((pattern) => {
      const segments = pattern.split("/");
      const open = segments.findIndex((segment) => IS_OPEN.test(segment));
      const folder = segments.slice(0, open).join("/");
      return open <= 0 || mayHoldOthers(projectDir, folder, all);
    });
  } catch {
    // The search knows what to do without the folder.
    return true;
  }
}

/** Links may lead to folders, so that any unknown one counts. */
function mayHoldOthers(projectDir: string, folder: string, known: ReadonlySet<string>): boolean {
  return readdirSync(join(projectDir, folder), { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return mayHoldOthers(projectDir, path, known);
    return !known.has(path) && !NEVER_PLUGIN.test(path);
  });
}
