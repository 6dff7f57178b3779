// Finds expression texts in a source file: query options (`filter`, `rank`, `select`) and arguments
// of `graph.evaluate` and `graph.define`, each with the names available in its context.

import { ts } from "ts-morph";
import type { ExpressionSite } from "../../runtime/graph/api/check-expressions.js";
import { isPackageSymbol } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface ExpressionLiteral {
  readonly node: ts.Expression;
  readonly place: ExpressionSite;
}

/** Contexts by interface and option; options of other interfaces have an arc. */
const PLACES: Readonly<Record<string, ExpressionSite>> = {
  ...{ "VertexConditionObject.filter": "local", "VertexConditionObject.post": "localPost" },
};
const OPTIONS: Readonly<Record<string, ExpressionSite>> = {
  ...{ pre: "pre", filter: "filter", post: "post", rank: "rank", select: "select" },
};
/** Files without any of these words are skipped. */
const SUSPICIOUS = /\b(pre|filter|post|rank|select|evaluate|define)\b/;
const OF_VERTICES = /^(vertices|newVerticesQuery)$/;

export function findExpressionLiterals(
  context: ReadContext,
  sourceFile: ts.SourceFile,
): ExpressionLiteral[] {
  if (!SUSPICIOUS.test(sourceFile.text)) return [];
  const found: ExpressionLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isCallExpression(node) ? ofCall(context, node) : ofOption(context, node);
    if (text !== null) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return found;
}

function ofCall(context: ReadContext, call: ts.CallExpression): ExpressionLiteral | null {
  const { expression, arguments: given } = call;
  const [node, options] = given;
  if (!node || !ts.isPropertyAccessExpression(expression)) return null;
  const { text: name } = expression.name;
  if (name !== "evaluate" && name !== "define") return null;
  const symbol = context.checker.getSymbolAtLocation(expression.name);
  if (!isPackageSymbol(symbol, name) || ownerOf(symbol) === "System") return null;
  if (name === "define") return { node, place: "definition" };
  // Options can be variables whose members are unknown here.
  const isAlone = options === undefined;
  return { node, place: isAlone ? "evaluateVertex" : "evaluate" };
}

function ofOption(context: ReadContext, node: ts.Node): ExpressionLiteral | null {
  if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return null;
  const { name } = node;
  if (!ts.isIdentifier(name) && !ts.isStringLiteral(name)) return null;
  const place = Object.hasOwn(OPTIONS, name.text) ? OPTIONS[name.text] : undefined;
  if (place === undefined) return null;
  const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
  const { checker } = context;
  const expected = expectedType(checker, node.parent);
  const declared = (): ts.Symbol | undefined => {
    const type = declaredType(checker, node.parent);
    return type && optionOf(type, name.text);
  };
  const symbol = (expected && optionOf(expected, name.text)) ?? declared();
  if (!isPackageSymbol(symbol)) return null;
  const owner = ownerOf(symbol);
  if (!/^(\w+Options|AdjacencyRule|TraverseRule|VertexConditionObject)$/.test(owner)) return null;
  if (place === "rank" && isOfVertices(node.parent)) return { node: value, place: "rankVertex" };
  return { node: value, place: PLACES[`${owner}.${name.text}`] ?? place };
}

/** `ContextFlags.IgnoreNodeInferences`, an internal flag that editors use. */
const BEFORE_INFERENCE = 4;

/** Returns the expected type of an object, whatever a type parameter inferred. */
function expectedType(checker: ts.TypeChecker, object: ts.Expression): ts.Type | undefined {
  const contextual: (node: ts.Expression, flags: number) => ts.Type | undefined =
    checker.getContextualType;
  const type = contextual(object, BEFORE_INFERENCE);
  return type && (checker.getBaseConstraintOfType(type) ?? type);
}

/** Returns the declared type of an argument, for a type parameter that has only a default. */
function declaredType(checker: ts.TypeChecker, object: ts.Expression): ts.Type | undefined {
  const { parent } = object;
  if (ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name)) {
    const outer = declaredType(checker, parent.parent);
    const option = outer && optionOf(outer, parent.name.text);
    return option && checker.getNonNullableType(checker.getTypeOfSymbol(option));
  }
  if (!ts.isCallExpression(parent)) return undefined;
  const place = parent.arguments.indexOf(object);
  const parameter = checker.getResolvedSignature(parent)?.declaration?.parameters[place];
  if (parameter === undefined) return undefined;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(parameter));
  return checker.getBaseConstraintOfType(type) ?? type;
}

/** Finds an option in one of the possible object types. */
function optionOf(type: ts.Type, name: string): ts.Symbol | undefined {
  const parts = type.isUnion() ? type.types : [type];
  for (const part of parts) {
    const symbol = part.getProperty(name);
    if (symbol !== undefined && isPackageSymbol(symbol)) return symbol;
  }
  return undefined;
}

/** Returns the interface or class that declares a member. */
function ownerOf(symbol: ts.Symbol | undefined): string {
  const parent = symbol?.declarations?.[0]?.parent;
  const isOwner = parent && (ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent));
  return isOwner ? (parent.name?.text ?? "") : "";
}

function isOfVertices({ parent }: ts.Node): boolean {
  if (!ts.isCallExpression(parent)) return false;
  const { expression } = parent;
  return ts.isPropertyAccessExpression(expression) && OF_VERTICES.test(expression.name.text);
}
