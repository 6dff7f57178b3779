// Finds the package.json that applies to a folder.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface PackageManifest {
  readonly name?: string;
  readonly type?: string;
}

/** Returns the manifest of the folder or its nearest ancestor; null if there is none. */
export function nearestManifest(folder: string): PackageManifest | null {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackageManifest;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? null : nearestManifest(parent);
  }
}
