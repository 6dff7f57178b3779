// The public API of the package as lines of text: every name that its entries export, and every
// member that programs may use, in whichever base class or file it is declared. Read from the
// declarations of a build.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ts } from "ts-morph";
import { MappedMembers } from "./mapped-members.js";

/** Location of a declaration: a declaration file, and the name in it. */
interface Place {
  readonly file: string;
  readonly name: string;
}

interface Module {
  readonly declared: ReadonlyMap<string, readonly ts.Statement[]>;
  /** Names from other files, imported or re-exported. */
  readonly taken: ReadonlyMap<string, Place>;
  /** Whether each is exported as a type only, even if declared as a class. */
  readonly exported: ReadonlyMap<string, { readonly isType: boolean }>;
  /** Files all of whose exports are re-exported. */
  readonly passed: readonly string[];
}

const PRINTER = ts.createPrinter({ removeComments: true });

export class PublicApi {
  readonly #root: string;
  readonly #modules = new Map<string, Module>();

  /** @param root folder of the package, which must be built */
  constructor(root: string) {
    this.#root = root;
  }

  /** Sorted lines, each of which begins with its entry and name. */
  lines(): string[] {
    const manifest = JSON.parse(readFileSync(join(this.#root, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
    };
    const lines = new Set<string>();
    const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === "string" ? [] : [{ entry, file: normalize(target.types) }],
    );
    const mapped = new MappedMembers(entries.map(({ file }) => join(this.#root, file)));
    for (const { entry, file } of entries) {
      const label = normalize(join(manifest.name, entry)).replace(/\/$/, "");
      for (const line of mapped.lines(join(this.#root, file))) lines.add(`${label} ${line}`);
      for (const [name, { isType }] of this.#exportsOf(file)) {
        const declaration = this.#declaration({ file, name });
        for (const line of this.#linesOf(declaration, name)) {
          // The constructor of a type-only export cannot be called.
          if (!isType || !line.startsWith(`${name}: constructor(`)) lines.add(`${label} ${line}`);
        }
      }
    }
    return [...lines].sort();
  }

  #exportsOf(file: string): [name: string, { readonly isType: boolean }][] {
    const { exported, passed } = this.#module(file);
    return [...exported, ...passed.flatMap((path) => this.#exportsOf(path))];
  }

  /** Resolves a name to its declaration. */
  #declaration(origin: Place): Place {
    const { declared, taken, passed } = this.#module(origin.file);
    if (declared.has(origin.name)) return origin;
    const from = taken.get(origin.name);
    if (from !== undefined) return this.#declaration(from);
    const otherFile = passed.find((file) =>
      this.#exportsOf(file).some(([name]) => name === origin.name),
    );
    if (otherFile === undefined) throw new Error(`${origin.file} does not declare ${origin.name}`);
    return this.#declaration({ ...origin, file: otherFile });
  }

  *#linesOf(declared: Place, shown: string): Generator<string> {
    for (const node of this.#module(declared.file).declared.get(declared.name) ?? []) {
      if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
        yield `${ts.isClassDeclaration(node) ? "class" : "interface"} ${shown}`;
        yield* this.#membersOf(declared.file, node, shown);
      } else {
        yield `${shown}: ${printed(node)}`;
        const known = classOfConstant(node);
        const target = known === null ? null : this.#open(declared.file, known);
        if (target !== null && ts.isClassDeclaration(target.node)) {
          yield `class ${shown}`;
          yield* this.#membersOf(target.file, target.node, shown);
        }
        const type = typeOfConstant(node);
        const open = type === null ? null : this.#open(declared.file, type);
        if (open !== null) yield* this.#membersOf(open.file, open.node, shown);
      }
    }
  }

  /** Own and inherited members. */
  *#membersOf(
    file: string,
    node: ts.ClassDeclaration | ts.InterfaceDeclaration,
    shown: string,
  ): Generator<string> {
    for (const member of node.members) {
      if (!isHidden(member)) yield `${shown}: ${printed(member)}`;
    }
    for (const clause of node.heritageClauses ?? []) {
      if (clause.token !== ts.SyntaxKind.ExtendsKeyword) continue;
      for (const type of clause.types) {
        const { expression } = type;
        const base = ts.isIdentifier(expression) ? this.#open(file, expression.text) : null;
        if (base === null || type.typeArguments !== undefined) {
          yield `${shown}: extends ${printed(type)}`;
        }
        if (base !== null) yield* this.#membersOf(base.file, base.node, shown);
      }
    }
  }

  /** The class or interface of a name; null for other names and foreign ones. */
  #open(file: string, name: string) {
    const { declared, taken } = this.#module(file);
    if (!declared.has(name) && !taken.has(name)) return null;
    const declaration = this.#declaration({ file, name });
    const [node] = this.#module(declaration.file).declared.get(declaration.name) ?? [];
    if (node === undefined) return null;
    const isOpen = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node);
    return isOpen ? { file: declaration.file, node } : null;
  }

  #module(file: string): Module {
    const known = this.#modules.get(file) ?? this.#read(file);
    this.#modules.set(file, known);
    return known;
  }

  #read(file: string): Module {
    const text = readFileSync(join(this.#root, file), "utf8");
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const declared = new Map<string, ts.Statement[]>();
    const taken = new Map<string, Place>();
    const exported = new Map<string, { isType: boolean }>();
    const passed: string[] = [];
    for (const statement of tree.statements) {
      for (const name of declaredNames(statement)) {
        declared.set(name, [...(declared.get(name) ?? []), statement]);
        if (isExported(statement)) exported.set(name, { isType: false });
      }
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      const from = this.#target(file, statement);
      const names = listSpecifiers(statement);
      if (names === null && from !== null) passed.push(from);
      for (const { name, propertyName, isTypeOnly } of names ?? []) {
        const original = (propertyName ?? name).text;
        if (from !== null) taken.set(name.text, { file: from, name: original });
        if (!ts.isExportDeclaration(statement)) continue;
        exported.set(name.text, { isType: isTypeOnly || statement.isTypeOnly });
      }
    }
    return { declared, taken, exported, passed };
  }

  /** Null for packages. */
  #target(file: string, node: ts.ImportDeclaration | ts.ExportDeclaration): string | null {
    const { moduleSpecifier } = node;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return null;
    const path = normalize(join(dirname(file), moduleSpecifier.text.replace(/\.js$/, ".d.ts")));
    const isOurs = moduleSpecifier.text.startsWith(".") && existsSync(join(this.#root, path));
    return isOurs ? path : null;
  }
}

/** Null if everything is re-exported. */
function listSpecifiers(node: ts.ImportDeclaration | ts.ExportDeclaration) {
  if (ts.isExportDeclaration(node)) {
    if (node.exportClause === undefined) return null;
    return ts.isNamedExports(node.exportClause) ? node.exportClause.elements : [];
  }
  const bindings = node.importClause?.namedBindings;
  return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const isNamed =
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

/** Name of the class of `const Graph: typeof Plain & More`, which has additional members. */
function classOfConstant(node: ts.Statement): string | null {
  if (!ts.isVariableStatement(node)) return null;
  const { type } = node.declarationList.declarations[0]!;
  const first = type !== undefined && ts.isIntersectionTypeNode(type) ? type.types[0] : type;
  if (first === undefined || !ts.isTypeQueryNode(first)) return null;
  return ts.isIdentifier(first.exprName) ? first.exprName.text : null;
}

/** Name of the type of `const system: System`. */
function typeOfConstant(node: ts.Statement): string | null {
  if (!ts.isVariableStatement(node)) return null;
  const { type } = node.declarationList.declarations[0]!;
  const isName =
    type !== undefined && ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName);
  return isName ? (type.typeName as ts.Identifier).text : null;
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function isHidden(member: ts.ClassElement | ts.TypeElement): boolean {
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true;
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  const hiding = [ts.SyntaxKind.ProtectedKeyword, ts.SyntaxKind.PrivateKeyword];
  return modifiers?.some(({ kind }) => hiding.includes(kind)) ?? false;
}

/** On one line, without comments. */
function printed(node: ts.Node): string {
  const text = PRINTER.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
  return text
    .replace(/\s+/g, " ")
    .replace(/^export /, "")
    .replace(/^declare /, "");
}
