// Reports re-exports of plugins of another package. They are plugins of this project only if a tag
// above the re-export says so.

import { ts } from "ts-morph";
import { readDocComment } from "./doc-comment.js";
import type { FileScope } from "./file-scope.js";
import { skipAlias } from "./read-context.js";

export function reportPackagedPlugins({ context, sourceFile }: FileScope): void {
  const { checker } = context;
  for (const statement of sourceFile.statements) {
    if (!ts.isExportDeclaration(statement) || readDocComment(statement).plugin) continue;
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause && ts.isNamedExports(exportClause)) {
      for (const element of exportClause.elements) {
        const symbol = checker.getExportSpecifierLocalTargetSymbol(element);
        if (symbol) reportIfPlugin(context, element, skipAlias(context, symbol));
      }
    } else if (!exportClause && moduleSpecifier) {
      const module = checker.getSymbolAtLocation(moduleSpecifier);
      for (const symbol of module ? checker.getExportsOfModule(module) : []) {
        reportIfPlugin(context, statement, skipAlias(context, symbol));
      }
    }
  }
}

function reportIfPlugin(
  context: FileScope["context"],
  node: ts.ExportSpecifier | ts.ExportDeclaration,
  symbol: ts.Symbol,
): void {
  const [declaration] = symbol.declarations ?? [];
  if (!declaration?.getSourceFile().isDeclarationFile) return;
  if (readDocComment(declaration, declaration.parent?.parent).plugin === null) return;
  const message = `\`${symbol.name}\` is a plugin of another package, so it is ignored here`;
  const help = `\`/** @plugin */ export { ${symbol.name} } from ...\``;
  context.warning("SVC1017", node, message, help);
}
