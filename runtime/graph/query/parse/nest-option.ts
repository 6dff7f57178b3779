// Parses `nest` of a neighborhood: the number of further levels, each with a rule of its own or
// that of the level above.

import { invalidArgument } from "../../model/invalid-argument.js";
import type { NeighborhoodQueryOptions, VertexCondition } from "./query-options.js";
import { isReference, type RuleParts, ruleParts } from "./traverse-rule.js";

/** Nesting limit of conditions. */
const MAX_LEVELS = 14;
/** Options of flat results. */
const FLAT_ONLY = ["facets", "groupBy", "cursor", "incomplete", "highlight"] as const;
/** Members of a condition that are aliases of `traverse` members. */
const ALIASES = ["arc", "neighbor", "collect", "assert"] as const;

/**
 * Returns the number of further levels; 0 for a flat result.
 * @throws QueryError
 */
export function parseNestOption(options: NeighborhoodQueryOptions): number {
  const { nest, aggregate } = options;
  const levels: unknown = nest ?? 0;
  if (!Number.isInteger(levels) || (levels as number) < 0) {
    throw invalidArgument("invalid nest parameter", levels, `0 to ${MAX_LEVELS}`, ".nest");
  }
  if ((levels as number) > MAX_LEVELS) {
    const text = "Vertex condition recursion limit reached";
    throw invalidArgument(text, levels, `0 to ${MAX_LEVELS}`, ".nest");
  }
  if (levels !== 0 && aggregate !== undefined && aggregate !== null) {
    throw invalidArgument("groups of arcs cannot be nested", nest, "0 beside `aggregate`", ".nest");
  }
  for (const name of levels === 0 ? [] : FLAT_ONLY) {
    const value = options[name];
    if (value === undefined || value === null) continue;
    throw invalidArgument(`${name} is not for nested results`, value, "0 levels", `.${name}`);
  }
  if (levels === 0) parseNestedHits(options.nestedHits);
  return levels as number;
}

/**
 * Returns the maximum number of entries of an inner list.
 * @throws QueryError
 */
export function parseNestedHits(nestedHits: unknown): number {
  if (nestedHits === undefined || nestedHits === null) return Number.POSITIVE_INFINITY;
  if (!Number.isSafeInteger(nestedHits)) {
    throw invalidArgument("invalid nestedHits parameter", nestedHits, "an integer", ".nestedHits");
  }
  return Number(nestedHits) < 0 ? Number.POSITIVE_INFINITY : Number(nestedHits);
}

/**
 * Returns a condition on the heads of a level that traverses and collects further levels.
 * @param above rule of the level, inherited by levels without one
 * @throws QueryError
 */
export function nestedCondition(condition: unknown, levels: number, above: RuleParts): unknown {
  if (levels === 0) return condition;
  const { own, rest } = split(membersOf(condition));
  const { arc, filter } = above;
  const rule: RuleParts =
    own === null
      ? { ...(arc !== undefined && { arc }), ...(filter !== undefined && { filter }), assert: true }
      : own;
  const neighbor = nestedCondition(rule.neighbor, levels - 1, rule);
  return {
    ...rest,
    traverse: { ...rule, collect: true, ...(neighbor !== undefined && { neighbor }) },
  };
}

/** Splits a condition into its traversal rule, null if there is none, and the rest. */
function split(members: Record<string, unknown>): {
  own: RuleParts | null;
  rest: Record<string, unknown>;
} {
  const rest = { ...members };
  let own: RuleParts | null = null;
  if (rest.traverse !== undefined) own = withoutPlaces(ruleParts("traverse", rest.traverse));
  delete rest.traverse;
  for (const name of ALIASES) {
    const value = rest[name];
    delete rest[name];
    if (value === undefined) continue;
    if (own?.[name] !== undefined) {
      const fits = `one of both: it is at traverse.${name}, too`;
      throw invalidArgument(`traverse ${name} re-definition`, value, fits, `.${name}`);
    }
    own = { ...own, [name]: value };
  }
  return { own, rest };
}

function withoutPlaces({ places: _, ...rule }: RuleParts): RuleParts {
  return rule;
}

/** Returns the members of a condition in any of its forms. */
function membersOf(condition: unknown): Record<string, unknown> {
  if (condition === undefined || condition === null || condition === "*") return {};
  if (typeof condition === "string" || isReference(condition)) return { id: condition };
  const isList = Array.isArray(condition);
  if (isList && condition.every((item) => typeof item === "string" || isReference(item))) {
    return { id: condition };
  }
  if (isList || typeof condition !== "object") {
    const fits = "{ id: ... }, { not: ... } and their like";
    throw invalidArgument("nest: conditions are those with names", condition, fits, ".neighbor");
  }
  return condition as Record<string, unknown> & VertexCondition;
}
