// What a declaration holds, and what it is called.

import { ts } from "ts-morph";
import { unwrap } from "./read-context.js";

/** A function itself, or the value of a variable or of `export default`. */
export function declaredValue(declaration: ts.Node): ts.Node | undefined {
  if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration)) {
    return declaration;
  }
  if (ts.isVariableDeclaration(declaration)) {
    return declaration.initializer && unwrap(declaration.initializer);
  }
  return ts.isExportAssignment(declaration) ? unwrap(declaration.expression) : undefined;
}

/** Where findings about a declaration point: its name, when it has one. */
export function nameNodeOf(declaration: ts.Node): ts.Node {
  return ts.getNameOfDeclaration(declaration as ts.Declaration) ?? declaration;
}
