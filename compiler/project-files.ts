// Which files a build reads: plugin files by the configuration's patterns, and the hashes by which
// a later build knows that nothing has changed.

import { join } from "node:path";
import { type FileHashes, hashFile } from "../runtime/settings/manifest.js";
import { SYSTEM_PROGRAMS } from "../runtime/system/system-files.js";
import { CONFIG_FILES } from "./config/config.js";
import { tsconfigFiles } from "./tsconfig.js";

/** Files that change what sources mean; they count as read even where they are absent. */
const PROJECT_FILES = ["package.json", "package-lock.json"];

/** @param files what was read, relative to the project */
export function hashInputs(
  projectDir: string,
  tsconfig: string,
  files: Iterable<string>,
): FileHashes {
  const options = [tsconfig, ...tsconfigFiles(projectDir, tsconfig)];
  const described = [...CONFIG_FILES, ...SYSTEM_PROGRAMS, ...PROJECT_FILES];
  const all = new Set([...described, ...options, ...files]);
  return Object.fromEntries(
    [...all].sort().map((file) => [file, hashFile(join(projectDir, file))]),
  );
}
