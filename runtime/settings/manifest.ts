// `.svc/manifest.json`: the data of a build that `svc serve` needs besides its code. Contains the
// resolved configuration, the plugins, and hashes of all inputs to detect a stale build.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { BUILD_FOLDER } from "../base/build-folder.js";
import { isPlainObject } from "../base/plain-object.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { ResolvedConfig } from "./config-rule.js";

/** Incremented when a file of `.svc/` changes its format; builds in other formats are ignored. */
export const MANIFEST_FORMAT = 4;
export const MANIFEST_FILE = "manifest.json";
/** Code of a configuration that reads the environment, executed at each start. */
export const CONFIG_OUTPUT = "config.js";
/** Output of a system descriptor that is a program. */
export const SYSTEM_OUTPUT = "system.json";

/** Hash of each file by its path relative to the project; null: the file did not exist. */
export type FileHashes = Readonly<Record<string, string | null>>;

/** A plugin without its code. */
export interface ManifestPlugin
  extends Omit<PluginEntry, "invoke" | "readers" | "before" | "isExact"> {
  /** Hooks in order, as `module#export`; omitted if there are none. */
  readonly before?: readonly string[];
}

export interface Manifest {
  readonly format: number;
  /** Version and build of the package that wrote the files. */
  readonly svc: string;
  /** Whether TypeScript reported no errors; an unchecked build is always stale. */
  readonly checked: boolean;
  /** The build had warnings: `svc build` builds again to repeat them. */
  readonly hasWarnings: boolean;
  /** Path of the tsconfig.json of the build, relative to the project. */
  readonly tsconfig: string;
  readonly config: ResolvedConfig;
  /** Configuration or descriptor may change without a change of the inputs, see `loadConfig`. */
  readonly isConfigOpen: boolean;
  /** In the order of plugin numbers. */
  readonly plugins: readonly ManifestPlugin[];
  /** Files that were searched for plugins. */
  readonly files: readonly string[];
  /** All files that the build read. */
  readonly inputs: FileHashes;
  /** The other files of `.svc/`, by their names in it. */
  readonly outputs: FileHashes;
}

/** Reads the manifest of a project; null if there is none, or for another format. */
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
    // Only the format is checked here, because the server validates the settings.
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
 * Restores the build that a killed process left under its temporary name; see `compiler/output.ts`.
 * If a replacement is in progress, that process retries.
 */
function restoreBuild(projectDir: string): boolean {
  try {
    const old = readdirSync(projectDir).find((name) => name.startsWith(`${BUILD_FOLDER}.old-`));
    if (old === undefined) {
      return false;
    }
    renameSync(join(projectDir, old), join(projectDir, BUILD_FOLDER));
  } catch {
    // The project does not exist, or another process was faster.
  }
  return true;
}

/** Returns the path of the first changed file, relative to `folder`; null if none. */
export function changedFile(folder: string, hashes: FileHashes): string | null {
  for (const [file, hash] of Object.entries(hashes)) {
    if (hashFile(join(folder, file)) !== hash) {
      return file;
    }
  }
  return null;
}

/** Returns the hash of a file's content; null if it cannot be read. */
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
