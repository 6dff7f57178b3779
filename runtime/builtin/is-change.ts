// Which built-in plugins change something: all that are not tagged `@readonly`, so that a new one
// is for trusted clients only until somebody decides otherwise.

import { readonlyPaths } from "./.generated/readonly.js";

const READONLY = new Set(readonlyPaths);

export function isChange(path: string): boolean {
  return !READONLY.has(path);
}
