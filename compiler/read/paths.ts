// File paths as the compiler writes them: relative to the project folder, with `/` on every system.

import { isAbsolute, relative, resolve, sep } from "node:path";

/** `file` relative to `projectDir`, with `/`; begins with `../` when it lies outside. */
export function relativePath(projectDir: string, file: string): string {
  const path = relative(projectDir, file);
  return sep === "/" ? path : path.split(sep).join("/");
}

/** The absolute form of a path of the project, as TypeScript writes it. */
export function absolutePath(projectDir: string, file: string): string {
  const path = isAbsolute(file) ? file : resolve(projectDir, file);
  return sep === "/" ? path : path.split(sep).join("/");
}
