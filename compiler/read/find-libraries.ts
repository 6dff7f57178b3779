// Finds the declarations of JavaScript's own objects. They are those of the native compiler, so
// that reading and type checking see the same types.

import { createRequire } from "node:module";
import { SvcError } from "../../runtime/base/errors.js";
import { nativeFolder } from "../native-folder.js";

/** @throws SvcError SVC1060 if the native compiler is not installed */
export function findLibraries(): string {
  const typescript = createRequire(import.meta.url).resolve("typescript/package.json");
  const folder = nativeFolder(typescript);
  if (folder === null)
    throw new SvcError("SVC1060", "TypeScript 7 is required to read the plugins");
  return folder.replaceAll("\\", "/");
}
