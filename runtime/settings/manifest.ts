// `.svc/manifest.json`: what `svc build` hands to `svc serve`. The resolved configuration, the
// plugins without their code, and the contents the build was made from, as hashes, so that both
// can tell whether it is still current.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { BUILD_FOLDER } from "../base/build-folder.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { ResolvedConfig } from "./config-rule.js";
import { isPlainObject } from "./rules.js";

/** Raised whenever a file of `.svc/` changes its form; other formats are treated as no build. */
export const MANIFEST_FORMAT = 3;
export const MANIFEST_FILE = "manifest.json";
/** In a build whose configuration reads the environment: its code, to be run at each start. */
export const CONFIG_OUTPUT = "config.js";
/** In a build of a project that describes its system in a program: what that one says. */
export const SYSTEM_OUTPUT = "system.json";

/** Hash of each file by its path relative to the project; null: there was no such file. */
export type FileHashes = Readonly<Record<string, string | null>>;

/** A plugin without its code. */
export interface ManifestPlugin
  extends Omit<PluginEntry, "invoke" | "readers" | "before" | "isExact"> {
  /** What runs before it, in order, as `module#export`; only where there is any. */
  readonly before?: readonly string[];
}

export interface Manifest {
  readonly format: number;
  /** Version and build of the package that wrote the files. */
  readonly svc: string;
  /** Whether TypeScript has found no errors; one that was not checked is never current. */
  readonly checked: boolean;
  /** The tsconfig.json that it was built under, relative to the project. */
  readonly tsconfig: string;
  readonly config: ResolvedConfig;
  /** Configuration or system may be others without a change of the inputs, see `loadConfig`. */
  readonly isConfigOpen: boolean;
  /** In plugin-number order. */
  readonly plugins: readonly ManifestPlugin[];
  /** Files that were searched for plugins. */
  readonly files: readonly string[];
  /** Everything that the build read. */
  readonly inputs: FileHashes;
  /** The other files of `.svc/`, by their names in it. */
  readonly outputs: FileHashes;
}

/** The manifest of a project; null when there is none, or one of another format. */
export function readManifest(projectDir: string): Manifest | null {
  let text = readManifestText(projectDir);
  if (text === null && restoreBuild(projectDir)) {
    text = readManifestText(projectDir);
  }
  if (text === null) {
    return null;
  }
  try {
    const manifest = JSON.parse(text) as Manifest;
    // Only its form is believed: a server checks the settings that it takes from here.
    return manifest.format === MANIFEST_FORMAT && isPlainObject(manifest.config) ? manifest : null;
  } catch {
    return null;
  }
}

function readManifestText(projectDir: string): string | null {
  try {
    return readFileSync(join(projectDir, BUILD_FOLDER, MANIFEST_FILE), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      return null;
    }
    throw error;
  }
}

/**
 * Brings back the build that a killed one has left beside its place; see `compiler/output.ts`.
 * One that is just being replaced may be met here, too: whoever replaces it tries again.
 */
function restoreBuild(projectDir: string): boolean {
  try {
    const old = readdirSync(projectDir).find((name) => name.startsWith(`${BUILD_FOLDER}.old-`));
    if (old === undefined) {
      return false;
    }
    renameSync(join(projectDir, old), join(projectDir, BUILD_FOLDER));
  } catch {
    // There is no such project, or another process was quicker.
  }
  return true;
}

/** Path of the first file that is no longer what it was, relative to `folder`; null if none. */
export function changedFile(folder: string, hashes: FileHashes): string | null {
  for (const [file, hash] of Object.entries(hashes)) {
    if (hashFile(join(folder, file)) !== hash) {
      return file;
    }
  }
  return null;
}

/** Hash of a file's content; null when it cannot be read. */
export function hashFile(path: string): string | null {
  try {
    return hashContent(readFileSync(path));
  } catch {
    return null;
  }
}

export function hashContent(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}
