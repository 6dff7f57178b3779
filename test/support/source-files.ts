// The code of the repository as data: files, and for TypeScript the imports, exports and function
// lengths of each. Read by test/tidy.test.ts.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

const CODE_FOLDERS = [
  ".ci",
  "argspec",
  "bench",
  "bin",
  "cli",
  "client",
  "compiler",
  "console",
  "docs",
  "examples",
  "runtime",
  "scripts",
  "templates",
  "test",
];
const SKIPPED = /(^|\/)(node_modules|dist|dist\.new-\d+|golden|fixtures|\.(?!ci\b)[^/]+)(\/|$)/;
const BINARY = /\.(png|ico|jpg|gz|tgz|wasm|node|deb)$/;

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface ImportEdge {
  /** Path of the imported file, or the name of a package. */
  readonly target: string;
  readonly typeOnly: boolean;
  /** Loaded by `import()` at run time. */
  readonly lazy: boolean;
  readonly line: number;
  /** Imported names; `*` for all of them. */
  readonly names: readonly string[];
}

export interface Module extends SourceFile {
  readonly imports: readonly ImportEdge[];
  /** Names of exported values (without types), with their lines. */
  readonly exports: readonly { readonly name: string; readonly line: number }[];
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  readonly anyLines: readonly number[];
}

/** All hand-written text files of the repository. */
export function sourceFiles(): SourceFile[] {
  const below = CODE_FOLDERS.flatMap((folder) => walk(join(ROOT, folder)));
  const top = readdirSync(ROOT, { withFileTypes: true })
    // In a second working tree of git `.git` is a file, not a folder.
    .filter((entry) => entry.isFile() && entry.name !== ".git")
    .map((entry) => join(ROOT, entry.name));
  return [...top, ...below]
    .map((file) => relative(ROOT, file).replaceAll("\\", "/"))
    .filter((path) => !BINARY.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

function walk(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (SKIPPED.test(relative(ROOT, path).replaceAll("\\", "/"))) return [];
      return entry.isDirectory() ? walk(path) : [path];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Syntax tree of a TypeScript or JavaScript file, without doc comments. */
export function parse({ path, text }: SourceFile): ts.SourceFile {
  const { ParseNone: jsDocParsingMode } = ts.JSDocParsingMode;
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode };
  return ts.createSourceFile(path, text, options);
}

/** Parses a TypeScript file. */
export function parseModule(file: SourceFile): Module {
  const tree = parse(file);
  const imports: ImportEdge[] = [];
  const functions: { line: number; lines: number }[] = [];
  const anyLines: number[] = [];
  const toLine = (position: number) => tree.getLineAndCharacterOfPosition(position).line + 1;
  const startLine = (node: ts.Node) => toLine(node.getStart(tree));

  function visit(node: ts.Node): void {
    const edge = importEdge(node, file.path);
    if (edge !== undefined) imports.push({ ...edge, line: startLine(node) });
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined) {
      const line = startLine(node);
      functions.push({ line, lines: toLine(node.end) - line + 1 });
    }
    if (node.kind === ts.SyntaxKind.AnyKeyword) anyLines.push(startLine(node));
    ts.forEachChild(node, visit);
  }
  visit(tree);
  return { ...file, imports, exports: readExports(tree), functions, anyLines };
}

/** Names of exported values (without types), with their lines. */
export function readExports(tree: ts.SourceFile): Module["exports"] {
  return tree.statements.flatMap((statement) => {
    const { line } = tree.getLineAndCharacterOfPosition(statement.getStart(tree));
    return exportedValues(statement).map((name) => ({ name, line: line + 1 }));
  });
}

function importEdge(node: ts.Node, from: string): Omit<ImportEdge, "line"> | undefined {
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments;
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return undefined;
    const target = resolved(specifier.text, from);
    return { target, typeOnly: false, lazy: true, names: ["*"] };
  }
  const declares = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
  if (!declares || node.moduleSpecifier === undefined) return undefined;
  const target = resolved((node.moduleSpecifier as ts.StringLiteral).text, from);
  return { target, lazy: false, ...importedNames(node) };
}

function importedNames(node: ts.ImportDeclaration | ts.ExportDeclaration) {
  if (ts.isExportDeclaration(node)) {
    const named = node.exportClause;
    if (named === undefined || !ts.isNamedExports(named)) {
      return { typeOnly: node.isTypeOnly, names: ["*"] };
    }
    return listSpecifiers(named.elements, node.isTypeOnly);
  }
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  if (bindings === undefined || !ts.isNamedImports(bindings)) {
    return { typeOnly: clause?.isTypeOnly ?? false, names: ["*"] };
  }
  return listSpecifiers(bindings.elements, clause!.isTypeOnly);
}

function listSpecifiers(
  elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[],
  allTypes: boolean,
) {
  return {
    typeOnly: allTypes || elements.every((element) => element.isTypeOnly),
    names: elements.map((element) => (element.propertyName ?? element.name).text),
  };
}

function resolved(specifier: string, from: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const path = normalize(join(dirname(from), specifier)).replaceAll("\\", "/");
  const isTsx = existsSync(join(ROOT, path.replace(/\.js$/, ".tsx")));
  return path.replace(/\.js$/, isTsx ? ".tsx" : ".ts");
}

function exportedValues(statement: ts.Statement): string[] {
  const exported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!exported) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(
      (declared) => (declared.name as ts.Identifier).text,
    );
  }
  const named = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return named && statement.name !== undefined ? [statement.name.text] : [];
}
