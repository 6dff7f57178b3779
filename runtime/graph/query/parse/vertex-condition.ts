// Parses and compiles vertex conditions. Input may be untrusted: keys are looked up in tables, and
// nesting is limited.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { isPlainRecord } from "../../model/check-argument.js";
import { D_ANY } from "../../model/constants.js";
import { atArgumentPath, invalidArgument, inMember as step } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { DirectionNumber } from "../match/arc-test.js";
import { TextCheck } from "../match/text-check.js";
import { IdCheck, IdPrefixCheck, PropertyCheck, TypeCheck } from "../match/vertex-checks.js";
import {
  bindTest,
  type VertexCheck,
  type VertexTest,
  type WalkRule,
} from "../match/vertex-test.js";
import { type CompoundParts, compileCompounds } from "./compound-condition.js";
import { CONSTRAINTS, type Constraint, type Negation, unwrapNegation } from "./constraints.js";
import type { VertexCondition } from "./query-options.js";
import {
  compileRule,
  isReference,
  type RuleKind,
  type RuleLocations,
  type RuleParts,
  ruleParts,
} from "./traverse-rule.js";

/** Maximum nesting of neighbor conditions below the outermost. */
const MAX_NESTING = 14;
/** Maximum number of members of all `and` and `or` of a condition. */
const MAX_MEMBERS = 64;

/** Condition keys that are members of a rule. */
const ALIASES = new Map<string, readonly [RuleKind, keyof RuleParts]>([
  ["arc", ["traverse", "arc"]],
  ["neighbor", ["traverse", "neighbor"]],
  ["collect", ["traverse", "collect"]],
  ["assert", ["traverse", "assert"]],
  ["has_arc", ["adjacent", "arc"]],
  ["has_neighbor", ["adjacent", "neighbor"]],
]);

const MEMBERS = [
  ...CONSTRAINTS.keys(),
  ...["filter", "post", "adjacent", "traverse", "and", "or", "not"],
  ...ALIASES.keys(),
].join(", ");

/** Defaults of the outermost `traverse`. */
export interface ConditionOptions {
  readonly isCollected: boolean;
  /** Direction of its arcs if there is no arc filter. */
  readonly direction: DirectionNumber;
}

const NESTED: ConditionOptions = { isCollected: false, direction: D_ANY };

/**
 * Returns a compiled condition, null if any vertex passes. It is bound here once; call `bindTest`
 * before each further execution.
 * @param at path of the condition within the arguments of the call
 * @throws QueryError not a vertex condition
 * @throws SearchError a name that nothing can have
 * @throws UnsupportedError similarity
 */
export function compileVertexCondition(
  store: GraphStore,
  expressions: ExpressionSet,
  condition: VertexCondition | undefined,
  at: string,
  options: ConditionOptions = NESTED,
): VertexTest | null {
  const place = { at, nesting: 0, budget: { members: MAX_MEMBERS } };
  const test = compileTest(store, expressions, condition, options, place);
  if (test !== null) bindTest(test, store);
  return test;
}

/** Location of a condition: path within the enclosing one, and nesting depth. */
interface Place {
  readonly at: string;
  readonly nesting: number;
  /** Shared by all nested conditions. */
  readonly budget: { members: number };
}

function compileTest(
  store: GraphStore,
  expressions: ExpressionSet,
  condition: unknown,
  options: ConditionOptions,
  { at, nesting, budget }: Place,
): VertexTest | null {
  if (nesting > MAX_NESTING) {
    const fits = `${MAX_NESTING} levels below the outermost condition`;
    throw invalidArgument("Vertex condition recursion limit reached", condition, fits, at);
  }
  let inside = at;
  try {
    const negation = unwrapNot(condition);
    inside += negation.at;
    const place = { at: "", nesting: nesting + 1, budget };
    return compileInner(store, expressions, negation, options, place);
  } catch (error) {
    throw atArgumentPath(error, inside);
  }
}

function compileInner(
  store: GraphStore,
  expressions: ExpressionSet,
  { inner, isNegated }: Negation,
  { isCollected, direction }: ConditionOptions,
  place: Place,
): VertexTest | null {
  const parts = partsOf(store, inner);
  const rule = (kind: RuleKind): WalkRule | null => {
    const members = parts.rules[kind];
    if (members === undefined) return null;
    const there = { ...place, at: members.places?.neighbor ?? ".neighbor" };
    const neighbor = compileTest(store, expressions, members.neighbor, NESTED, there);
    const between = { ...place, at: members.places?.through ?? ".through" };
    const through = compileTest(store, expressions, members.through, NESTED, between);
    const isAny = kind === "adjacent" || (members.arc !== undefined && members.arc !== null);
    const defaults = { direction: isAny ? D_ANY : direction, isCollected };
    return compileRule(store, expressions, members, { neighbor, through }, defaults);
  };
  const compile = (member: unknown, at: string): VertexTest | null =>
    compileTest(store, expressions, member, NESTED, { ...place, at });
  const compounds = compileCompounds(parts.compounds, compile, place.budget);
  const constraints = parts.constraints.sort((a, b) => a.order - b.order);
  const checks = [...constraints.map(({ check }) => check), ...compounds.checks];
  const filter = expressions.ofVertices(parts.filter, "local");
  const post = expressions.ofVertices(parts.post, "localPost");
  const adjacent = rule("adjacent");
  const traverse = rule("traverse");
  const isWalking =
    adjacent !== null || traverse !== null || post !== null || compounds.walked.length > 0;
  if (checks.length === 0 && filter === null && !isWalking && !isNegated) return null;
  return {
    isNegated,
    isPlain: !isNegated && !isWalking,
    checks,
    filter,
    post,
    adjacent,
    traverse,
    type: checks.find(isTypeNamed) ?? null,
    ids: checks.find(isIds) ?? null,
    indexed: checks.filter(isIndexed),
    compounds: compounds.walked,
    narrowing: compounds.narrowing,
  };
}

function isTypeNamed(check: VertexCheck): check is TypeCheck {
  return check instanceof TypeCheck && check.isEqual;
}

function isIndexed(check: VertexCheck): check is PropertyCheck | IdPrefixCheck | TextCheck {
  const isProperty = check instanceof PropertyCheck || check instanceof IdPrefixCheck;
  return isProperty || check instanceof TextCheck;
}

/** Returns the check of the texts that a condition searches; null if it has none. */
export function findTextCheck(test: VertexTest | null): TextCheck | null {
  return test?.checks.find((check) => check instanceof TextCheck) ?? null;
}

function isIds(check: VertexCheck): check is IdCheck {
  return check instanceof IdCheck;
}

/** Negation is written `[false, condition]` or `{ not: condition }`. */
function unwrapNot(condition: unknown): Negation {
  let { inner, isNegated, at } = unwrapNegation(condition);
  while (isPlainRecord(inner) && Object.hasOwn(inner, "not")) {
    if (Object.keys(inner).length > 1) {
      throw invalidArgument(
        "Invalid vertex condition: 'not'",
        inner,
        "nothing else beside `not`",
        at,
      );
    }
    const next = unwrapNegation((inner as { not: unknown }).not);
    inner = next.inner;
    isNegated = isNegated === next.isNegated;
    at += `.not${next.at}`;
  }
  return { inner, isNegated, at };
}

interface ConditionParts {
  readonly constraints: Constraint[];
  readonly rules: { readonly [K in RuleKind]?: RuleParts };
  readonly compounds: readonly CompoundParts[];
  readonly filter: unknown;
  readonly post: unknown;
}

/** Returns the parsed members of a condition, rules unparsed. */
function partsOf(store: GraphStore, condition: unknown): ConditionParts {
  const isIds = typeof condition === "string" || Array.isArray(condition) || isReference(condition);
  const members: [string, unknown][] = isIds
    ? [["id", condition]]
    : Object.entries(objectOf(condition));
  const constraints: Constraint[] = [];
  const rules: { [K in RuleKind]?: RuleParts } = {};
  const compounds: CompoundParts[] = [];
  const expressions: { filter?: unknown; post?: unknown } = {};
  for (const [name, value] of members) {
    if (value === undefined) continue;
    if (CONSTRAINTS.has(name)) {
      const constraint = constraintOf(store, name, value, isIds ? "" : `.${name}`);
      if (constraint !== null) constraints.push(constraint);
    } else if (name === "filter" || name === "post") expressions[name] = value;
    else if (name === "and" || name === "or") compounds.push({ name, members: value });
    else addRule(rules, name, value);
  }
  const { filter, post } = expressions;
  return { constraints, rules, compounds, filter, post };
}

function constraintOf(
  store: GraphStore,
  name: string,
  value: unknown,
  at: string,
): Constraint | null {
  try {
    return CONSTRAINTS.get(name)!(store, value);
  } catch (error) {
    throw atArgumentPath(error, at);
  }
}

/** Adds a member to a rule. Aliases and the rule may both be given, but each member only once. */
function addRule(rules: { [K in RuleKind]?: RuleParts }, name: string, value: unknown): void {
  if (name === "adjacent" || name === "traverse") {
    if (value !== null) addParts(rules, name, ruleParts(name, value));
    return;
  }
  const alias = ALIASES.get(name);
  if (alias === undefined) {
    throw invalidArgument(`Invalid vertex condition: '${name}'`, value, MEMBERS, step(name));
  }
  const [kind, member] = alias;
  addParts(rules, kind, { [member]: value, places: { [member]: `.${name}` } });
}

function addParts(rules: { [K in RuleKind]?: RuleParts }, kind: RuleKind, added: RuleParts): void {
  const known: RuleParts = rules[kind] ?? {};
  const places = { ...known.places, ...added.places };
  for (const member of Object.keys(added)) {
    if (member === "places" || !Object.hasOwn(known, member)) continue;
    const name = member as keyof RuleLocations;
    const fits = `one of both: it is at ${known.places?.[name]?.slice(1)}, too`;
    throw invalidArgument(`${kind} ${member} re-definition`, added[name], fits, places[name]);
  }
  rules[kind] = { ...known, ...added, places };
}

function objectOf(condition: unknown): object {
  if (condition === undefined || condition === null) return {};
  if (!isPlainRecord(condition)) {
    const fits = "an id, a list of ids, { type, property, ... }, or [false, <condition>]";
    throw invalidArgument("Invalid vertex condition", condition, fits);
  }
  return condition;
}
