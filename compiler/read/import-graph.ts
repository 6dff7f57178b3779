// Import graph of the user's own files: determines which files a change affects.

import { ts } from "ts-morph";

export class ImportGraph {
  readonly #program: ts.Program;
  readonly #importers = new Map<string, string[]>();
  #hasUnresolved = false;

  constructor(program: ts.Program) {
    this.#program = program;
    for (const sourceFile of program.getSourceFiles()) {
      if (!sourceFile.fileName.includes("/node_modules/")) this.#addImports(sourceFile);
    }
  }

  /** True if an import is unresolved, so that a new file may provide it. */
  get hasUnresolved(): boolean {
    return this.#hasUnresolved;
  }

  /** Returns the files that import one of `changed`, directly or indirectly. */
  findImporters(changed: readonly string[]): Set<string> {
    const found = new Set<string>();
    const queue = [...changed];
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      for (const importer of this.#importers.get(path) ?? []) {
        if (found.has(importer)) continue;
        found.add(importer);
        queue.push(importer);
      }
    }
    return found;
  }

  #addImports(sourceFile: ts.SourceFile): void {
    const checker = this.#program.getTypeChecker();
    for (const specifier of moduleSpecifiers(sourceFile)) {
      const module = checker.getSymbolAtLocation(specifier)?.valueDeclaration;
      if (!module) {
        this.#hasUnresolved = true;
      } else if (ts.isSourceFile(module)) {
        const known = this.#importers.get(module.fileName);
        if (known) known.push(sourceFile.fileName);
        else this.#importers.set(module.fileName, [sourceFile.fileName]);
      }
    }
  }
}

/** Returns the texts of files that affect the whole program: scripts, and `declare global`. */
export function globalTexts(program: ts.Program): ReadonlyMap<string, string> {
  const files = program.getSourceFiles().filter(isGlobal);
  return new Map(files.map(({ fileName, text }) => [fileName, text]));
}

/** Returns whether a file is a script, or a module that declares names outside of itself. */
export function isGlobal(sourceFile: ts.SourceFile): boolean {
  const { moduleAugmentations = [] } = sourceFile as { moduleAugmentations?: readonly ts.Node[] };
  return !ts.isExternalModule(sourceFile) || moduleAugmentations.length > 0;
}

/**
 * Returns every module specifier of a file, including `import("...")` types; the parser collects
 * them.
 */
function moduleSpecifiers(sourceFile: ts.SourceFile): readonly ts.StringLiteralLike[] {
  return (sourceFile as ts.SourceFile & { imports?: ts.StringLiteralLike[] }).imports ?? [];
}
