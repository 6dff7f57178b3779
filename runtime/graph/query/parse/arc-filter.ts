// Parses arc filters. Input may be untrusted: anything else is rejected with a QueryError.

import { isPlainRecord } from "../../model/check-argument.js";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_ANY,
  M_FWDONLY,
  M_LSH,
  V_ANY,
  V_DYN_RATIO,
  V_EQ,
  V_GT,
  V_LTE,
  V_NEQ,
  V_NRANGE,
} from "../../model/constants.js";
import {
  atArgumentPath,
  inMember,
  invalidArgument,
  invalidNameError,
  NAMES,
} from "../../model/invalid-argument.js";
import {
  MODIFIER_FORMS,
  MODIFIERS,
  modifierCode,
  parseModifierName,
} from "../../model/modifiers.js";
import { isName } from "../../model/names.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type ArcFilterParts, ArcTest, type DirectionNumber } from "../match/arc-test.js";
import type { ArcLiteral } from "../match/arc-value-test.js";
import { isArcRelative } from "../match/dynamic-value-test.js";
import { parseNamedComparison } from "../match/named-comparison.js";
import type { ArcFilter } from "./query-options.js";

const SYSTEM_RELATIONSHIP = "__related__";
const DIRECTIONS = new Map<unknown, number>([
  ["any", D_ANY],
  ["in", D_IN],
  ["out", D_OUT],
  ["both", D_BOTH],
]);
const MEMBERS = ["rel", "dir", "mod", "cond", "value"];
const STEPS = { items: MEMBERS.map((_, item) => `[${item}]`), members: MEMBERS.map(inMember) };
const FORMS =
  'null, "rel", [rel, dir, mod, cond, value], { rel, dir, mod, value }, or [false, <filter>]';
const DIRECTION_FORMS = 'D_OUT, D_IN, D_ANY, D_BOTH, or by name in { dir: "out" }';
/** Bits have a distance, but no order. */
const BIT_COMPARISONS = new Set<number>([V_LTE, V_GT, V_EQ, V_NEQ]);
const VALUE_FORMS = "5, { gt: 5 }, { between: [1, 9] }; or cond: V_GT, value: 5";
const COMPARISON_FORMS = "V_GT and its like, and a value to compare with";

/**
 * Returns a compiled filter. It is bound here once; `bind` it again before each execution.
 * @param at path of the filter within the arguments of the call
 * @throws QueryError not an arc filter
 * @throws SearchError a name that no relationship can have
 */
export function compileArcFilter(
  store: GraphStore,
  filter: ArcFilter | undefined,
  defaultDirection: DirectionNumber,
  at = ".arc",
): ArcTest {
  const test = compileWalkFilter(store, filter, defaultDirection, at);
  test.refuseDynamic(at);
  return test;
}

/** As `compileArcFilter`, in a position where the filter may compare with the previous arc. */
export function compileWalkFilter(
  store: GraphStore,
  filter: ArcFilter | undefined,
  defaultDirection: DirectionNumber,
  at = ".arc",
): ArcTest {
  try {
    const test = new ArcTest(parseArcFilter(filter, defaultDirection));
    test.bind(store.relationships);
    return test;
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parseArcFilter(filter: unknown, defaultDirection: DirectionNumber): ArcFilterParts {
  if (!Array.isArray(filter) || typeof filter[0] !== "boolean") {
    return parsePlain(filter, defaultDirection, false);
  }
  let inner: unknown = filter;
  let isNegated = false;
  let at = "";
  while (Array.isArray(inner) && typeof inner[0] === "boolean") {
    if (inner.length !== 2) throw invalidArgument("Invalid arc", inner, "[boolean, <filter>]", at);
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1];
    at += "[1]";
  }
  try {
    const parts = parsePlain(inner, defaultDirection, isNegated);
    return { ...parts, literalAt: at + parts.literalAt };
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

function parsePlain(
  inner: unknown,
  defaultDirection: DirectionNumber,
  isNegated: boolean,
): ArcFilterParts {
  if (inner === undefined || inner === null || inner === true) {
    return partsFor(defaultDirection, null, isNegated);
  }
  if (inner === false) return partsFor(defaultDirection, null, !isNegated);
  // A bare direction has nothing to negate.
  if (typeof inner === "number") return partsFor(parseDirection(inner, D_ANY, ""), null, false);
  if (typeof inner === "string") {
    return partsFor(defaultDirection, parseRelationship(inner, ""), isNegated);
  }
  if (Array.isArray(inner)) {
    return parseItems(itemsOf(inner), defaultDirection, isNegated, STEPS.items);
  }
  // Only the short forms differ between calls and conditions.
  const direction = defaultDirection === D_ANY ? D_OUT : defaultDirection;
  return parseItems(itemsOf(inner), direction, isNegated, STEPS.members);
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
    literalAt: "",
    isNegated,
  };
}

/**
 * Returns the members of a filter in order, whichever way it is written; with the path step to the
 * operand of a named comparison.
 */
function itemsOf(filter: unknown): readonly unknown[] {
  if (Array.isArray(filter)) {
    if (filter.length > MEMBERS.length) {
      throw invalidArgument("Invalid arc: too many values", filter, FORMS);
    }
    return filter;
  }
  if (!isPlainRecord(filter)) throw invalidArgument("Invalid arc", filter, FORMS);
  const members = new Map<string, unknown>(Object.entries(filter));
  const items = MEMBERS.map((name) => members.get(name));
  for (const name of members.keys()) {
    if (!MEMBERS.includes(name)) {
      const text = `Invalid arc: '${name}' is not one of ${MEMBERS.join(", ")}`;
      throw invalidArgument(text, members.get(name), MEMBERS.join(", "), inMember(name));
    }
  }
  const [rel, dir, mod, cond, value] = items;
  return [rel, directionNamed(dir), parseModifierName(mod), ...readComparison(cond, value)];
}

function directionNamed(direction: unknown): unknown {
  return DIRECTIONS.get(direction) ?? direction;
}

function readComparison(code: unknown, value: unknown): readonly [unknown, unknown, string?] {
  if (code === undefined && typeof value === "number") return [V_EQ, value, ".value"];
  let named: ReturnType<typeof parseNamedComparison>;
  try {
    named = code === undefined ? parseNamedComparison(value) : null;
  } catch (error) {
    throw atArgumentPath(error, ".value");
  }
  if (named === null) {
    if (code !== undefined || value === undefined) return [code, value];
    throw invalidArgument("Invalid arc value", value, VALUE_FORMS, ".value");
  }
  if ("among" in named) {
    const fits = "gt, gte, lt, lte, eq, ne, between, outside";
    throw invalidArgument(
      "Invalid arc: `in` compares properties only",
      named.among,
      fits,
      ".value.in",
    );
  }
  return [named.code, named.value, `.value.${named.name}`];
}

function parseItems(
  items: readonly unknown[],
  defaultDirection: DirectionNumber,
  isNegated: boolean,
  steps: readonly string[],
): ArcFilterParts {
  const relationship = parseRelationship(items[0], steps[0]!);
  const direction = parseDirection(items[1], defaultDirection, steps[1]!);
  const code = parseModifier(items[2], steps[2]!);
  const comparison = parseComparison(items[3], items[4] !== undefined, steps[3]!);
  // The literal is an offset to the previous value.
  const isPlainDynamic = comparison > V_DYN_RATIO;
  const literal = items[4] ?? (isPlainDynamic ? 0 : items[4]);
  const modifier = code & ~M_FWDONLY;
  const isNamed = typeof items[5] === "string";
  const literalAt = typeof items[5] === "string" ? items[5] : steps[4]!;
  // A named comparison covers all numeric values of arcs; a constant needs the values of one kind.
  if (comparison !== V_ANY && modifier === M_ANY && !isNamed) {
    const text = "Invalid arc: value condition not supported without modifier";
    throw invalidArgument(text, items[2], MODIFIER_FORMS, steps[2]!);
  }
  if (comparison !== V_ANY && (literal === undefined || literal === null)) {
    throw invalidArgument("Arc comparator requires value", literal, "a number or two", literalAt);
  }
  const comparisonAt = isNamed ? literalAt : steps[3]!;
  if (comparison !== V_ANY) checkComparison(modifier, comparison, comparisonAt);
  return {
    direction,
    relationship,
    modifier,
    isForwardOnly: code !== modifier,
    comparison,
    // The compiler of the comparison checks the literal.
    literal: comparison === V_ANY ? 0 : (literal as ArcLiteral),
    literalAt,
    isNegated,
  };
}

function parseRelationship(name: unknown, at: string): string | null {
  if (name === undefined || name === null || name === "*") return null;
  if (typeof name !== "string") {
    throw invalidArgument("Invalid arc", name, "the name of a relationship, or null for any", at);
  }
  if (!isName(name) && name !== SYSTEM_RELATIONSHIP) {
    throw invalidNameError(`invalid relationship: '${name}'`, name, NAMES, at);
  }
  return name;
}

function parseDirection(
  direction: unknown,
  otherwise: DirectionNumber,
  at: string,
): DirectionNumber {
  if (direction === undefined || direction === null) return otherwise;
  if (isDirection(direction)) return direction;
  throw invalidArgument("Invalid arc direction", direction, DIRECTION_FORMS, at);
}

function isDirection(value: unknown): value is DirectionNumber {
  return value === D_ANY || value === D_IN || value === D_OUT || value === D_BOTH;
}

function parseModifier(modifier: unknown, at: string): number {
  if (modifier === undefined || modifier === null) return M_ANY;
  if (typeof modifier === "number") {
    const flag = modifier & M_FWDONLY;
    const code = modifierCode(modifier - flag);
    if (code === M_ANY || MODIFIERS[code] !== undefined) return code + flag;
  }
  throw invalidArgument("Invalid arc modifier", modifier, MODIFIER_FORMS, at);
}

function parseComparison(comparison: unknown, hasLiteral: boolean, at: string): number {
  if ((comparison === undefined || comparison === null) && !hasLiteral) return V_ANY;
  if (typeof comparison === "number" && Number.isInteger(comparison)) {
    if (isArcRelative(comparison)) return comparison;
    const isStatic = comparison >= V_LTE && comparison <= V_NRANGE && comparison % 2 === 0;
    if (comparison === V_ANY || isStatic) return comparison;
  }
  throw invalidArgument("Invalid arc value comparison code", comparison, COMPARISON_FORMS, at);
}

/**
 * Rejects comparisons that the values of a modifier do not support.
 * @param at path of the comparison
 * @throws QueryError
 */
function checkComparison(modifier: number, comparison: number, at: string): void {
  if (MODIFIERS[modifier]?.kind === "unit") {
    const fits = "no comparison: arcs of this modifier have no value";
    throw invalidArgument("Invalid modifier value", comparison, fits, at);
  }
  if (modifier === M_LSH && !BIT_COMPARISONS.has(comparison)) {
    const fits = "V_LTE and V_GT for distances, V_EQ, V_NEQ";
    throw invalidArgument("Invalid arc value comparison code", comparison, fits, at);
  }
}
