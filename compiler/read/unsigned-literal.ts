// Literals in code, defaults and examples: strings, numbers, booleans and null.

import { ts } from "ts-morph";

/** Returns the value of a literal; undefined for other expressions, including signed numbers. */
export function readUnsignedLiteral(
  node: ts.Expression,
): string | number | boolean | null | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  switch (node.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return true;
    case ts.SyntaxKind.FalseKeyword:
      return false;
    case ts.SyntaxKind.NullKeyword:
      return null;
    default:
      return undefined;
  }
}
