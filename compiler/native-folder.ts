// The package of the native TypeScript for this platform.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/**
 * Returns the folder with the executable and the declarations of JavaScript's own objects; null if
 * it is not installed.
 *
 * @param manifest path of the package.json of `typescript`
 */
export function nativeFolder(manifest: string): string | null {
  const name = `@typescript/typescript-${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(manifest);
    const folder = join(dirname(resolve(`${name}/package.json`)), "lib");
    return existsSync(folder) ? folder : null;
  } catch {
    return null;
  }
}
