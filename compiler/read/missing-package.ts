// Detects that a file cannot resolve this package. All types from the package are then unknown, so
// other diagnostics of parameters and examples would only confuse.

import { ts } from "ts-morph";
import { PACKAGE_NAME } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

/** Reports the unresolved import; true if there is one. */
export function isPackageMissing(context: ReadContext, sourceFile: ts.SourceFile): boolean {
  for (const statement of sourceFile.statements) {
    if (!ts.isImportDeclaration(statement)) continue;
    const { moduleSpecifier } = statement;
    if (!ts.isStringLiteral(moduleSpecifier) || moduleSpecifier.text !== PACKAGE_NAME) continue;
    if (context.checker.getSymbolAtLocation(moduleSpecifier) !== undefined) continue;
    const message = `\`${PACKAGE_NAME}\` is not installed here; other errors may follow from this`;
    context.error("SVC1270", moduleSpecifier, `${message}: \`npm install ${PACKAGE_NAME}\``);
    return true;
  }
  return false;
}
