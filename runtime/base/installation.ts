// Detects corrupt installations of this package. An interrupted update or a full disk leaves files
// that are missing or incomplete, and what happens then would look like a bug.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { packageRoot } from "./package-info.js";

/** Returns the id of the code in a folder, which the build of the package writes to `build-id`. */
export function codeId(folder: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(folder, { recursive: true }) as string[];
  // Installed elsewhere than built: names must not depend on the platform.
  for (const name of names.map((name) => name.replaceAll(sep, "/")).sort()) {
    if (name.endsWith(".js")) hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex").slice(0, 8);
}

/** Returns whether the code of a package differs from what its build wrote. */
export function isInstallationCorrupt(root = packageRoot()): boolean {
  const folder = join(root, "dist");
  // A standalone folder has the id of the package that wrote it, and other files.
  if (!existsSync(join(folder, "cli.js"))) return false;
  try {
    return readFileSync(join(folder, "build-id"), "utf8").trim() !== codeId(folder);
  } catch (error) {
    // Other errors, such as too many open files, tell nothing about the code.
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
