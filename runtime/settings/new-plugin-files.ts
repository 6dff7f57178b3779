// Checks whether the folders of plugins may contain files unknown to a build. Runs at each start;
// comparing names takes a fraction of the time of a search by patterns.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A segment of a pattern with special characters. */
const IS_OPEN = /[*?[\]{}()!+@|\\]/;
/** Paths that no pattern matches. Hidden names may match, whatever their extensions. */
const NEVER_PLUGIN = /^(?!\.|.*\/\.).*\.(?:test\.(?:ts|mts|cts|tsx|js|mjs)|d\.[mc]?ts)$/;

/**
 * Returns false if `patterns` match only `known` files, true if they may match others.
 * @param known files relative to the project
 */
export function mayFindNewFiles(
  projectDir: string,
  patterns: readonly string[],
  known: readonly string[],
): boolean {
  const knownFiles = new Set(known);
  try {
    return patterns.some((pattern) => {
      const segments = pattern.split("/");
      const open = segments.findIndex((segment) => IS_OPEN.test(segment));
      const folder = segments.slice(0, open).join("/");
      return open <= 0 || mayHoldOthers(projectDir, folder, knownFiles);
    });
  } catch {
    // The search handles a missing folder.
    return true;
  }
}

/** Any unknown link counts, because it may lead to a folder. */
function mayHoldOthers(projectDir: string, folder: string, known: ReadonlySet<string>): boolean {
  return readdirSync(join(projectDir, folder), { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return mayHoldOthers(projectDir, path, known);
    return !known.has(path) && !NEVER_PLUGIN.test(path);
  });
}
