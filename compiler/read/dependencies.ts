// Which files a program was made of: what a cached build depends on.

import { dirname } from "node:path";
import type { ts } from "ts-morph";
import { isPackageFolder } from "./package-symbols.js";
import { relativePath } from "./paths.js";

/** The user's own files of a program, relative to the project folder, sorted. */
export function readDependencies(projectDir: string, program: ts.Program): string[] {
  const paths: string[] = [];
  for (const sourceFile of program.getSourceFiles()) {
    const { fileName } = sourceFile;
    if (fileName.includes("/node_modules/") || program.isSourceFileDefaultLibrary(sourceFile)) {
      continue;
    }
    const path = relativePath(projectDir, fileName);
    const isOutside = path.startsWith("../");
    if (!isOutside || !isPackageFolder(dirname(fileName))) paths.push(path);
  }
  return paths.sort();
}
