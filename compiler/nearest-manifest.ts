// The package.json that says what the files of a folder are.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PackageManifest {
  readonly name?: string;
  readonly type?: string;
}

/** Of the folder or the nearest one above it; null when there is none. */
export function nearestManifest(folder: string): PackageManifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? null : nearestManifest(parent);
  }
}
