// Which files a build reads: plugin files by the configuration's patterns, and the hashes by which
// a later build knows that nothing has changed.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import { glob } from "tinyglobby";
import type { ResolvedConfig } from "../runtime/settings/config-rule.js";
import { type FileHashes, hashFile } from "../runtime/settings/manifest.js";
import { CONFIG_FILES } from "./config/config.js";
import { tsconfigFiles } from "./tsconfig.js";

const NEVER_PLUGINS = [
  ...["**/*.test.{ts,mts,js,mjs}", "**/*.d.{ts,mts}"],
  ...["**/node_modules/**", "**/.svc/**"],
];
/** Files that change what sources mean; they count as read even where they are absent. */
const PROJECT_FILES = ["package.json", "package-lock.json", "tsconfig.json"];

/** Files to search for plugins, relative to the project, sorted. */
export async function findPluginFiles(
  projectDir: string,
  config: ResolvedConfig,
): Promise<string[]> {
  const found = await glob([...config.plugins], {
    cwd: projectDir,
    ignore: NEVER_PLUGINS,
    expandDirectories: false,
  });
  const files = [...found, ...config.declared.map((plugin) => plugin.module)];
  return withoutTwins(projectDir, files.sort());
}

/** Each file once, though links may lead to it by several paths: its own where that is one. */
function withoutTwins(projectDir: string, files: readonly string[]): string[] {
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

/** The path itself where there is no such file, which is for others to report. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** @param files what was read, relative to the project */
export function hashInputs(projectDir: string, files: Iterable<string>): FileHashes {
  const all = new Set([...CONFIG_FILES, ...PROJECT_FILES, ...tsconfigFiles(projectDir), ...files]);
  return Object.fromEntries(
    [...all].sort().map((file) => [file, hashFile(join(projectDir, file))]),
  );
}
