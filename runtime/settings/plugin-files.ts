// Finds the files to search for plugins, by the patterns of the configuration.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { glob } from "tinyglobby";
import type { ResolvedConfig } from "./config-rule.js";

const NEVER_PLUGINS = [
  ...["**/*.test.{ts,mts,cts,tsx,js,mjs}", "**/*.d.{ts,mts,cts}"],
  ...["**/node_modules/**", "**/.svc/**"],
];

/** Returns the files to search for plugins, relative to the project, sorted. */
export async function findPluginFiles(
  projectDir: string,
  config: ResolvedConfig,
): Promise<string[]> {
  const matches = await glob([...config.plugins], {
    cwd: projectDir,
    ignore: NEVER_PLUGINS,
    expandDirectories: false,
  });
  const files = [...matches, ...config.declared.map((plugin) => plugin.module)];
  return withoutDuplicates(projectDir, files.sort());
}

/** Removes duplicates of files reached through links; real paths are preferred. */
function withoutDuplicates(projectDir: string, files: readonly string[]): string[] {
  const folder = realPath(projectDir);
  const byRealPath = new Map<string, string>();
  for (const file of files) {
    const path = realPath(join(folder, file));
    if (!byRealPath.has(path) || path === join(folder, file)) {
      byRealPath.set(path, file);
    }
  }
  return [...byRealPath.values()].sort();
}

/** Returns the path itself for a missing file, which is reported elsewhere. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
