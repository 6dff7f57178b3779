// Copies files that modules refer to by `new URL("./data.txt", import.meta.url)`. The build refers
// to them by their paths in the project.

import { cpSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BUILD_FOLDER } from "../../runtime/base/build-folder.js";
import { MODULES_FILE } from "../emit/project.js";
import { LOCATION_FUNCTIONS } from "../module-locations.js";

/** The bundler appends numbers to functions of equal names. */
const NAME = `${LOCATION_FUNCTIONS.url.replace("$", "\\$")}\\d*`;
const FUNCTION = new RegExp(`function (${NAME})\\(\\) \\{\\s*return new URL\\("([^"]+)"`, "g");
const USE = new RegExp(`new URL\\("([^"]+)", (${NAME})\\(\\)\\)`, "g");

/** Copies the files, except those outside the project. */
export function copyAssets(projectDir: string, folder: string): void {
  const modules = join(projectDir, BUILD_FOLDER, MODULES_FILE);
  const text = readFileSync(modules, "utf8");
  const bases = new Map([...text.matchAll(FUNCTION)].map(([, name, path]) => [name!, path!]));
  for (const [, path, name] of text.matchAll(USE)) {
    const base = new URL(bases.get(name!) ?? "", pathToFileURL(modules));
    const file = fileURLToPath(new URL(path!, base));
    const inProject = relative(projectDir, file);
    if (inProject.startsWith("..") || !existsSync(file)) continue;
    cpSync(file, join(folder, inProject), { recursive: true });
  }
}
