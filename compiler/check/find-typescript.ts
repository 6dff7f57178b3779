// Which TypeScript checks a project: its own when that is the native one, else ours.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";

const NATIVE_MAJOR = 7;

/** Path of the script that starts `tsc`. */
export function findTypeScript(projectDir: string): string {
  const places = [join(projectDir, "package.json"), import.meta.url];
  for (const place of places) {
    const script = nativeCompiler(place);
    if (script !== null) return script;
  }
  throw new SvcError("SVC1060", "there is no TypeScript 7 to check the plugins with");
}

function nativeCompiler(from: string): string | null {
  let manifest: string;
  try {
    manifest = createRequire(from).resolve("typescript/package.json");
  } catch {
    // Not installed there.
    return null;
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return Number.parseInt(version, 10) >= NATIVE_MAJOR
    ? join(dirname(manifest), "bin", "tsc")
    : null;
}
