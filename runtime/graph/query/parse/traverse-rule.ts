// Parses the rules by which a condition continues from a vertex to others: `adjacent`, `traverse`,
// their short forms and aliases, and the same members of an anchored query.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { isPlainRecord } from "../../model/check-argument.js";
import { D_ANY } from "../../model/constants.js";
import { inMember, invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ArcTest, DirectionNumber } from "../match/arc-test.js";
import {
  Collect,
  type CollectNumber,
  type VertexTest,
  type WalkRule,
} from "../match/vertex-test.js";
import { compileArcFilter, compileWalkFilter } from "./arc-filter.js";
import type { ArcFilter } from "./query-options.js";
import { checkRepeated, parseRepeat } from "./repeat.js";

/** Members of a rule as written. */
export interface RuleParts {
  arc?: unknown;
  neighbor?: unknown;
  filter?: unknown;
  collect?: unknown;
  assert?: unknown;
  repeat?: unknown;
  through?: unknown;
  /** Paths of members that are not below their names. */
  places?: RuleLocations;
}

export type RuleLocations = { readonly [K in Exclude<keyof RuleParts, "places">]?: string };

export type RuleKind = "adjacent" | "traverse";

const COMMON = ["arc", "filter", "neighbor", "assert", "repeat", "through"];
const MEMBERS: Record<RuleKind, readonly string[]> = {
  adjacent: COMMON,
  traverse: [...COMMON, "collect"],
};
const UNKNOWN_MEMBER: Record<RuleKind, string> = {
  adjacent: "Invalid adjacency condition parameter",
  traverse: "Invalid recursive traversal parameter",
};

/** Paths of the members of a named rule. */
const PLACES: Record<RuleKind, RuleLocations> = {
  adjacent: placesBelow("adjacent"),
  traverse: placesBelow("traverse"),
};

function placesBelow(kind: RuleKind): RuleLocations {
  return Object.fromEntries(MEMBERS[kind].map((name) => [name, `.${kind}.${name}`]));
}

/**
 * Returns the members of a rule in any of its forms.
 * @throws QueryError, UnsupportedError
 */
export function ruleParts(kind: RuleKind, rule: unknown): RuleParts {
  if (Array.isArray(rule) && isArcFilter(rule)) return { arc: rule, places: { arc: `.${kind}` } };
  if (Array.isArray(rule) || typeof rule === "string" || isReference(rule)) {
    return { neighbor: rule, places: { neighbor: `.${kind}` } };
  }
  const fits = MEMBERS[kind].join(", ");
  if (!isPlainRecord(rule)) {
    const forms = `{ ${fits} }, an arc filter, a vertex condition`;
    throw invalidArgument(`Invalid ${kind} condition`, rule, forms, `.${kind}`);
  }
  const parts: RuleParts = {};
  for (const [name, value] of Object.entries(rule)) {
    if (!MEMBERS[kind].includes(name)) {
      throw invalidArgument(
        `${UNKNOWN_MEMBER[kind]}: '${name}'`,
        value,
        fits,
        `.${kind}${inMember(name)}`,
      );
    }
    if (value !== undefined) parts[name as keyof RuleLocations] = value;
  }
  parts.places = PLACES[kind];
  return parts;
}

/** Returns whether an array is an arc filter; one of strings only is a list of ids. */
function isArcFilter(items: readonly unknown[]): boolean {
  return items.some((item) => typeof item !== "string" && !isReference(item));
}

/** Returns whether a value is a `Vertex`; plain objects are conditions. */
export function isReference(value: unknown): value is { readonly id: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return false;
  return typeof (value as { id?: unknown }).id === "string";
}

/** The conditions of a rule, compiled by the caller; null for any vertex. */
export interface RuleConditions {
  readonly neighbor: VertexTest | null;
  readonly through: VertexTest | null;
}

/** @throws QueryError, SearchError */
export function compileRule(
  store: GraphStore,
  expressions: ExpressionSet,
  parts: RuleParts,
  { neighbor, through }: RuleConditions,
  defaults: { readonly direction: DirectionNumber; readonly isCollected: boolean },
): WalkRule {
  const at = parts.places;
  const arc = compileWalkFilter(store, parts.arc as ArcFilter, defaults.direction, at?.arc);
  // Null is the filter that any arc passes, which collects the siblings.
  const collect = parts.collect === undefined ? defaults.isCollected : parts.collect;
  const assert = parseAssert(parts.assert, at?.assert);
  const filter = expressions.ofArcs(parts.filter, "filter");
  const repeat = parseRepeat(parts.repeat, through, at?.repeat);
  let collected: CollectNumber = Collect.Siblings;
  let siblings: ArcTest | null = null;
  if (typeof collect === "boolean") collected = collect ? Collect.Arcs : Collect.None;
  else siblings = compileArcFilter(store, collect as ArcFilter, D_ANY, at?.collect ?? ".collect");
  // Without a spread: walks read its members often, and those of a spread slowly.
  const rule = { arc, filter, neighbor, collect: collected, siblings, assert, repeat };
  return checkRepeated(rule, at);
}

function parseAssert(assert: unknown, at = ".assert"): boolean | null {
  if (assert === undefined || assert === null) return null;
  if (typeof assert === "boolean") return assert;
  if (typeof assert === "number" && Number.isInteger(assert)) return assert >= 1;
  throw invalidArgument("assert must be boolean, integer or null", assert, "true, false, null", at);
}
