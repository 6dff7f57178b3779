// Chooses the TypeScript that checks a project: the project's own if it is the native compiler,
// otherwise ours.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";

const NATIVE_MAJOR = 7;
/** First version with today's defaults, such as `strict`. */
const FIRST_OF_TODAY = 6;

/** Path of the script that starts `tsc`. */
export function findTypeScript(projectDir: string): string {
  const places = [join(projectDir, "package.json"), import.meta.url];
  for (const place of places) {
    const script = nativeCompiler(place);
    if (script !== null) return script;
  }
  throw new SvcError("SVC1060", "TypeScript 7 is required to check the plugins");
}

/** Returns whether the project has its own TypeScript older than version 6. */
export function hasOldTypeScript(projectDir: string): boolean {
  const own = installedAt(join(projectDir, "package.json"));
  return own !== null && own.major < FIRST_OF_TODAY;
}

function nativeCompiler(from: string): string | null {
  const found = installedAt(from);
  if (found === null || found.major < NATIVE_MAJOR) return null;
  return join(dirname(found.manifest), "bin", "tsc");
}

function installedAt(from: string): { readonly manifest: string; readonly major: number } | null {
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
