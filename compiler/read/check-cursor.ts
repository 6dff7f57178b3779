// Checks the parameter `cursor` of a plugin that returns pages. Clients request the next page with
// the state of the previous page, which reaches the plugin as JSON.

import { ts } from "ts-morph";
import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape } from "../record/type-shape.js";
import { parameterType } from "./parameter-type.js";
import { listParameters, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import type { ShapeReader } from "./shape-reader.js";
import { readTextParameter } from "./text-class.js";

const HELP = "`cursor?: Cursor<{ ... }>`";
/** Parts of a state that are nested more deeply are not compared. */
const MAX_DEPTH = 5;

/** @param page type of the result */
export function checkCursor(
  reader: ShapeReader,
  plugin: PluginDeclaration,
  where: ts.Node,
  page: ts.Type,
): void {
  const { context } = reader;
  const cursor = listParameters(plugin).find(({ name }) => name.getText() === "cursor");
  const isOptional = cursor?.questionToken !== undefined || cursor?.initializer !== undefined;
  const type = cursor && parameterType(context, cursor);
  if (isOptional && type !== undefined && readTextParameter(type) === "Cursor") {
    checkState(reader, plugin, cursor.name, { page, cursor: type });
    return;
  }
  const message = `\`${plugin.name}\` returns a page and has no optional parameter \`cursor\``;
  context.error("SVC1153", where, message, HELP);
}

function checkState(
  reader: ShapeReader,
  { name }: PluginDeclaration,
  where: ts.Node,
  types: { readonly page: ts.Type; readonly cursor: ts.Type },
): void {
  const { context, named } = reader;
  const { checker } = context;
  const pageState = typeArgument(context, types.page, 1);
  const cursorState = typeArgument(context, checker.getNonNullableType(types.cursor), 0);
  if (cursorState === null) return;
  const passedState = pageState && checker.getNonNullableType(pageState);
  if (passedState !== null && !canPass(checker, passedState, cursorState)) {
    const text = checker.typeToString(passedState);
    const message = `pages of \`${name}\` have the state \`${text}\`, and its cursor has another`;
    context.error("SVC1155", where, message, `\`cursor?: Cursor<${text}>\``);
  }
  const { shape } = reader.readPresent(cursorState);
  const parts = listShapeParts(shape, (reference) => named.get(reference)!.shape);
  const [found] = parts.flatMap((part) => className(part) ?? []);
  if (found === undefined) return;
  const message = `\`cursor.state\` contains a \`${found}\`, which arrives in its JSON form`;
  context.error("SVC1155", where, message, "`str` or `int`, converted by the plugin");
}

/**
 * Returns whether a value of one type, sent as JSON, can be a value of another. Also accepts the
 * wider types that TypeScript infers for states: `string` for a literal, a list for a tuple, and
 * readonly lists.
 */
function canPass(checker: ts.TypeChecker, from: ts.Type, to: ts.Type, depth = 0): boolean {
  if (checker.isTypeAssignableTo(from, to) || depth > MAX_DEPTH) return true;
  const inner = (a: ts.Type, b: ts.Type) => canPass(checker, a, b, depth + 1);
  if (from.isUnion()) return from.types.every((member) => inner(member, to));
  if (to.isUnion()) return to.types.some((member) => inner(from, member));
  if (checker.isArrayLikeType(from) && checker.isArrayLikeType(to)) {
    const [item, target] = [from, to].map((list) => list.getNumberIndexType());
    return item === undefined || target === undefined || inner(item, target);
  }
  if (!(from.flags & to.flags & ts.TypeFlags.Object)) {
    return !from.isLiteral() && to.isLiteral() && inner(from, checker.getBaseTypeOfLiteralType(to));
  }
  const values = to.getStringIndexType();
  if (values !== undefined) {
    return from
      .getProperties()
      .every((property) => inner(checker.getTypeOfSymbol(property), values));
  }
  return to.getProperties().every((property) => {
    const source = from.getProperty(property.name);
    if (source === undefined) return (property.flags & ts.SymbolFlags.Optional) !== 0;
    return inner(checker.getTypeOfSymbol(source), checker.getTypeOfSymbol(property));
  });
}

/** Returns an argument of a generic type; null if it is missing, any or unknown. */
function typeArgument({ checker }: ReadContext, type: ts.Type, index: number): ts.Type | null {
  const argument = checker.getTypeArguments(type as ts.TypeReference)[index];
  const { Any, Unknown } = ts.TypeFlags;
  return argument === undefined || argument.flags & (Any | Unknown) ? null : argument;
}

/** Returns the name of the class of a shape's values; null for plain data. */
function className(shape: TypeShape): string | null {
  if (shape.kind === "limited") {
    const { valueClass, maker, temporal } = shape;
    if (temporal !== undefined) return `Temporal.${temporal}`;
    return valueClass ?? maker?.exportPath ?? null;
  }
  return ("valueClass" in shape && shape.valueClass) || null;
}
