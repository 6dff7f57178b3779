// Limits that a type carries: those of aliases and properties with tags, see `carried-limits.ts`,
// and limits that are part of the type: `int & Minimum<1>`.

import { ts } from "ts-morph";
import { LIMIT_WORDS, type Limits, type LimitWord } from "../../argspec/limits/limits.js";
import { LIMITS_PROPERTY, limitsOrigin } from "./carried-limits.js";
import { type LimitTag, parseLimit, readLimitTags } from "./limit-tags.js";
import { isPackageSymbol, isUniqueSymbolKey } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface TypeLimits {
  /** Members of the intersection that carry no limit. */
  readonly rest: readonly ts.Type[];
  /** Tags of aliases and properties, inner ones first. */
  readonly tags: readonly LimitTag[];
  /** Limits that are part of the type, as `Minimum<1>`. */
  readonly stated: readonly TypedLimit[];
}

export interface TypedLimit {
  readonly word: LimitWord;
  readonly limits: Limits;
  /** Why the limit is invalid, as a predicate; null: it is valid. */
  readonly fault: string | null;
}

/** Returns null for types without limits. */
export function limitsOfType(context: ReadContext, type: ts.Type): TypeLimits | null {
  if (!type.isIntersection()) return null;
  const rest: ts.Type[] = [];
  const tags: LimitTag[] = [];
  const stated: TypedLimit[] = [];
  for (const part of type.types) {
    const property = limitsProperty(context.checker, part);
    if (property === null) {
      rest.push(part);
      continue;
    }
    const origin = limitsOrigin(property);
    if (origin) tags.push(...readLimitTags(context, origin));
    else stated.push(...readStated(context, property));
  }
  return rest.length === type.types.length ? null : { rest, tags, stated };
}

/** Returns the property through which a part of an intersection carries limits. */
function limitsProperty(checker: ts.TypeChecker, part: ts.Type): ts.Symbol | null {
  if (!(part.flags & ts.TypeFlags.Object)) return null;
  const [property, ...others] = checker.getPropertiesOfType(part);
  if (property === undefined || others.length > 0) return null;
  if (property.name === LIMITS_PROPERTY) return property;
  const isStated =
    isUniqueSymbolKey(property) &&
    isPackageSymbol(property) &&
    String(property.escapedName).startsWith("__@limits@");
  return isStated ? property : null;
}

/** Reads `{ readonly minimum: 1 }` of `Minimum<1>`. */
function readStated({ checker }: ReadContext, property: ts.Symbol): TypedLimit[] {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(property));
  return checker.getPropertiesOfType(type).flatMap((limit): TypedLimit[] => {
    if (!Object.hasOwn(LIMIT_WORDS, limit.name)) return [];
    const word = limit.name as LimitWord;
    const text = literalText(checker, checker.getTypeOfSymbol(limit));
    if (text === null) return [{ word, limits: {}, fault: "has no literal value" }];
    const { limits, fault } = parseLimit(word, text);
    return [{ word, limits, fault }];
  });
}

function literalText(checker: ts.TypeChecker, type: ts.Type): string | null {
  if (type.isStringLiteral() || type.isNumberLiteral()) return String(type.value);
  return type.flags & ts.TypeFlags.BooleanLiteral ? checker.typeToString(type) : null;
}
