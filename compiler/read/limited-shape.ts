// Applies limits to the shapes that they were written for. A limit applies to the members of a type
// that have its kind: `@maxLength` on `str | null` limits the string. A limit that applies to no
// member is an error.

import { ts } from "ts-morph";
import {
  LIMIT_WORDS,
  type LimitedKind,
  type Limits,
  type LimitWord,
} from "../../argspec/limits/limits.js";
import type { TypeShape } from "../record/type-shape.js";
import { writtenType } from "./carried-limits.js";
import { type LimitTag, readLimitTags } from "./limit-tags.js";
import type { NamedShape } from "./named-type.js";
import { type ReadContext, resolveSymbol } from "./read-context.js";
import { schemaType } from "./schema-type.js";
import type { TypedLimit } from "./type-limits.js";

/** Context for applying limits to shapes. */
export interface Limiting {
  readonly context: ReadContext;
  readonly named: ReadonlyMap<string, NamedShape>;
}

/** Returns the shape with the limits written beside its type. */
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
    const limited = applyLimits(inner, limits, LIMIT_WORDS[word], named);
    if (limited !== null) return limited;
    reportMisplaced(context, tag);
    return inner;
  }, shape);
}

/** Reports a tag whose limit does not apply to its type. */
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

/** Returns null if no member of the shape has that kind. */
function applyLimits(
  shape: TypeShape,
  limits: Limits,
  kind: LimitedKind,
  named: ReadonlyMap<string, NamedShape>,
): TypeShape | null {
  switch (shape.kind) {
    case "limited": {
      // The limits would apply to the JSON form instead of the value.
      if ((shape.valueClass ?? shape.maker ?? shape.temporal) !== undefined) return null;
      const base = applyLimits(shape.base, limits, kind, named);
      return base && { ...shape, limits: { ...shape.limits, ...limits } };
    }
    case "union": {
      const members = shape.members.map((member) => applyLimits(member, limits, kind, named));
      if (members.every((member) => member === null)) return null;
      return { ...shape, members: members.map((member, index) => member ?? shape.members[index]!) };
    }
    case "ref": {
      const type = named.get(shape.name)?.shape;
      // The shape is copied, because few readers of schemas support limits beside a reference.
      return type === undefined ? null : applyLimits(type, limits, kind, named);
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

/** Returns the limit tags of aliases of a schema's type, because the type cannot carry them. */
function schemaAliasTags(context: ReadContext, node: ts.TypeNode | undefined): LimitTag[] {
  if (node === undefined || !ts.isTypeReferenceNode(node)) return [];
  if (schemaType(context, node) === null) return [];
  const symbol = resolveSymbol(context, node.typeName);
  const alias = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  if (alias === undefined) return [];
  return [...schemaAliasTags(context, writtenType(alias)), ...readLimitTags(context, alias)];
}

/**
 * Returns the shape with the limits that its type carries. A limit may apply to only one member of
 * a union; `LimitUsage` reports limits that apply to no member after the file has been read.
 */
export function withCarriedLimits(
  { context, named }: Limiting,
  shape: TypeShape,
  tags: readonly LimitTag[],
): TypeShape {
  return tags.reduce((inner, { word, limits, tag }) => {
    const limited = applyLimits(inner, limits, LIMIT_WORDS[word], named);
    context.limits.record(tag, limited !== null);
    return limited ?? inner;
  }, shape);
}

/** Returns the shape with a limit that its type states, or why the limit is invalid. */
export function withStatedLimit(
  named: ReadonlyMap<string, NamedShape>,
  shape: TypeShape,
  { word, limits, fault }: TypedLimit,
): TypeShape | string {
  if (fault !== null) return `limited by \`${word}\`, which ${fault}`;
  const kind = LIMIT_WORDS[word];
  return (
    applyLimits(shape, limits, kind, named) ?? `limited by \`${word}\`, which is for ${WORDS[kind]}`
  );
}
