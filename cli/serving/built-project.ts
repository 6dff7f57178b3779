// The build that a project folder holds, and whether it still matches the sources.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { SvcError } from "../../runtime/errors.js";
import { BUILD_FOLDER, changedFile, type Manifest, readManifest } from "../../runtime/manifest.js";
import type { PluginTable } from "../../runtime/plugin/plugin-table.js";

/** @throws SvcError SVC3006 when there is no build that this version can serve */
export function readBuild(projectDir: string): Manifest {
  const manifest = readManifest(projectDir);
  if (manifest === null) {
    throw new SvcError("SVC3006", `nothing to serve before \`${buildCommand(projectDir)}\``);
  }
  return manifest;
}

/** Writes a warning when a source is no longer what was built. */
export function warnIfStale(projectDir: string, manifest: Manifest): void {
  const changed = changedFile(projectDir, manifest.inputs);
  if (changed === null) return;
  process.stderr.write(
    `svc: warning: ${changed} has changed since the build, which is served as it is; ` +
      `\`${buildCommand(projectDir)}\` builds it anew\n`,
  );
}

/** What the servers need to know of the plugins, without their code. */
export function pluginTable(projectDir: string, { plugins }: Manifest): PluginTable {
  const routes = readFileSync(join(projectDir, BUILD_FOLDER, "routes.json"), "utf8");
  return {
    routes: JSON.parse(routes),
    descriptions: plugins.map(({ description }) => description),
  };
}

function buildCommand(projectDir: string): string {
  const folder = relative(".", projectDir);
  return folder === "" ? "svc build" : `svc build ${folder}`;
}
