// Lists the files of a program, which are the inputs of a cached build.

import { dirname } from "node:path";
import type { ts } from "ts-morph";
import { isPackageFolder } from "./package-symbols.js";
import { relativePath } from "./paths.js";
import type { ReadContext } from "./read-context.js";

/**
 * Returns the files of a program, relative to the project and sorted: the user's files, and
 * declarations of installed packages. Excludes declarations of TypeScript and of this package,
 * which change only with their versions.
 */
export function readDependencies(projectDir: string, program: ts.Program): string[] {
  return program
    .getSourceFiles()
    .filter((sourceFile) => !program.isSourceFileDefaultLibrary(sourceFile))
    .filter(({ fileName }) => isInput(projectDir, fileName))
    .map(({ fileName }) => relativePath(projectDir, fileName))
    .sort();
}

export function isInput(projectDir: string, fileName: string): boolean {
  const path = relativePath(projectDir, fileName);
  const isForeign = path.startsWith("../") || fileName.includes("/node_modules/");
  return !isForeign || !isPackageFolder(dirname(fileName));
}

/** Returns the modules below the project folder that are not plugin files. */
export function importedModules(
  context: ReadContext,
  pluginFiles: ReadonlySet<string>,
): ts.SourceFile[] {
  return context.program.getSourceFiles().filter((sourceFile) => {
    const { fileName, isDeclarationFile } = sourceFile;
    if (isDeclarationFile || pluginFiles.has(fileName)) return false;
    return !context.path(sourceFile).startsWith("../") && !fileName.includes("/node_modules/");
  });
}
