// Puts limits on the shapes that they were written for. A limit goes to those members of a type
// that are of its kind: `@maxLength` on `str | null` limits the text. What nothing can take is an
// error.

import { ts } from "ts-morph";
import { LIMIT_WORDS, type LimitedKind, type Limits } from "../../argspec/limits/limits.js";
import type { TypeShape } from "../record/type-shape.js";
import { type LimitTag, limitTagsOfSymbol } from "./limit-tags.js";
import type { NamedShape } from "./named-type.js";
import { type ReadContext, resolveSymbol } from "./read-context.js";
import { elementNode } from "./schema-places.js";

/** What limits are put on shapes with. */
export interface Limiting {
  readonly context: ReadContext;
  readonly named: ReadonlyMap<string, NamedShape>;
}

/** The shape within its limits: those of the aliases that its type names, and those given. */
export function limitedShape(
  limiting: Limiting,
  shape: TypeShape,
  node: ts.TypeNode | undefined,
  tags: readonly LimitTag[],
): TypeShape {
  const aliased = node === undefined ? shape : withAliases(limiting, shape, node);
  return withLimits(limiting, aliased, tags);
}

export function withLimits(
  { context, named }: Limiting,
  shape: TypeShape,
  tags: readonly LimitTag[],
): TypeShape {
  return tags.reduce((inner, { word, limits, tag }) => {
    const limited = put(inner, limits, LIMIT_WORDS[word], named);
    if (limited !== null) return limited;
    const message = `\`@${word}\` limits ${WORDS[LIMIT_WORDS[word]]}; this type has none`;
    context.error("SVC1141", tag, message, "remove it, or change the type");
    return inner;
  }, shape);
}

const WORDS: Readonly<Record<LimitedKind, string>> = {
  number: "a number",
  string: "a text",
  array: "a list",
};

/** Null where no member of the shape is of that kind. */
function put(
  shape: TypeShape,
  limits: Limits,
  kind: LimitedKind,
  named: ReadonlyMap<string, NamedShape>,
): TypeShape | null {
  switch (shape.kind) {
    case "limited": {
      const base = put(shape.base, limits, kind, named);
      return base && { ...shape, limits: { ...shape.limits, ...limits } };
    }
    case "union": {
      const members = shape.members.map((member) => put(member, limits, kind, named));
      if (members.every((member) => member === null)) return null;
      return { ...shape, members: members.map((member, index) => member ?? shape.members[index]!) };
    }
    case "ref": {
      const type = named.get(shape.name)?.shape;
      // Written out: limits beside a reference would be a word that few readers of schemas know.
      return type === undefined ? null : put(type, limits, kind, named);
    }
    default:
      return KINDS[shape.kind] === kind ? { kind: "limited", base: shape, limits } : null;
  }
}

const KINDS: Readonly<Record<string, LimitedKind>> = {
  int: "number",
  float: "number",
  str: "string",
  pattern: "string",
  array: "array",
};

/** Aliases of types without parts are no types of their own to the checker: the text tells them. */
function withAliases(limiting: Limiting, shape: TypeShape, node: ts.TypeNode): TypeShape {
  if (ts.isParenthesizedTypeNode(node)) return withAliases(limiting, shape, node.type);
  if (ts.isTypeOperatorNode(node)) return withAliases(limiting, shape, node.type);
  if (ts.isUnionTypeNode(node)) {
    return node.types.reduce((inner, member) => withAliases(limiting, inner, member), shape);
  }
  const element = elementNode(node);
  if (element !== null) {
    return shape.kind === "array"
      ? { ...shape, items: withAliases(limiting, shape.items, element) }
      : shape;
  }
  if (!ts.isTypeReferenceNode(node) || shape.kind === "ref") return shape;
  const symbol = resolveSymbol(limiting.context, node.typeName);
  const declaration = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  if (symbol === undefined || declaration === undefined) return shape;
  const tags = limitTagsOfSymbol(limiting.context, symbol);
  return withLimits(limiting, withAliases(limiting, shape, declaration.type), tags);
}
