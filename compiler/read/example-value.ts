// Values in an example that can be determined without running it.

import { ts } from "ts-morph";
import type { ExampleProperty, ExampleValue } from "../record/example.js";
import type { ExampleText } from "./example-text.js";
import { unwrap } from "./read-context.js";
import { readUnsignedLiteral } from "./unsigned-literal.js";

export function readValue(text: ExampleText, expression: ts.Expression): ExampleValue {
  const range = locateNode(text, expression);
  const node = unwrap(expression);
  const value = literalValue(node);
  if (value !== undefined) return { kind: "literal", value, range };
  if (ts.isArrayLiteralExpression(node) && node.elements.every(isValue)) {
    return { kind: "array", items: node.elements.map((item) => readValue(text, item)), range };
  }
  const object = ts.isObjectLiteralExpression(node) ? readObject(text, node) : null;
  return object === null || object.isOpen
    ? { kind: "unknown", range }
    : { kind: "object", properties: object.properties, range };
}

export interface ExampleObject {
  readonly properties: readonly ExampleProperty[];
  /** True if there may be more properties: `...others`, `[name]: 1`. */
  readonly isOpen: boolean;
}

export function readObject(text: ExampleText, node: ts.ObjectLiteralExpression): ExampleObject {
  const properties = node.properties.flatMap((property): ExampleProperty[] => {
    const name = property.name && nameOf(property.name);
    if (name === undefined) return [];
    const range = locateNode(text, property.name!);
    if (!ts.isPropertyAssignment(property)) {
      return [{ name, range, value: { kind: "unknown", range } }];
    }
    if (isUndefined(property.initializer)) return [];
    return [{ name, range, value: readValue(text, property.initializer) }];
  });
  const isOpen = node.properties.some(({ name }) => !name || nameOf(name) === undefined);
  return { properties, isOpen };
}

/** Passing `undefined` omits an argument. */
export function isUndefined(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === "undefined";
}

export function locateNode(text: ExampleText, node: ts.Node) {
  return text.range(node.getStart(), node.end);
}

function nameOf(name: ts.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return name.text;
  return ts.isNumericLiteral(name) ? name.text : undefined;
}

/** Returns undefined if it is not a literal. */
function literalValue(node: ts.Expression): unknown {
  if (ts.isPrefixUnaryExpression(node) && ts.isNumericLiteral(node.operand)) {
    const number = Number(node.operand.text);
    if (node.operator === ts.SyntaxKind.MinusToken) return -number;
    return node.operator === ts.SyntaxKind.PlusToken ? number : undefined;
  }
  return readUnsignedLiteral(node);
}

function isValue(node: ts.Expression): boolean {
  return !ts.isSpreadElement(node) && !ts.isOmittedExpression(node);
}
