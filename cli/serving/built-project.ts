// Reads the build in a project folder and checks whether it is stale.

import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Argspec } from "../../argspec/argspec.js";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { SvcError } from "../../runtime/base/errors.js";
import type { PluginTable, Routes } from "../../runtime/plugin/contract/plugin-table.js";
import { shareArgspec } from "../../runtime/plugin/contract/shared-argspec.js";
import {
  changedFile,
  hashContent,
  type Manifest,
  readManifest,
} from "../../runtime/settings/manifest.js";
import { mayFindNewFiles } from "../../runtime/settings/new-plugin-files.js";
import type { LoadBuild } from "./served-project.js";

const ARGSPEC_FILE = "argspec.json";
const ROUTES_FILE = "routes.json";

/** @throws SvcError SVC3006 if there is no build that this version can serve */
export function readBuild(projectDir: string): Manifest {
  const manifest = readManifest(projectDir);
  if (manifest === null) {
    throw new SvcError("SVC3006", `project is not built: run \`${buildCommand(projectDir)}\``);
  }
  return manifest;
}

/**
 * Warns if a source differs from the build, or if types were never checked successfully.
 * @throws SvcError like `readBuild`
 */
export async function warnIfStale(projectDir: string): Promise<void> {
  const manifest = readBuild(projectDir);
  if (!warnIfChanged(projectDir, manifest)) await warnIfExtended(projectDir, manifest);
}

/** Warns of a changed source or of unchecked types; returns whether it has. */
export function warnIfChanged(projectDir: string, { inputs, checked }: Manifest): boolean {
  const changed = changedFile(projectDir, inputs);
  if (changed !== null) warn(projectDir, `serving a stale build: ${changed} has changed`);
  else if (!checked) warn(projectDir, "serving a build with unchecked or invalid types");
  return changed !== null || !checked;
}

/** Warns of a new source. It may search all folders of the project. */
export async function warnIfExtended(projectDir: string, build: Manifest): Promise<void> {
  if (!mayFindNewFiles(projectDir, build.config.plugins, build.files)) return;
  const { findPluginFiles } = await import("../../runtime/settings/plugin-files.js");
  const files = await findPluginFiles(projectDir, build.config);
  const added = files.find((file) => !build.files.includes(file));
  if (added !== undefined) warn(projectDir, `serving a stale build: ${added} is new`);
}

function warn(projectDir: string, reason: string): void {
  process.stderr.write(`svc: warning: ${reason}; run \`${buildCommand(projectDir)}\`\n`);
}

/** One role of the plugins in a build; each instance of a matrix serves one. */
export type Role = "engine" | "dispatcher";

/**
 * Returns the plugin table of a build, without code.
 * @param role role to serve; undefined: all roles
 * @throws SvcError SVC3006 if a newer build has replaced this one, or it is corrupt
 */
function pluginTable(
  projectDir: string,
  { plugins, outputs }: Manifest,
  role: Role | undefined,
): PluginTable {
  const text = readOutput(projectDir, ROUTES_FILE, outputs);
  const routes = servedRoutes(JSON.parse(text) as Routes, role);
  const descriptions = plugins
    .filter(({ description: { path }, role: part }) => routes[path]?.[part] !== undefined)
    .filter(({ description: { path } }) => routes[path]?.job === undefined)
    .map(({ description }) => description);
  const argspec = readOutput(projectDir, ARGSPEC_FILE, outputs);
  // Independent of the role: clients are generated from the contract of the whole matrix.
  return { routes, descriptions, argspec: shareArgspec(JSON.parse(argspec) as Argspec, argspec) };
}

/** @throws SvcError SVC3006 if the file does not belong to the build */
function readOutput(projectDir: string, name: string, outputs: Manifest["outputs"]): string {
  const path = join(projectDir, BUILD_FOLDER, name);
  // The build may have been copied incompletely.
  if (!existsSync(path)) throw new SvcError("SVC3006", `build lacks ${BUILD_FOLDER}/${name}`);
  const text = readFileSync(path, "utf8");
  if (hashContent(text) === outputs[name]) return text;
  const why = "build was replaced while it was being read, or is corrupt";
  throw new SvcError("SVC3006", `${why}: ${BUILD_FOLDER}/${name}`);
}

/** Hash that identifies a build. */
export function buildHash({ outputs }: Manifest): string {
  return hashContent(JSON.stringify(outputs));
}

/** Returns a function that loads the folder's build at the time of the call. */
export function loader(projectDir: string, role: Role | undefined): LoadBuild {
  return () => {
    const manifest = readBuild(projectDir);
    return { table: pluginTable(projectDir, manifest, role), build: buildHash(manifest) };
  };
}

function servedRoutes(routes: Routes, role: Role | undefined): Routes {
  if (role === undefined) return routes;
  const parts = Object.entries(routes).map(([path, { engine, pre, post, ...facts }]) => {
    const processors = { ...(pre !== undefined && { pre }), ...(post !== undefined && { post }) };
    const served = role === "dispatcher" ? processors : engine === undefined ? {} : { engine };
    return [path, Object.keys(served).length === 0 ? null : { ...served, ...facts }] as const;
  });
  return Object.fromEntries(parts.filter(([, part]) => part !== null)) as Routes;
}

function buildCommand(projectDir: string): string {
  const folder = relative(".", projectDir);
  return folder === "" ? "svc build" : `svc build ${folder}`;
}
