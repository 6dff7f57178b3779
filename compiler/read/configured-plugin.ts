// Plugins declared in svc.config.ts: exported functions whose role and graph are set there.

import { ts } from "ts-morph";
import type { DeclaredPlugin } from "../../runtime/settings/plugin-rules.js";
import { declaredValue, findNameNode } from "./declared-value.js";
import { readDocComment } from "./doc-comment.js";
import { hasPlainSignature } from "./plain-signature.js";
import { isFunctionNode, type PluginDeclaration } from "./plugin-declaration.js";
import { type ReadContext, skipAlias } from "./read-context.js";

/** Returns the declaration of a configured plugin; null after an error. */
export function findConfigured(
  context: ReadContext,
  sourceFile: ts.SourceFile,
  { name, role, graph, exportPath }: DeclaredPlugin,
): PluginDeclaration | null {
  for (const declaration of findExport(context, sourceFile, exportPath)) {
    const fn = declaredValue(declaration);
    if (!fn || !isFunctionNode(fn) || !fn.body) continue;
    const nameNode = findNameNode(declaration);
    if (!hasPlainSignature(context, fn, nameNode)) return null;
    const doc = readDocComment(declaration);
    return { fn, name, nameNode, role, graph, readonly: doc.readonly, exportPath, doc };
  }
  context.add({
    code: "SVC1015",
    severity: "error",
    position: context.positionAt(sourceFile, 0),
    length: 1,
    message: `configured plugin \`${name}\`: this file exports no function \`${exportPath}\``,
    help: `\`${formatDeclaration(exportPath)}\`, or another entry in svc.config.ts`,
  });
  return null;
}

function formatDeclaration(exportPath: string): string {
  const [name, method] = exportPath.split(".");
  const isMethod = method !== undefined;
  return isMethod
    ? `export class ${name} { static ${method}(...) }`
    : `export function ${name}(...)`;
}

/** Returns the declarations of an export (`add`), or of a static method of one (`Shop.buy`). */
function findExport(
  context: ReadContext,
  sourceFile: ts.SourceFile,
  exportPath: string,
): readonly ts.Declaration[] {
  const [exportName, method] = exportPath.split(".");
  const module = context.checker.getSymbolAtLocation(sourceFile);
  const exports = module ? context.checker.getExportsOfModule(module) : [];
  const found = exports.find((symbol) => symbol.name === exportName);
  let symbol = found && skipAlias(context, found);
  if (method !== undefined) symbol = symbol?.exports?.get(ts.escapeLeadingUnderscores(method));
  return symbol?.declarations ?? [];
}
