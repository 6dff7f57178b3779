// Finds the plugin declarations of one source file: doc tags, wrapper calls, decorated methods.
// Reports declarations that cannot be plugins.

import { ts } from "ts-morph";
import { declaredValue, findNameNode } from "./declared-value.js";
import { findStaticMethods } from "./decorated-method.js";
import { type ExportNames, type FileScope, TagPositions } from "./file-scope.js";
import { reportPackagedPlugins } from "./packaged-plugins.js";
import { refusePlainDecorator } from "./plain-decorator.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { type ReadContext, skipAlias } from "./read-context.js";
import { reportMisspelledTags, reportStrayTags } from "./stray-tags.js";
import {
  asTaggedExport,
  asTaggedFunction,
  asTaggedMember,
  reportUnexported,
} from "./tagged-function.js";
import { findInstanceMethods, findTaggedStatics } from "./tagged-method.js";
import { asPluginCall, readPluginCall, reportStrayCalls } from "./wrapper-call.js";

/**
 * Returns the plugin declarations of `sourceFile`. They include re-exported functions, unless the
 * functions' own file is in `pluginFiles` and therefore read separately.
 */
export function findDeclarations(
  context: ReadContext,
  sourceFile: ts.SourceFile,
  pluginFiles: ReadonlySet<string>,
): PluginDeclaration[] {
  const scope = createScope(context, sourceFile);
  const found = fromModule(scope, pluginFiles, new Set());
  reportStrayTags(scope);
  reportMisspelledTags(scope);
  reportStrayCalls(scope);
  reportPackagedPlugins(scope);
  return found;
}

function createScope(context: ReadContext, sourceFile: ts.SourceFile): FileScope {
  const exports = readExports(context, sourceFile);
  return { context, sourceFile, exports, seen: new TagPositions(sourceFile) };
}

/** @param within modules whose exports are being read, because modules can export each other */
function fromModule(
  scope: FileScope,
  pluginFiles: ReadonlySet<string>,
  within: ReadonlySet<ts.SourceFile>,
): PluginDeclaration[] {
  const { context, sourceFile, exports } = scope;
  const modules = new Set(within).add(sourceFile);
  const found = sourceFile.statements.flatMap((statement) => fromStatement(scope, statement));
  for (const [declaration, names] of exports) {
    const file = declaration.getSourceFile();
    if (modules.has(file) || file.isDeclarationFile || pluginFiles.has(file.fileName)) continue;
    if (!ts.isSourceFile(declaration)) {
      found.push(...fromExported(scope, declaration, names));
      continue;
    }
    // `export * as shop from "./shop.js"`
    const members = fromModule(createScope(context, declaration), pluginFiles, modules);
    found.push(
      ...members.map((plugin) => ({ ...plugin, exportPath: `${names[0]}.${plugin.exportPath}` })),
    );
  }
  return found;
}

/** Returns the plugins of a declaration that this module re-exports from another. */
function fromExported(
  scope: FileScope,
  declaration: ts.Declaration,
  names: readonly string[],
): PluginDeclaration[] {
  if (ts.isClassDeclaration(declaration)) return fromClass(scope, declaration);
  if (ts.isVariableDeclaration(declaration)) return fromVariable(scope, declaration);
  if (!ts.isBindingElement(declaration)) return fromDeclaration(scope, declaration, names);
  const variable = declaration.parent.parent;
  if (!ts.isVariableDeclaration(variable)) return [];
  const plugin = asTaggedMember(scope, variable, declaration);
  return plugin ? [plugin] : [];
}

function readExports(context: ReadContext, sourceFile: ts.SourceFile): ExportNames {
  const names = new Map<ts.Declaration, string[]>();
  const module = context.checker.getSymbolAtLocation(sourceFile);
  if (!module) return names;
  for (const symbol of context.checker.getExportsOfModule(module)) {
    if (hasQuotedName(symbol)) continue;
    for (const declaration of skipAlias(context, symbol).declarations ?? []) {
      names.set(declaration, [...(names.get(declaration) ?? []), symbol.name]);
    }
  }
  for (const [declaration, exportNames] of names) {
    if (exportNames.length > 1)
      names.set(
        declaration,
        exportNames.filter((name) => name !== "default"),
      );
  }
  return names;
}

/** Generated files cannot import `export { f as "any text" }`. */
function hasQuotedName(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? [];
  return (
    declaration !== undefined &&
    ts.isExportSpecifier(declaration) &&
    ts.isStringLiteral(declaration.name)
  );
}

function fromStatement(scope: FileScope, statement: ts.Statement): PluginDeclaration[] {
  const isPlain = ts.isFunctionDeclaration(statement) || ts.isVariableStatement(statement);
  if (isPlain && refusePlainDecorator(scope, statement)) return [];
  if (ts.isFunctionDeclaration(statement)) {
    return fromDeclaration(scope, statement, scope.exports.get(statement));
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((declaration) =>
      fromVariable(scope, declaration),
    );
  }
  if (ts.isClassDeclaration(statement)) return fromClass(scope, statement);
  if (ts.isExportDeclaration(statement)) return fromExports(scope, statement);
  if (ts.isExportAssignment(statement)) {
    const { expression } = statement;
    return [
      ...fromDeclaration(scope, statement, ["default"]),
      ...findInstanceMethods(scope, expression, expression, "default"),
    ];
  }
  return [];
}

function fromClass(scope: FileScope, declaration: ts.ClassDeclaration): PluginDeclaration[] {
  return [...findStaticMethods(scope, declaration), ...findTaggedStatics(scope, declaration)];
}

/** Reads `/** @plugin *\/ export { find as look } from "./find.js"`. */
function fromExports(
  scope: FileScope,
  { exportClause }: ts.ExportDeclaration,
): PluginDeclaration[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.flatMap((element) => asTaggedExport(scope, element) ?? []);
}

function fromVariable(scope: FileScope, declaration: ts.VariableDeclaration): PluginDeclaration[] {
  const { name } = declaration;
  const names = scope.exports.get(declaration);
  if (ts.isIdentifier(name)) {
    return [
      ...fromDeclaration(scope, declaration, names),
      ...findInstanceMethods(scope, name, declaration.initializer, names?.[0]),
    ];
  }
  return name.elements.flatMap((element) =>
    ts.isBindingElement(element) ? (asTaggedMember(scope, declaration, element) ?? []) : [],
  );
}

/**
 * Returns the plugins that a function, a variable or `export default` declares. There is one for
 * each export name, unless the tag names the plugin.
 */
function fromDeclaration(
  scope: FileScope,
  declaration: ts.Node,
  [exportName, ...more]: readonly string[] = [],
): PluginDeclaration[] {
  const plugin = asPlugin(scope, declaration, exportName);
  if (!plugin) return [];
  const others = plugin.name === exportName ? more : [];
  return [plugin, ...others.map((name) => ({ ...plugin, name, exportPath: name }))];
}

function asPlugin(
  scope: FileScope,
  declaration: ts.Node,
  exportName: string | undefined,
): PluginDeclaration | null {
  const value = declaredValue(declaration);
  const call = value && asPluginCall(scope.context, value);
  if (call) {
    scope.seen.addDoc(declaration);
    if (exportName !== undefined) return readPluginCall(scope.context, call, exportName);
    reportUnexported(scope.context, findNameNode(declaration));
    return null;
  }
  return asTaggedFunction(scope, declaration, value, exportName);
}
