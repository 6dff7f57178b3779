// The value and the name of a declaration.

import { ts } from "ts-morph";
import { unwrap } from "./read-context.js";

/** Returns a function, or the value of a variable or of `export default`. */
export function declaredValue(declaration: ts.Node): ts.Node | undefined {
  if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration)) {
    return declaration;
  }
  if (ts.isVariableDeclaration(declaration)) {
    return declaration.initializer && unwrap(declaration.initializer);
  }
  return ts.isExportAssignment(declaration) ? unwrap(declaration.expression) : undefined;
}

/** Returns the node that diagnostics point to: the name of the declaration, if it has one. */
export function findNameNode(declaration: ts.Node): ts.Node {
  return ts.getNameOfDeclaration(declaration as ts.Declaration) ?? declaration;
}
