// Location and version of this package. Works from the sources and from the bundle, because both
// are below the package's folder.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the folder of the package's package.json. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export interface PackageInfo {
  readonly name: string;
  readonly version: string;
}

/** Returns the package's own package.json. */
export function packageInfo(): PackageInfo {
  return JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
}
