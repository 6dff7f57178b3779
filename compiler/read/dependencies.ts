// Which files a program was made of, and which of them import a given one.

import { dirname } from "node:path";
import { ts } from "ts-morph";
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

/**
 * The files that import one of `changed`, directly or not. All files when a changed one speaks to
 * the whole program: a script or a `declare global`.
 */
export function importersOf(program: ts.Program, changed: readonly string[]): Set<string> {
  const checker = program.getTypeChecker();
  const own = program.getSourceFiles().filter((file) => !file.fileName.includes("/node_modules/"));
  const importers = new Map<string, string[]>();
  for (const sourceFile of own) {
    for (const imported of importedFiles(checker, sourceFile)) {
      const known = importers.get(imported);
      if (known) known.push(sourceFile.fileName);
      else importers.set(imported, [sourceFile.fileName]);
    }
  }
  if (changed.some((path) => isGlobal(program.getSourceFile(path)))) {
    return new Set(own.map((file) => file.fileName));
  }
  const found = new Set<string>();
  const queue = [...changed];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const importer of importers.get(path) ?? []) {
      if (found.has(importer)) continue;
      found.add(importer);
      queue.push(importer);
    }
  }
  return found;
}

function isGlobal(sourceFile: ts.SourceFile | undefined): boolean {
  if (!sourceFile) return false;
  return !ts.isExternalModule(sourceFile) || /\bdeclare\s+(global|module)\b/.test(sourceFile.text);
}

function importedFiles(checker: ts.TypeChecker, sourceFile: ts.SourceFile): string[] {
  return moduleSpecifiers(sourceFile).flatMap((specifier) => {
    const module = checker.getSymbolAtLocation(specifier)?.valueDeclaration;
    return module && ts.isSourceFile(module) ? [module.fileName] : [];
  });
}

/** Every module specifier of a file, `import("...")` types included; the parser collects them. */
function moduleSpecifiers(sourceFile: ts.SourceFile): readonly ts.StringLiteralLike[] {
  return (sourceFile as ts.SourceFile & { imports?: ts.StringLiteralLike[] }).imports ?? [];
}
