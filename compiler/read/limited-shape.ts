// Applies constraints to the shapes that they were written for. A constraint applies to the members
// of a type that are of its kind: `@maxLength` on `str | null` limits the string. A constraint that
// applies to no member is an error.

import { ts } from "ts-morph";
import {
  LIMIT_WORDS,
  type LimitedKind,
  type Limits,
  type LimitWord,
} from "../../argspec/limits/limits.js";
import type { TypeShape } from "../record/type-shape.js";
import { type LimitTag, readLimitTags } from "./limit-tags.js";
import { writtenType } from "./limited-aliases.js";
import type { NamedShape } from "./named-type.js";
import { type ReadContext, resolveSymbol } from "./read-context.js";
import { schemaType } from "./schema-type.js";
import type { StatedLimit } from "./type-limits.js";

/** Context in which constraints are applied to shapes. */
export interface Limiting {
  readonly context: ReadContext;
  readonly named: ReadonlyMap<string, NamedShape>;
}

/** Returns the shape with the constraints next to its type. */
export function limitedShape(
  limiting: Limiting,
  shape: TypeShape,
  node: ts.TypeNode | undefined,
  tags: readonly LimitTag[],
): TypeShape {
  return withLimits(limiting, shape, [...schemaAliasTags(limiting.context, node), ...tags]);
}

export function withLimits(
  { context, named }: Limiting,
  shape: TypeShape,
  tags: readonly LimitTag[],
): TypeShape {
  return tags.reduce((inner, { word, limits, tag }) => {
    const limited = put(inner, limits, LIMIT_WORDS[word], named);
    if (limited !== null) return limited;
    reportMisplaced(context, tag);
    return inner;
  }, shape);
}

/** Reports a tag whose limit its type cannot take. */
export function reportMisplaced(context: ReadContext, tag: ts.JSDocTag): void {
  const word = tag.tagName.text as LimitWord;
  const message = `\`@${word}\` limits ${WORDS[LIMIT_WORDS[word]]}; this type has none`;
  context.error("SVC1141", tag, message, "remove it, or change the type");
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

/** Tags of the aliases through which a node names the type of a schema: no type carries them. */
function schemaAliasTags(context: ReadContext, node: ts.TypeNode | undefined): LimitTag[] {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return [];
  if (schemaType(context, node) === null) return [];
  const symbol = resolveSymbol(context, node.typeName);
  const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  if (alias === undefined) return [];
  return [...schemaAliasTags(context, writtenType(alias)), ...readLimitTags(context, alias)];
}

/**
 * Returns the shape with the constraints that its type carries. A constraint may fit one member of
 * a union only; `LimitTally` reports tags that fit no member after the file has been read.
 */
export function withCarriedLimits(
  { context, named }: Limiting,
  shape: TypeShape,
  tags: readonly LimitTag[],
): TypeShape {
  return tags.reduce((inner, { word, limits, tag }) => {
    const limited = put(inner, limits, LIMIT_WORDS[word], named);
    context.limits.note(tag, limited !== null);
    return limited ?? inner;
  }, shape);
}

/** The shape within a limit that its type states, or the reason for which it cannot be. */
export function withStatedLimit(
  named: ReadonlyMap<string, NamedShape>,
  shape: TypeShape,
  { word, limits, fault }: StatedLimit,
): TypeShape | string {
  if (fault !== null) return `limited by \`${word}\`, which ${fault}`;
  const kind = LIMIT_WORDS[word];
  return put(shape, limits, kind, named) ?? `limited by \`${word}\`, which is for ${WORDS[kind]}`;
}
