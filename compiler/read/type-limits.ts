// Limits of a type: tags of aliases and properties (`carried-limits.ts`), and limits that are part
// of the type, such as `int & Minimum<1>`.

import { ts } from "ts-morph";
import { LIMIT_WORDS, type Limits, type LimitWord } from "../../argspec/limits/limits.js";
import { LIMITS_PROPERTY, limitsOrigin } from "./carried-limits.js";
import { type LimitTag, parseLimit, readLimitTags } from "./limit-tags.js";
import { isPackageSymbol, isUniqueSymbolKey } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface TypeLimits {
  /** Members of the intersection that are not limits. */
  readonly rest: readonly ts.Type[];
  /** Tags of aliases and properties, from the inside out. */
  readonly tags: readonly LimitTag[];
  /** Limits that are part of the type, such as `Minimum<1>`. */
  readonly stated: readonly TypedLimit[];
}

export interface TypedLimit {
  readonly word: LimitWord;
  readonly limits: Limits;
  /** Reason why the limit is invalid, as a predicate; null if it is valid. */
  readonly fault: string | null;
}

/** Returns the limits of a type; null if it has no limits. */
export function readTypeLimits(context: ReadContext, type: ts.Type): TypeLimits | null {
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

/** Returns the property that marks a part of an intersection as a limit; null for other parts. */
function limitsProperty(checker: ts.TypeChecker, part: ts.Type): ts.Symbol | null {
  if (!(part.flags & ts.TypeFlags.Object)) return null;
  const [property, ...others] = checker.getPropertiesOfType(part);
  if (property === undefined || others.length > 0) return null;
  if (property.name === LIMITS_PROPERTY) return property;
  const isLimit =
    isUniqueSymbolKey(property) &&
    isPackageSymbol(property) &&
    String(property.escapedName).startsWith("__@limits@");
  return isLimit ? property : null;
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
