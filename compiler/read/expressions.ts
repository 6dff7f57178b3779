// Checks the expressions in the source of a plugin as a query would, so that the build finds
// misspelled names. A value inserted with `expr` is checked as a value of its type. An expression
// that is concatenated from strings gets a warning.

import { ts } from "ts-morph";
import {
  type ExpressionFault,
  type ExpressionSite,
  expressionFault,
  expressionHints,
} from "../../runtime/graph/api/check-expressions.js";
import { type ExpressionLiteral, findExpressionLiterals } from "./expression-literals.js";
import { type LiteralSource, readStringLiteral, readTemplateLiteral } from "./literal-source.js";
import { isPackageSymbol } from "./package-symbols.js";
import { type ReadContext, resolveSymbol, unwrap } from "./read-context.js";

/** Maximum depth of constants and conditions. */
const MAX_DEPTH = 10;
/** Maximum length of lists to try, because a function may accept only some lengths. */
const MAX_ITEMS = 8;

/** Placeholders for values known only at run time. */
interface Guess {
  readonly items: number;
  readonly unknown: string;
}
const FIRST_GUESS: Guess = { items: 1, unknown: "1" };
const GUESSES: readonly Guess[] = ["1", "'x'"].flatMap((unknown) =>
  Array.from({ length: MAX_ITEMS }, (_, index) => ({ items: index + 1, unknown })),
);

export function reportExpressions(context: ReadContext, sourceFile: ts.SourceFile): void {
  // A constant can be used in several contexts.
  const reported = new Set<string>();
  for (const { node, site } of findExpressionLiterals(context, sourceFile)) {
    for (const text of listBranches(context, node, 0)) {
      reportText(context, { node: text, site }, reported);
    }
  }
}

/** Returns the expressions that can be the value of a node. */
function listBranches(context: ReadContext, node: ts.Expression, depth: number): ts.Expression[] {
  const expression = unwrap(node);
  if (depth > MAX_DEPTH) return [];
  if (ts.isConditionalExpression(expression)) {
    const { whenTrue, whenFalse } = expression;
    return [whenTrue, whenFalse].flatMap((branch) => listBranches(context, branch, depth + 1));
  }
  const initializer = findInitializer(context, expression);
  return initializer === null ? [expression] : listBranches(context, initializer, depth + 1);
}

/** Returns the initializer of a constant in the project; null for other nodes. */
function findInitializer(context: ReadContext, node: ts.Expression): ts.Expression | null {
  if (!ts.isIdentifier(node)) return null;
  // `{ filter }` is both an option and the variable with its value.
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? context.checker.getShorthandAssignmentValueSymbol(node.parent)
    : resolveSymbol(context, node);
  const declaration = symbol?.valueDeclaration;
  if (!declaration || !ts.isVariableDeclaration(declaration) || isPackageSymbol(symbol))
    return null;
  const isConst = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  return isConst ? (declaration.initializer ?? null) : null;
}

function reportText(context: ReadContext, literal: ExpressionLiteral, reported: Set<string>): void {
  const { node, site } = literal;
  const first = readLiteralText(context, node, FIRST_GUESS, 0);
  if (first === null) {
    if (concatenatesText(context, node)) {
      const help = "use the `expr` template tag, which escapes every value as a literal";
      const message =
        "string is inserted into an expression unescaped: its sender controls the expression";
      context.warning("SVC1072", node, message, help);
    }
    return;
  }
  const fault = expressionFault(first.text, site);
  if (fault !== null && !isValidForSomeValues(context, literal)) {
    reportFault(context, first, fault, reported);
  }
  if (fault === null) reportHints(context, node, first.text, site);
}

/** Returns whether some values make the text a valid expression. */
function isValidForSomeValues(context: ReadContext, { node, site }: ExpressionLiteral): boolean {
  if (ts.isStringLiteralLike(node)) return false;
  return GUESSES.some(
    (guess) => expressionFault(readLiteralText(context, node, guess, 0)!.text, site) === null,
  );
}

function reportFault(
  context: ReadContext,
  text: LiteralSource,
  { problem, at, length }: ExpressionFault,
  reported: Set<string>,
): void {
  const { sourceFile, offset } = text.locate(at);
  const [fault, ...help] = problem.split("; ");
  const isName = /^(undefined|unknown|no such|expected ':=')/.test(problem);
  const key = `${sourceFile.fileName}:${offset}:${problem}`;
  if (reported.has(key)) return;
  reported.add(key);
  const shown = text.text.slice(at, at + length).split("\n", 1)[0]!;
  context.add({
    code: isName ? "SVC1070" : "SVC1071",
    severity: "error",
    position: context.positionAt(sourceFile, offset),
    length: Math.max(1, shown.length),
    message: `${fault}${shown === "" ? "" : `: \`${shown}\``}`,
    help: help.join("; ") || (isName ? "the names of docs/reference/expressions.md" : ""),
  });
}

function reportHints(
  context: ReadContext,
  node: ts.Expression,
  text: string,
  site: ExpressionSite,
): void {
  for (const hint of expressionHints(text, site)) {
    context.warning("SVC1073", node, hint, "values of one kind on both sides");
  }
}

/** Returns the text of an expression; null if it is not literal. */
function readLiteralText(
  context: ReadContext,
  node: ts.Expression,
  guess: Guess,
  depth: number,
): LiteralSource | null {
  const expression = unwrap(node);
  if (depth > MAX_DEPTH) return null;
  if (ts.isStringLiteralLike(expression)) return readStringLiteral(expression);
  if (ts.isTaggedTemplateExpression(expression)) {
    if (!isPackageSymbol(resolveSymbol(context, expression.tag), "expr")) return null;
    return readTemplateLiteral(expression.template, (value) => {
      return placeholder(context, context.checker.getTypeAtLocation(value), guess);
    });
  }
  if (ts.isTemplateExpression(expression)) {
    const values = expression.templateSpans.map((span) => span.expression);
    if (!values.every((value) => isNumberValue(context, value))) return null;
    return readTemplateLiteral(expression, () => FIRST_GUESS.unknown);
  }
  const initializer = findInitializer(context, expression);
  if (initializer !== null) return readLiteralText(context, initializer, guess, depth + 1);
  return ts.isBinaryExpression(expression)
    ? readConcatenation(context, expression, guess, depth)
    : null;
}

function readConcatenation(
  context: ReadContext,
  { left, right, operatorToken }: ts.BinaryExpression,
  guess: Guess,
  depth: number,
): LiteralSource | null {
  if (operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const first = readLiteralText(context, left, guess, depth + 1);
  const second = readLiteralText(context, right, guess, depth + 1);
  if (first === null || second === null) return null;
  first.append(second);
  return first;
}

/** Returns a literal like the one that `expr` writes for values of a type. */
function placeholder(context: ReadContext, type: ts.Type, guess: Guess): string {
  const { checker } = context;
  if (checker.isArrayLikeType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    const literal = item ? placeholder(context, item, guess) : guess.unknown;
    return Array.from({ length: guess.items }, () => literal).join(", ");
  }
  const kind = checker.getBaseTypeOfLiteralType(type);
  if (kind.flags & ts.TypeFlags.StringLike) return "'x'";
  if (isNumber(type)) return "1";
  if (kind.flags & ts.TypeFlags.BooleanLike) return "true";
  return guess.unknown;
}

function isNumber(type: ts.Type): boolean {
  const parts = type.isUnionOrIntersection() ? type.types : [type];
  return parts.some((part) => (part.flags & ts.TypeFlags.NumberLike) !== 0);
}

/** Returns whether a value can only be a number, which is safe to insert without `expr`. */
function isNumberValue(context: ReadContext, value: ts.Expression): boolean {
  return isNumber(context.checker.getTypeAtLocation(value));
}

/** Returns whether an expression is concatenated from strings that are known only at run time. */
function concatenatesText(context: ReadContext, node: ts.Expression): boolean {
  const expression = unwrap(node);
  const parts = ts.isTemplateExpression(expression)
    ? expression.templateSpans.map((span) => span.expression)
    : ts.isBinaryExpression(expression)
      ? [expression.left, expression.right]
      : [];
  return parts.some((part) => concatenatesText(context, part) || isOpenText(context, part));
}

/** Returns whether a string is known only at run time, rather than one of a few literals. */
function isOpenText(context: ReadContext, part: ts.Expression): boolean {
  const expression = unwrap(part);
  if (ts.isStringLiteralLike(expression) || ts.isTaggedTemplateExpression(expression)) return false;
  const type = context.checker.getTypeAtLocation(expression);
  const parts = type.isUnion() ? type.types : [type];
  return parts.some((member) => (member.flags & ts.TypeFlags.String) !== 0);
}
