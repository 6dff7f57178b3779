// The build that a project folder holds, and whether it still matches the sources.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { SvcError } from "../../runtime/errors.js";
import { BUILD_FOLDER, changedFile, type Manifest, readManifest } from "../../runtime/manifest.js";
import type { PluginTable, Routes } from "../../runtime/plugin/plugin-table.js";

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

/** One part of the plugins of a build; a matrix serves each at another place. */
export type Role = "engine" | "dispatcher";

/**
 * What the servers need to know of the plugins, without their code.
 * @param role whose plugins are served; undefined: all
 */
export function pluginTable(
  projectDir: string,
  { plugins }: Manifest,
  role: Role | undefined,
): PluginTable {
  const text = readFileSync(join(projectDir, BUILD_FOLDER, "routes.json"), "utf8");
  const served = Object.entries(JSON.parse(text) as Routes).filter(
    ([, { engine }]) => role === undefined || (engine !== undefined) === (role === "engine"),
  );
  const routes = Object.fromEntries(served);
  const descriptions = plugins.map(({ description }) => description);
  return { routes, descriptions: descriptions.filter(({ path }) => Object.hasOwn(routes, path)) };
}

function buildCommand(projectDir: string): string {
  const folder = relative(".", projectDir);
  return folder === "" ? "svc build" : `svc build ${folder}`;
}
