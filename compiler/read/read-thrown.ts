// Reads `@throws {NoSuchArticle}`: for an HttpError, also its status and the type of its details,
// so that clients can distinguish it by name. Both come from the class's call of `super`; the text
// may state the status: `@throws {HttpError} 404 ...`. Hooks respond in the plugin's place, so
// their errors belong to its contract.

import { ts } from "ts-morph";
import type { ThrownRecord } from "../record/plugin-record.js";
import { type DocComment, readDocComment } from "./doc-comment.js";
import { isPackageSymbol } from "./package-symbols.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { findHooks } from "./read-before.js";
import { type ReadContext, resolveSymbol, skipAlias } from "./read-context.js";
import type { ShapeReader } from "./shape-reader.js";

const STATUS = /^([45]\d\d)\b[:\s]*/;
const PLAIN_NAME = /^[A-Z]\w{0,254}$/;
/** Maximum depth of class inheritance. */
const MAX_BASES = 20;

/** Returns the documented errors of a plugin and its hooks. */
export function readThrown(reader: ShapeReader, plugin: PluginDeclaration): ThrownRecord[] {
  const { doc, fn, nameNode } = plugin;
  const hooks = findHooks(reader.context, plugin);
  const records = [
    ...readDocumented(reader, doc, fn, nameNode),
    ...hooks.flatMap((hook) => readDocumented(reader, readDocComment(hook), hook, nameNode)),
    ...hooks.flatMap((hook) => findThrown(reader, hook)),
  ];
  const isFirst = ({ exception, status }: ThrownRecord, at: number) =>
    records.findIndex((record) => record.exception === exception && record.status === status) ===
    at;
  return records.filter(isFirst);
}

/** @param nameNode node that diagnostics point to */
function readDocumented(reader: ShapeReader, doc: DocComment, fn: ts.Node, nameNode: ts.Node) {
  return doc.throws.map((thrown): ThrownRecord => {
    if (!PLAIN_NAME.test(thrown.exception)) return thrown;
    const symbol = resolveClass(reader.context, thrown.exception, fn);
    // If the class is out of scope, only a status in the text identifies it as an HttpError.
    const errorClass = symbol === null ? UNKNOWN_CLASS : readErrorClass(reader.context, symbol);
    if (errorClass === null) return thrown;
    const [statusText, digits] = STATUS.exec(thrown.description) ?? ["", null];
    const status = digits === null ? errorClass.status : Number(digits);
    if (status === null) {
      if (symbol === null) return thrown;
      const message = `cannot determine the status of \`${thrown.exception}\``;
      const help = `\`@throws {${thrown.exception}} 404 ...\`, or a number in its call of super`;
      reader.context.warning("SVC1220", nameNode, message, help);
      return thrown;
    }
    const details = symbol && readDetails(reader, symbol, errorClass.details);
    const description = thrown.description.slice(statusText.length);
    return { exception: thrown.exception, description, status, ...(details && { details }) };
  });
}

/** Returns the errors that a hook itself throws with a known status, mostly 401 and 403. */
function findThrown(reader: ShapeReader, hook: ts.Node): ThrownRecord[] {
  const found: ThrownRecord[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isThrowStatement(node) && ts.isNewExpression(node.expression)) {
      found.push(...readThrownNew(reader, node.expression));
    }
    ts.forEachChild(node, visit);
  };
  visit(hook);
  return found;
}

function readThrownNew(reader: ShapeReader, expression: ts.NewExpression): ThrownRecord[] {
  const { context } = reader;
  const symbol = resolveSymbol(context, expression.expression);
  const known = symbol && readErrorClass(context, symbol);
  if (!symbol || !known || !PLAIN_NAME.test(symbol.name)) return [];
  const isOwn = isPackageSymbol(symbol, "HttpError");
  const [status = null, message, details = null] = isOwn ? (expression.arguments ?? []) : [];
  const number = isOwn && status ? literalNumber(context, status) : known.status;
  if (number === null || number < 400 || number > 599) return [];
  const description = message && ts.isStringLiteralLike(message) ? message.text : "";
  const shape = readDetails(reader, symbol, isOwn ? details : known.details);
  const error = { exception: symbol.name, description, status: number };
  return [{ ...error, ...(shape && { details: shape }) }];
}

function literalNumber({ checker }: ReadContext, node: ts.Expression): number | null {
  const type = checker.getTypeAtLocation(node);
  return type.isNumberLiteral() ? type.value : null;
}

/** Returns the class of that name in the scope of the plugin's file. */
function resolveClass(context: ReadContext, name: string, fn: ts.Node): ts.Symbol | null {
  const found = context.checker.resolveName(name, fn, ts.SymbolFlags.Value, false);
  return found === undefined ? null : skipAlias(context, found);
}

interface ErrorClass {
  /** Null if the status is known only at run time. */
  readonly status: number | null;
  readonly details: ts.Expression | null;
}

const UNKNOWN_CLASS: ErrorClass = { status: null, details: null };

/** Returns how a class derived from HttpError calls its constructor; null for other classes. */
function readErrorClass(context: ReadContext, symbol: ts.Symbol): ErrorClass | null {
  let result = UNKNOWN_CLASS;
  let current: ts.Symbol | undefined = symbol;
  for (let depth = 0; current !== undefined && depth < MAX_BASES; depth++) {
    if (isPackageSymbol(current, "HttpError")) return result;
    const declaration: ts.Declaration | undefined = current.declarations?.find(ts.isClassLike);
    if (declaration === undefined || !ts.isClassLike(declaration)) return null;
    if (result.status === null) result = readSuperCall(context, declaration) ?? result;
    const base: ts.Node | undefined =
      declaration.heritageClauses?.find(isExtends)?.types[0]?.expression;
    current = base && resolveSymbol(context, base);
  }
  return null;
}

function isExtends({ token }: ts.HeritageClause): boolean {
  return token === ts.SyntaxKind.ExtendsKeyword;
}

function readSuperCall(
  context: ReadContext,
  declaration: ts.ClassLikeDeclaration,
): ErrorClass | null {
  const body = declaration.members.find(ts.isConstructorDeclaration)?.body;
  const call = body?.statements.map(asSuperCall).find((found) => found !== null);
  if (!call) return null;
  const [status, , details = null] = call.arguments;
  return { status: status ? literalNumber(context, status) : null, details };
}

function asSuperCall(statement: ts.Statement): ts.CallExpression | null {
  if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) {
    return null;
  }
  const isSuper = statement.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isSuper ? statement.expression : null;
}

/** Returns the type of a redeclared property, otherwise of the argument to `super`. */
function readDetails(reader: ShapeReader, symbol: ts.Symbol, argument: ts.Expression | null) {
  const { checker } = reader.context;
  const property = checker.getDeclaredTypeOfSymbol(symbol).getProperty("details");
  const declared = property && checker.getTypeOfSymbol(property);
  const isDeclared = declared !== undefined && !(declared.flags & ts.TypeFlags.Unknown);
  const type = isDeclared ? declared : argument && checker.getTypeAtLocation(argument);
  if (!type) return null;
  const { shape, problems } = reader.readPresent(checker.getBaseTypeOfLiteralType(type));
  return problems.length > 0 || shape.kind === "json" ? null : shape;
}
