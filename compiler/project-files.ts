// The files that a build reads, and their hashes, by which a later build detects changes.

import { join } from "node:path";
import { type FileHashes, hashFile } from "../runtime/settings/manifest.js";
import { SYSTEM_PROGRAMS } from "../runtime/system/system-files.js";
import { CONFIG_FILES } from "./config/config.js";
import { tsconfigFiles } from "./tsconfig.js";

/** Files that affect the meaning of sources; they count as inputs even if absent. */
const PROJECT_FILES = ["package.json", "package-lock.json"];

/** @param files input files, relative to the project */
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
