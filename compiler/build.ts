// `svc build` and `svc check`. If the inputs are unchanged, the build ends here, before any slow
// module is loaded.

import { readdirSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { BUILD_FOLDER } from "../runtime/base/build-folder.js";
import { rethrowUnhandledError } from "../runtime/base/unhandled-errors.js";
import {
  changedFile,
  hashContent,
  type Manifest,
  readManifest,
  SYSTEM_OUTPUT,
} from "../runtime/settings/manifest.js";
import { findPluginFiles } from "../runtime/settings/plugin-files.js";
import { type BuildResult, PhaseTimer } from "./build-result.js";
import { differingFiles, writeOutput } from "./output.js";
import { TSCONFIG_FILE } from "./tsconfig.js";
import { unmatchedFiles } from "./unmatched-files.js";
import { compilerVersion } from "./version.js";

export interface BuildOptions {
  /** Writes nothing; the result is not `ok` if a build would change files on disk. */
  readonly check?: boolean;
  /** A file instead of `tsconfig.json`, relative to the project. */
  readonly tsconfig?: string;
}

/**
 * Builds a project's `.svc/`. With errors nothing is written.
 *
 * @param projectDir folder of the project
 * @throws SvcError if the configuration does not run, no file has plugins, or the folder cannot be
 *   written
 */
export async function buildProject(
  projectDir: string,
  options: BuildOptions = {},
): Promise<BuildResult> {
  const clock = new PhaseTimer();
  const folder = resolve(projectDir);
  const { check = false, tsconfig } = options;
  const plugins = check ? null : await currentPlugins(folder, tsconfig);
  if (plugins !== null) {
    clock.mark("unchanged");
    const timings = clock.timings();
    return { ok: true, unchanged: true, plugins, diagnostics: [], differing: [], timings };
  }
  return compileProject(folder, clock, check ? "compare" : "write", tsconfig);
}

/**
 * Finds all errors and warnings of a project without writing anything.
 *
 * @param projectDir folder of the project
 */
export async function checkProject(
  projectDir: string,
  { tsconfig }: Pick<BuildOptions, "tsconfig"> = {},
): Promise<BuildResult> {
  return compileProject(resolve(projectDir), new PhaseTimer(), "nothing", tsconfig);
}

/** Returns the number of plugins in the build on disk; null if the build is not current. */
async function currentPlugins(
  projectDir: string,
  tsconfig = TSCONFIG_FILE,
): Promise<number | null> {
  const manifest = readManifest(projectDir);
  if (manifest === null || manifest.svc !== compilerVersion() || !manifest.checked) {
    return null;
  }
  // Warnings are repeated on every build.
  if (manifest.hasWarnings) return null;
  const folder = join(projectDir, BUILD_FOLDER);
  const isSame =
    manifest.tsconfig === posix.normalize(tsconfig) &&
    changedFile(projectDir, manifest.inputs) === null &&
    changedFile(folder, manifest.outputs) === null &&
    // The manifest does not list itself.
    readdirSync(folder).length === Object.keys(manifest.outputs).length + 1;
  if (!isSame) {
    return null;
  }
  const files = await findPluginFiles(projectDir, manifest.config);
  const isCurrent =
    files.join("\n") === manifest.files.join("\n") &&
    // A new file may deserve a warning although it is not an input.
    (await unmatchedFiles(projectDir, manifest.config, files)).length === 0 &&
    (!manifest.isConfigOpen || (await isSameConfig(projectDir, manifest)));
  return isCurrent ? manifest.plugins.length : null;
}

/**
 * Re-evaluates a configuration whose value may have changed, for example because it reads the
 * environment.
 */
async function isSameConfig(projectDir: string, { config, outputs }: Manifest): Promise<boolean> {
  const { loadConfig } = await import("./config/config.js");
  const loaded = await loadConfig(projectDir);
  const systemHash = loaded.system === null ? undefined : hashContent(loaded.system.text);
  const isSameSystem = systemHash === outputs[SYSTEM_OUTPUT];
  return isSameSystem && JSON.stringify(loaded.config) === JSON.stringify(config);
}

async function compileProject(
  projectDir: string,
  clock: PhaseTimer,
  purpose: "write" | "compare" | "nothing",
  tsconfig: string | undefined,
): Promise<BuildResult> {
  const { ProjectBuilder } = await import("./project-builder.js");
  clock.mark("load");
  const builder = new ProjectBuilder(projectDir, tsconfig);
  try {
    const { files, plugins, diagnostics } = await builder.compileChecked([], clock);
    rethrowUnhandledError();
    let differing: string[] = [];
    let written = false;
    const isValid = files !== null;
    if (isValid && purpose === "compare") {
      differing = differingFiles(projectDir, files);
    } else if (isValid && purpose === "write") {
      written = writeOutput(projectDir, files);
      clock.mark("write");
    }
    return {
      ok: isValid && differing.length === 0,
      unchanged: isValid && purpose === "write" && !written,
      plugins,
      diagnostics,
      differing,
      timings: clock.timings(),
    };
  } finally {
    await builder.close();
  }
}
