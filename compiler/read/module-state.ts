// Finds module-level variables that the functions of a file change. Initialization while the module
// loads does not count.

import { ts } from "ts-morph";
import type { ModuleState } from "../record/plugin-record.js";
import type { ReadContext } from "./read-context.js";

/** Methods that change the array, map or set that they are called on. */
const MUTATORS = new Set(
  "set add delete clear push pop shift unshift splice sort reverse fill copyWithin".split(" "),
);

export function readModuleState(context: ReadContext, sourceFile: ts.SourceFile): ModuleState[] {
  const variables = moduleVariables(sourceFile);
  if (variables.size === 0) return [];
  const changed = new Set<ts.Identifier>();
  const visit = (node: ts.Node, inFunction: boolean): void => {
    const target = inFunction ? changedExpression(node) : null;
    const variable = target && variables.get(target.text);
    if (variable && isSame(context, target, variable)) changed.add(variable);
    const isInside = inFunction || ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, isInside));
  };
  visit(sourceFile, false);
  return [...variables.values()]
    .filter((variable) => changed.has(variable))
    .map((variable) => ({ name: variable.text, position: context.position(variable) }));
}

function moduleVariables(sourceFile: ts.SourceFile): Map<string, ts.Identifier> {
  const variables = new Map<string, ts.Identifier>();
  for (const statement of sourceFile.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      const isFunction = initializer && ts.isFunctionLike(initializer);
      if (ts.isIdentifier(name) && !isFunction) variables.set(name.text, name);
    }
  }
  return variables;
}

/** Returns the variable that an assignment, `++`, `delete` or mutating call changes. */
function changedExpression(node: ts.Node): ts.Identifier | null {
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) {
    return findRoot(node.left);
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const { PlusPlusToken, MinusMinusToken } = ts.SyntaxKind;
    const isStep = node.operator === PlusPlusToken || node.operator === MinusMinusToken;
    return isStep ? findRoot(node.operand) : null;
  }
  if (ts.isDeleteExpression(node)) return findRoot(node.expression);
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression;
    return MUTATORS.has(name.text) ? findRoot(expression) : null;
  }
  return null;
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** Returns `a` for `a`, `a.b` and `a[0].b`. */
function findRoot(expression: ts.Expression): ts.Identifier | null {
  let node = expression;
  while (
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isParenthesizedExpression(node)
  ) {
    node = node.expression;
  }
  return ts.isIdentifier(node) ? node : null;
}

/** A local variable may have the same name. */
function isSame(context: ReadContext, use: ts.Identifier, variable: ts.Identifier): boolean {
  const symbol = context.checker.getSymbolAtLocation(use);
  return symbol !== undefined && symbol === context.checker.getSymbolAtLocation(variable);
}
