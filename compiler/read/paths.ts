// File paths in compiler output: relative to the project folder, with `/` on every system.

import { isAbsolute, relative, resolve, sep } from "node:path";

/** Returns `file` relative to `projectDir`; outside the project it starts with `../`. */
export function relativePath(projectDir: string, file: string): string {
  const path = relative(projectDir, file);
  return sep === "/" ? path : path.split(sep).join("/");
}

/** Returns the absolute path of a project file, as TypeScript writes it. */
export function absolutePath(projectDir: string, file: string): string {
  const path = isAbsolute(file) ? file : resolve(projectDir, file);
  return sep === "/" ? path : path.split(sep).join("/");
}
