// Plugins declared by the wrapper: `plugin(options?, fn)`, `plugin.pre` and `plugin.post`, where
// `plugin` is this package's export under any local name.

import { ts } from "ts-morph";
import type { PluginRole } from "../../argspec/argspec.js";
import { readDocComment } from "./doc-comment.js";
import { exportedName } from "./exported-name.js";
import type { FileScope } from "./file-scope.js";
import { isPackageSymbol, PACKAGE_NAME } from "./package-symbols.js";
import { hasPlainSignature } from "./plain-signature.js";
import {
  isFunctionNode,
  type PluginDeclaration,
  type PluginFunction,
} from "./plugin-declaration.js";
import { NO_OPTIONS, type PluginOptions, readOptions } from "./plugin-options.js";
import { type ReadContext, resolveSymbol, unwrap } from "./read-context.js";
import { resolveFunction } from "./resolved-function.js";
import { reportUnexported, reportUnnamed } from "./tagged-function.js";

export interface PluginCall {
  readonly call: ts.CallExpression;
  readonly role: PluginRole;
}

/** Returns a call of `plugin`, `plugin.pre` or `plugin.post`; null for other nodes. */
export function asPluginCall(context: ReadContext, node: ts.Node): PluginCall | null {
  if (!ts.isCallExpression(node)) return null;
  const role = pluginRole(context, node.expression);
  return role && { call: node, role };
}

/** Returns the options of a decorator `@plugin`, `@plugin({...})` or one with a role. */
export function asPluginDecorator(
  context: ReadContext,
  decorator: ts.Expression,
): PluginOptions | null {
  const call = ts.isCallExpression(decorator) ? decorator : null;
  const role = pluginRole(context, call?.expression ?? decorator);
  if (!role) return null;
  const options = call?.arguments[0];
  return options ? readOptions(context, options, role) : { ...NO_OPTIONS, role };
}

/** Returns the role of `plugin`, `plugin.pre` or `plugin.post`; null for anything else. */
function pluginRole(context: ReadContext, callee: ts.Expression): PluginRole | null {
  if (isPluginExport(context, callee)) return "engine";
  if (!ts.isPropertyAccessExpression(callee)) return null;
  const role = callee.name.text;
  return (role === "pre" || role === "post") && isPluginExport(context, callee.expression)
    ? role
    : null;
}

function isPluginExport(context: ReadContext, node: ts.Expression): boolean {
  const name = ts.isPropertyAccessExpression(node) ? node.name : node;
  if (!ts.isIdentifier(name)) return false;
  const symbol = context.checker.getSymbolAtLocation(name);
  // Treats an unresolved `plugin` as this package's: the import is missing.
  if (!symbol) return node === name && name.text === "plugin";
  const imported = symbol.declarations?.[0];
  if (imported && ts.isImportSpecifier(imported) && isFromPackage(imported)) {
    return (imported.propertyName ?? imported.name).text === "plugin";
  }
  return isPackageSymbol(resolveSymbol(context, name), "plugin");
}

/** Compares the module specifier, to recognize the package even if it is not installed. */
function isFromPackage(imported: ts.ImportSpecifier): boolean {
  const module = imported.parent.parent.parent.moduleSpecifier;
  return ts.isStringLiteral(module) && module.text === PACKAGE_NAME;
}

/** Returns the plugin that an exported wrapper call declares; null after an error. */
export function readPluginCall(
  context: ReadContext,
  { call, role }: PluginCall,
  exportName: string,
): PluginDeclaration | null {
  const [first, second] = call.arguments;
  const target = second ?? first;
  const options = second && first ? readOptions(context, first, role) : { ...NO_OPTIONS, role };
  const nameNode = findNameOfCall(call);
  const direct = target && findDirectFunction(context, target);
  const callee = direct ? { fn: direct } : target && resolveFunction(context, target, nameNode);
  if (callee === null) return null;
  if (!callee) {
    const message = "the wrapper takes a function, after the options if there are any";
    context.error("SVC1009", target ?? call, message, '`plugin({ name: "f" }, (request) => ...)`');
    return null;
  }
  const { fn } = callee;
  if (direct && !hasPlainSignature(context, fn, fn.name ?? fn)) return null;
  const isVariable = ts.isVariableDeclaration(nameNode.parent);
  const name = options.name ?? exportedName(exportName, isVariable ? nameNode : fn.name);
  if (name === null) {
    reportUnnamed(context, call);
    return null;
  }
  const holder = isVariable ? nameNode.parent : call;
  return {
    ...callee,
    name,
    nameNode,
    role: options.role,
    graph: options.graph,
    readonly: options.readonly,
    exportPath: exportName,
    doc: readDocComment(holder, fn),
  };
}

/** Returns the inline function, or the function that a name refers to. */
function findDirectFunction(context: ReadContext, node: ts.Expression): PluginFunction | null {
  const value = unwrap(node);
  if (isFunctionNode(value)) return value;
  if (!ts.isIdentifier(value)) return null;
  for (const declaration of resolveSymbol(context, value)?.declarations ?? []) {
    if (isFunctionNode(declaration)) return declaration;
    if (!ts.isVariableDeclaration(declaration) || !declaration.initializer) continue;
    const initializer = unwrap(declaration.initializer);
    if (isFunctionNode(initializer)) return initializer;
  }
  return null;
}

/** Returns the name of the constant, or the called expression in `export default plugin(...)`. */
function findNameOfCall(call: ts.CallExpression): ts.Node {
  let node: ts.Node = call;
  while (ts.isExpression(node)) node = node.parent;
  return ts.isVariableDeclaration(node) ? node.name : call.expression;
}

/** Reports wrapper calls whose result is not exported. */
export function reportStrayCalls({ context, sourceFile }: FileScope): void {
  if (!mentionsPackage(sourceFile)) return;
  const visit = (node: ts.Node): void => {
    if (asPluginCall(context, node) && !isBound(node)) reportUnexported(context, node);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

function mentionsPackage(sourceFile: ts.SourceFile): boolean {
  return sourceFile.statements.some(
    (statement) =>
      ts.isImportDeclaration(statement) &&
      ts.isStringLiteral(statement.moduleSpecifier) &&
      /\bplugin\b|\*/.test(statement.importClause?.getText() ?? ""),
  );
}

/** Returns whether a call is a decorator, or the value of a top-level variable or export. */
function isBound(call: ts.Node): boolean {
  if (ts.isDecorator(call.parent)) return true;
  let node = call.parent;
  while (ts.isExpression(node) && !ts.isFunctionLike(node) && !isContainer(node)) {
    node = node.parent;
  }
  if (ts.isExportAssignment(node)) return true;
  return ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
}

/** Returns whether a node makes a call inside it a part of a value, not the value itself. */
function isContainer(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node)
  );
}
