// Chooses the TypeScript that checks a project: the project's own if it is the native compiler,
// otherwise ours.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { nativeFolder } from "../native-folder.js";

const NATIVE_MAJOR = 7;
/** First version with the current defaults, such as `strict`. */
const FIRST_WITH_STRICT_DEFAULTS = 6;

/** Returns the command that runs `tsc`: the executable, or else the script that starts it. */
export function findTypeScript(projectDir: string): readonly [string, ...string[]] {
  const origins = [join(projectDir, "package.json"), import.meta.url];
  for (const origin of origins) {
    const manifest = nativeCompiler(origin);
    if (manifest === null) continue;
    const executable = findExecutable(manifest);
    return executable ? [executable] : [process.execPath, join(dirname(manifest), "bin", "tsc")];
  }
  throw new SvcError("SVC1060", "TypeScript 7 is required to check the plugins");
}

/** Returns whether the project has its own TypeScript older than version 6. */
export function hasOldTypeScript(projectDir: string): boolean {
  const installed = findInstalled(join(projectDir, "package.json"));
  return installed !== null && installed.major < FIRST_WITH_STRICT_DEFAULTS;
}

/** Windows cannot start a program with a longer path without the prefix that the script adds. */
const MAX_PATH_LENGTH = 248;

/** Returns the path of a native compiler's package.json. */
function nativeCompiler(from: string): string | null {
  const found = findInstalled(from);
  return found === null || found.major < NATIVE_MAJOR ? null : found.manifest;
}

/** Returns the executable; the script would start Node.js first, which takes as long as a check. */
function findExecutable(manifest: string): string | null {
  const folder = nativeFolder(manifest);
  if (folder === null) return null;
  const path = join(folder, process.platform === "win32" ? "tsc.exe" : "tsc");
  return existsSync(path) && path.length < MAX_PATH_LENGTH ? path : null;
}

function findInstalled(from: string): { readonly manifest: string; readonly major: number } | null {
  let manifest: string;
  try {
    manifest = createRequire(from).resolve("typescript/package.json");
  } catch {
    // Not installed in that folder.
    return null;
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return { manifest, major: Number.parseInt(version, 10) };
}
