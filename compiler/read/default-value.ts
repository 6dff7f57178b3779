// Evaluates the default of a parameter if it is known without running code.

import { ts } from "ts-morph";
import type { UserParam } from "../record/plugin-record.js";
import { type ReadContext, unwrap } from "./read-context.js";
import { readUnsignedLiteral } from "./unsigned-literal.js";

/** Returns the default for the record; null without a default and for `= undefined`. */
export function readDefault(
  context: ReadContext,
  initializer: ts.Expression | undefined,
): UserParam["default"] {
  if (!initializer) return null;
  const folded = fold(context, initializer);
  if (folded === undefined) return null;
  return folded === UNKNOWN ? { kind: "expression" } : { kind: "value", value: folded };
}

const UNKNOWN = Symbol("known only at run time");

function fold(context: ReadContext, expression: ts.Expression): unknown {
  const node = unwrap(expression);
  if (ts.isPrefixUnaryExpression(node)) return foldSign(context, node);
  if (ts.isArrayLiteralExpression(node)) return foldArray(context, node);
  if (ts.isObjectLiteralExpression(node)) return foldObject(context, node);
  const literal = readUnsignedLiteral(node);
  if (literal !== undefined) return literal;
  if (ts.isIdentifier(node) && node.text === "undefined") return undefined;
  return foldConstant(context, node);
}

/** The literal type of a const or enum member is its value. */
function foldConstant(context: ReadContext, node: ts.Expression): unknown {
  if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return UNKNOWN;
  const type = context.checker.getTypeAtLocation(node);
  return type.isStringLiteral() || type.isNumberLiteral() ? type.value : UNKNOWN;
}

function foldSign(context: ReadContext, node: ts.PrefixUnaryExpression): unknown {
  const operand = fold(context, node.operand);
  if (typeof operand !== "number") return UNKNOWN;
  if (node.operator === ts.SyntaxKind.MinusToken) return -operand;
  return node.operator === ts.SyntaxKind.PlusToken ? operand : UNKNOWN;
}

function foldArray(context: ReadContext, node: ts.ArrayLiteralExpression): unknown {
  const items: unknown[] = [];
  for (const element of node.elements) {
    const item = fold(context, element);
    if (item === UNKNOWN || item === undefined) return UNKNOWN;
    items.push(item);
  }
  return items;
}

function foldObject(context: ReadContext, node: ts.ObjectLiteralExpression): unknown {
  const entries: [string, unknown][] = [];
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property)) return UNKNOWN;
    const { name } = property;
    if (!ts.isIdentifier(name) && !ts.isStringLiteralLike(name)) return UNKNOWN;
    const value = fold(context, property.initializer);
    if (value === UNKNOWN || value === undefined || name.text === "__proto__") return UNKNOWN;
    entries.push([name.text, value]);
  }
  return Object.fromEntries(entries);
}
