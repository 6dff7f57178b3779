// Where the transpiled sources are: transpile.mjs writes them before each run.

import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const TRANSPILED = join(root, ".generated/tests");

/** The transpiled file of a source file, whose path is relative to the repository. */
export function transpiledFile(path) {
  return join(TRANSPILED, path.replace(/\.tsx?$/, ".js"));
}

/** The transpiled module of a TypeScript module, for threads and processes of tests. */
export function transpiledModule(source) {
  return pathToFileURL(transpiledFile(relative(root, fileURLToPath(source))));
}
