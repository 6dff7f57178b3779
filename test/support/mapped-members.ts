// Members of exported types that are computed from other types, such as `Omit<Options, "limit">` or
// the types of a table of settings: their declarations do not list the members, so that the type
// checker is asked.

import { Project, ts } from "ts-morph";

const SHOWN =
  ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

export class MappedMembers {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  /** @param files declarations to read */
  constructor(files: readonly string[]) {
    const compilerOptions = {
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
      stableTypeOrdering: true,
    };
    const project = new Project({ compilerOptions, skipAddingFilesFromTsConfig: true });
    for (const file of files) project.addSourceFileAtPath(file);
    this.#program = project.getProgram().compilerObject;
    this.#checker = this.#program.getTypeChecker();
  }

  /** A line for each member of a file's exports, `SvcConfig: http.port?: number`. */
  *lines(file: string): Generator<string> {
    const module = this.#checker.getSymbolAtLocation(this.#program.getSourceFile(file)!)!;
    for (const exported of this.#checker.getExportsOfModule(module)) {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
      const isType = symbol.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface);
      if (isType === 0) continue;
      const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
      const bases = type.isClassOrInterface() ? this.#checker.getBaseTypes(type) : [type];
      for (const base of bases) {
        for (const line of this.#membersOf(base, "")) yield `${exported.name}: ${line}`;
      }
    }
  }

  *#membersOf(type: ts.Type, path: string): Generator<string> {
    const parts = type.isIntersection() ? type.types : [type];
    for (const part of parts.filter(isMapped)) {
      for (const member of this.#checker.getPropertiesOfType(part)) {
        const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
        const of = this.#checker.getTypeOfSymbol(member);
        const inner = this.#checker.getNonNullableType(of);
        const name = `${path}${member.name}`;
        const shown = this.#checker.typeToString(of, undefined, SHOWN);
        if (isMapped(inner)) yield* this.#membersOf(inner, `${name}.`);
        else yield `${name}${isOptional ? "?" : ""}: ${shown}`;
      }
    }
  }
}

function isMapped(type: ts.Type): boolean {
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0;
  return isObject && ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0;
}
