// Reads arc filters as queries write them. Everything may come from outside, so nothing is
// believed: whatever is not a filter is refused with a QueryError.

import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_ANY,
  M_FWDONLY,
  MAX_STRING,
  V_ANY,
  V_DYN_RATIO,
  V_LTE,
  V_NRANGE,
} from "../../model/constants.js";
import { QueryError, SearchError } from "../../model/errors.js";
import { MODIFIERS, modifierCode, modifierNamed } from "../../model/modifiers.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type ArcFilterParts, ArcTest, type DirectionNumber } from "../match/arc-test.js";
import type { ArcLiteral } from "../match/arc-value-test.js";
import { isDynamic } from "../match/dynamic-value-test.js";
import { namedComparison } from "../match/named-comparison.js";
import type { ArcFilter } from "./query-options.js";

const NAME = /^[A-Za-z][A-Za-z0-9_.#$%@]*$/;
const SYSTEM_RELATIONSHIP = "__related__";
const DIRECTIONS = new Map<unknown, number>([
  ["any", D_ANY],
  ["in", D_IN],
  ["out", D_OUT],
  ["both", D_BOTH],
]);
const MEMBERS = ["rel", "dir", "mod", "cond", "value"];

/**
 * A filter ready for use: `bind` it before each execution, it is bound once here.
 * @throws QueryError what is not an arc filter
 * @throws SearchError a name that no relationship can have
 */
export function compileArcFilter(
  store: GraphStore,
  filter: ArcFilter | undefined,
  defaultDirection: DirectionNumber,
): ArcTest {
  const test = compileWalkFilter(store, filter, defaultDirection);
  test.refuseDynamic();
  return test;
}

/** The same where there may be an arc before, whose value the filter may compare with. */
export function compileWalkFilter(
  store: GraphStore,
  filter: ArcFilter | undefined,
  defaultDirection: DirectionNumber,
): ArcTest {
  const test = new ArcTest(parseArcFilter(filter, defaultDirection));
  test.bind(store.relationships);
  return test;
}

function parseArcFilter(filter: unknown, defaultDirection: DirectionNumber): ArcFilterParts {
  let inner = filter;
  let isNegated = false;
  while (Array.isArray(inner) && typeof inner[0] === "boolean") {
    if (inner.length !== 2) throw new QueryError("Invalid arc");
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1];
  }
  if (inner === undefined || inner === null || inner === true) {
    return partsFor(defaultDirection, null, isNegated);
  }
  if (inner === false) return partsFor(defaultDirection, null, !isNegated);
  // A direction alone says nothing that could be negated.
  if (typeof inner === "number") return partsFor(parseDirection(inner, D_ANY), null, false);
  if (typeof inner === "string") {
    return partsFor(defaultDirection, parseRelationship(inner), isNegated);
  }
  return parseItems(itemsOf(inner), defaultDirection, isNegated);
}

function partsFor(
  direction: DirectionNumber,
  relationship: string | null,
  isNegated: boolean,
): ArcFilterParts {
  return {
    direction,
    relationship,
    modifier: M_ANY,
    isForwardOnly: false,
    comparison: V_ANY,
    literal: 0,
    isNegated,
  };
}

/** The members of a filter in their order, whichever way it is written. */
function itemsOf(filter: unknown): readonly unknown[] {
  if (Array.isArray(filter)) {
    if (filter.length > MEMBERS.length) throw new QueryError("Invalid arc: too many values");
    return filter;
  }
  if (typeof filter !== "object" || filter === null) throw new QueryError("Invalid arc");
  const members = new Map<string, unknown>(Object.entries(filter));
  const items = MEMBERS.map((name) => members.get(name));
  for (const name of members.keys()) {
    if (!MEMBERS.includes(name)) {
      throw new QueryError(`Invalid arc: '${name}' is none of ${MEMBERS.join(", ")}`);
    }
  }
  const [rel, dir, mod, cond, value] = items;
  return [rel, directionNamed(dir), modifierNamed(mod), ...comparisonIn(cond, value)];
}

function directionNamed(direction: unknown): unknown {
  return DIRECTIONS.get(direction) ?? direction;
}

function comparisonIn(code: unknown, value: unknown): readonly [code: unknown, value: unknown] {
  const named = code === undefined ? namedComparison(value) : null;
  if (named === null) return [code, value];
  if ("among" in named) throw new QueryError("Invalid arc: `in` compares properties only");
  return [named.code, named.value];
}

function parseItems(
  items: readonly unknown[],
  defaultDirection: DirectionNumber,
  isNegated: boolean,
): ArcFilterParts {
  const relationship = parseRelationship(items[0]);
  const direction = parseDirection(items[1], defaultDirection);
  const code = parseModifier(items[2]);
  const comparison = parseComparison(items[3], items[4] !== undefined);
  // Compared with the previous value, the literal is what is added to that.
  const isPlainDynamic = comparison > V_DYN_RATIO;
  const literal = items[4] ?? (isPlainDynamic ? 0 : items[4]);
  const modifier = code & ~M_FWDONLY;
  if (comparison !== V_ANY && modifier === M_ANY) {
    throw new QueryError("Invalid arc: value condition not supported without modifier");
  }
  if (comparison !== V_ANY && (literal === undefined || literal === null)) {
    throw new QueryError("Arc comparator requires value");
  }
  return {
    direction,
    relationship,
    modifier,
    isForwardOnly: code !== modifier,
    comparison,
    // What kind of literal it must be is known where it is compiled.
    literal: comparison === V_ANY ? 0 : (literal as ArcLiteral),
    isNegated,
  };
}

/** Whether a relationship or type can be called so. */
export function isName(name: string): boolean {
  return name.length <= MAX_STRING && NAME.test(name);
}

function parseRelationship(name: unknown): string | null {
  if (name === undefined || name === null || name === "*") return null;
  if (typeof name !== "string") throw new QueryError("Invalid arc");
  if (!isName(name) && name !== SYSTEM_RELATIONSHIP) {
    throw new SearchError(`invalid relationship: '${name}'`);
  }
  return name;
}

function parseDirection(direction: unknown, otherwise: DirectionNumber): DirectionNumber {
  if (direction === undefined || direction === null) return otherwise;
  if (isDirection(direction)) return direction;
  throw new QueryError("Invalid arc direction");
}

function isDirection(given: unknown): given is DirectionNumber {
  return given === D_ANY || given === D_IN || given === D_OUT || given === D_BOTH;
}

function parseModifier(modifier: unknown): number {
  if (modifier === undefined || modifier === null) return M_ANY;
  if (typeof modifier === "number") {
    const flag = modifier & M_FWDONLY;
    const code = modifierCode(modifier - flag);
    if (code === M_ANY || MODIFIERS[code] !== undefined) return code + flag;
  }
  throw new QueryError("Invalid arc modifier");
}

function parseComparison(comparison: unknown, hasLiteral: boolean): number {
  if ((comparison === undefined || comparison === null) && !hasLiteral) return V_ANY;
  if (typeof comparison === "number" && Number.isInteger(comparison)) {
    if (isDynamic(comparison)) return comparison;
    const isStatic = comparison >= V_LTE && comparison <= V_NRANGE && comparison % 2 === 0;
    if (comparison === V_ANY || isStatic) return comparison;
  }
  throw new QueryError("Invalid arc value comparison code");
}
