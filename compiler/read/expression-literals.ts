// Finds expression texts in a source file: query options (`filter`, `rank`, `select`) and arguments
// of `graph.evaluate` and `graph.define`, each with the names available in its context.

import { ts } from "ts-morph";
import type { ExpressionSite } from "../../runtime/graph/api/check-expressions.js";
import { isPackageSymbol } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface ExpressionLiteral {
  readonly node: ts.Expression;
  readonly site: ExpressionSite;
}

/** Sites of the options of interfaces without an arc. */
const VERTEX_SITES: Readonly<Record<string, ExpressionSite>> = {
  ...{ "VertexConditionObject.filter": "local", "VertexConditionObject.post": "localPost" },
};
const SITES: Readonly<Record<string, ExpressionSite>> = {
  ...{ pre: "pre", filter: "filter", post: "post", rank: "rank", select: "select" },
};
/** Files without any of these words are skipped. */
const OPTION_WORDS = /\b(pre|filter|post|rank|select|evaluate|define)\b/;
const VERTEX_QUERIES = /^(vertices|newVerticesQuery)$/;

export function findExpressionLiterals(
  context: ReadContext,
  sourceFile: ts.SourceFile,
): ExpressionLiteral[] {
  if (!OPTION_WORDS.test(sourceFile.text)) return [];
  const literals: ExpressionLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node);
    const literal = isCall ? readCall(context, node) : readOption(context, node);
    if (literal !== null) literals.push(literal);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return literals;
}

function readCall(context: ReadContext, call: ts.CallExpression): ExpressionLiteral | null {
  const { expression, arguments: args } = call;
  const [node, options] = args;
  if (!node || !ts.isPropertyAccessExpression(expression)) return null;
  const { text: name } = expression.name;
  if (name !== "evaluate" && name !== "define") return null;
  const symbol = context.checker.getSymbolAtLocation(expression.name);
  if (!isPackageSymbol(symbol, name) || findOwner(symbol) === "System") return null;
  if (name === "define") return { node, site: "definition" };
  // Options can be variables whose members are unknown here.
  const isVertexOnly = options === undefined;
  return { node, site: isVertexOnly ? "evaluateVertex" : "evaluate" };
}

function readOption(context: ReadContext, node: ts.Node): ExpressionLiteral | null {
  if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return null;
  const { name } = node;
  if (!ts.isIdentifier(name) && !ts.isStringLiteral(name)) return null;
  const site = Object.hasOwn(SITES, name.text) ? SITES[name.text] : undefined;
  if (site === undefined) return null;
  const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
  const { checker } = context;
  const expected = expectedType(checker, node.parent);
  const declared = (): ts.Symbol | undefined => {
    const type = declaredType(checker, node.parent);
    return type && findOption(type, name.text);
  };
  const symbol = (expected && findOption(expected, name.text)) ?? declared();
  if (!isPackageSymbol(symbol)) return null;
  const owner = findOwner(symbol);
  if (!/^(\w+Options|AdjacencyRule|TraverseRule|VertexConditionObject)$/.test(owner)) return null;
  if (site === "rank" && isVertexQuery(node.parent)) return { node: value, site: "rankVertex" };
  return { node: value, site: VERTEX_SITES[`${owner}.${name.text}`] ?? site };
}

/** `ContextFlags.IgnoreNodeInferences`, an internal flag that editors use. */
const BEFORE_INFERENCE = 4;

/** Returns the expected type of an object, before the inference of type parameters. */
function expectedType(checker: ts.TypeChecker, object: ts.Expression): ts.Type | undefined {
  const contextual: (node: ts.Expression, flags: number) => ts.Type | undefined =
    checker.getContextualType;
  const type = contextual(object, BEFORE_INFERENCE);
  return type && (checker.getBaseConstraintOfType(type) ?? type);
}

/** Returns the declared type of an argument, for type parameters that have only a default. */
function declaredType(checker: ts.TypeChecker, object: ts.Expression): ts.Type | undefined {
  const { parent } = object;
  if (ts.isPropertyAssignment(parent) && ts.isIdentifier(parent.name)) {
    const outer = declaredType(checker, parent.parent);
    const option = outer && findOption(outer, parent.name.text);
    return option && checker.getNonNullableType(checker.getTypeOfSymbol(option));
  }
  if (!ts.isCallExpression(parent)) return undefined;
  const index = parent.arguments.indexOf(object);
  const parameter = checker.getResolvedSignature(parent)?.declaration?.parameters[index];
  if (parameter === undefined) return undefined;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(parameter));
  return checker.getBaseConstraintOfType(type) ?? type;
}

/** Finds an option in one of the possible object types. */
function findOption(type: ts.Type, name: string): ts.Symbol | undefined {
  const parts = type.isUnion() ? type.types : [type];
  for (const part of parts) {
    const symbol = part.getProperty(name);
    if (symbol !== undefined && isPackageSymbol(symbol)) return symbol;
  }
  return undefined;
}

/** Returns the interface or class that declares a member. */
function findOwner(symbol: ts.Symbol | undefined): string {
  const parent = symbol?.declarations?.[0]?.parent;
  const isOwner = parent && (ts.isInterfaceDeclaration(parent) || ts.isClassDeclaration(parent));
  return isOwner ? (parent.name?.text ?? "") : "";
}

function isVertexQuery({ parent }: ts.Node): boolean {
  if (!ts.isCallExpression(parent)) return false;
  const { expression } = parent;
  return ts.isPropertyAccessExpression(expression) && VERTEX_QUERIES.test(expression.name.text);
}
