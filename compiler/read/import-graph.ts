// Import graph of the user's own files: determines which files a change affects.

import { ts } from "ts-morph";

export class ImportGraph {
  readonly #program: ts.Program;
  readonly #own: readonly ts.SourceFile[];
  readonly #importers = new Map<string, string[]>();
  #hasUnresolved = false;

  constructor(program: ts.Program) {
    this.#program = program;
    this.#own = program
      .getSourceFiles()
      .filter((file) => !file.fileName.includes("/node_modules/"));
    for (const sourceFile of this.#own) this.#addImportsOf(sourceFile);
  }

  /** True if an import is unresolved, so that a new file may provide it. */
  get hasUnresolved(): boolean {
    return this.#hasUnresolved;
  }

  /**
   * Returns the files that import one of `changed`, directly or indirectly. Returns all files if a
   * changed one affects the whole program: a script, or a `declare global`.
   */
  importersOf(changed: readonly string[]): Set<string> {
    if (changed.some((path) => isGlobal(this.#program.getSourceFile(path)))) {
      return new Set(this.#own.map((file) => file.fileName));
    }
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

  #addImportsOf(sourceFile: ts.SourceFile): void {
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

function isGlobal(sourceFile: ts.SourceFile | undefined): boolean {
  if (!sourceFile) return false;
  return !ts.isExternalModule(sourceFile) || /\bdeclare\s+(global|module)\b/.test(sourceFile.text);
}

/**
 * Returns every module specifier of a file, including `import("...")` types; the parser collects
 * them.
 */
function moduleSpecifiers(sourceFile: ts.SourceFile): readonly ts.StringLiteralLike[] {
  return (sourceFile as ts.SourceFile & { imports?: ts.StringLiteralLike[] }).imports ?? [];
}
