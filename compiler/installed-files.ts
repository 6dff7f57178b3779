// Detects changes of installed packages. Their folders are not watched: an installation ends with
// writing a lock file, and declarations edited by hand are compared at each rebuild.

import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const LOCK_FILES = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];

/**
 * Names of lock files in the project's folder, whether they exist or not, and those of the nearest
 * folder above it that has one, such as the root of a workspace; relative to the project.
 */
export function lockFiles(projectDir: string): string[] {
  return [...LOCK_FILES, ...locksAbove(projectDir, dirname(projectDir))];
}

function locksAbove(projectDir: string, folder: string): string[] {
  const paths = LOCK_FILES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const parent = dirname(folder);
  if (paths.length === 0 && parent !== folder) return locksAbove(projectDir, parent);
  return paths.map((path) => relative(projectDir, path).replaceAll(sep, "/"));
}

/** Compares declarations in `node_modules` with those of the last reading, by time and size. */
export class InstalledFiles {
  readonly #projectDir: string;
  #states = new Map<string, string>();

  constructor(projectDir: string) {
    this.#projectDir = projectDir;
  }

  /** @param dependencies all files of the last reading, relative to the project */
  follow(dependencies: readonly string[]): void {
    const installed = dependencies.filter((file) => file.includes("node_modules/"));
    this.#states = new Map(installed.map((file) => [file, this.#readState(file)]));
  }

  haveChanged(): boolean {
    return [...this.#states].some(([file, state]) => this.#readState(file) !== state);
  }

  #readState(file: string): string {
    const found = statSync(join(this.#projectDir, file), { throwIfNoEntry: false });
    return found === undefined ? "" : `${found.mtimeMs} ${found.size}`;
  }
}
