// Reads vertex conditions as queries write them, and compiles them. Everything may come from
// outside: keys are looked up in tables of our own, nesting is bounded.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { D_ANY } from "../../model/constants.js";
import { QueryError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { DirectionNumber } from "../match/arc-test.js";
import { IdCheck, IdPrefixCheck, PropertyCheck, TypeCheck } from "../match/vertex-checks.js";
import {
  bindTest,
  type VertexCheck,
  type VertexTest,
  type WalkRule,
} from "../match/vertex-test.js";
import { CONSTRAINTS, type Constraint, unwrapNegation } from "./constraints.js";
import type { VertexCondition } from "./query-options.js";
import {
  compileRule,
  isReference,
  type RuleKind,
  type RuleParts,
  ruleParts,
} from "./traverse-rule.js";

/** Levels of neighbor conditions below the outermost condition. */
const MAX_NESTING = 14;

/** Keys of a condition that are members of one of its rules. */
const ALIASES = new Map<string, readonly [RuleKind, keyof RuleParts]>([
  ["arc", ["traverse", "arc"]],
  ["neighbor", ["traverse", "neighbor"]],
  ["collect", ["traverse", "collect"]],
  ["assert", ["traverse", "assert"]],
  ["has_arc", ["adjacent", "arc"]],
  ["has_neighbor", ["adjacent", "neighbor"]],
]);

/** What holds for the outermost `traverse` unless it says otherwise. */
export interface ConditionOptions {
  readonly isCollected: boolean;
  /** Of its arcs where there is no filter on them. */
  readonly direction: DirectionNumber;
}

const NESTED: ConditionOptions = { isCollected: false, direction: D_ANY };

/**
 * A condition ready for use: `bindTest` it before each execution, it is bound once here. Null when
 * any vertex passes.
 * @throws QueryError what is not a vertex condition
 * @throws SearchError a name that nothing can have
 * @throws UnsupportedError similarity
 */
export function compileVertexCondition(
  store: GraphStore,
  expressions: ExpressionSet,
  condition: VertexCondition | undefined,
  options: ConditionOptions = NESTED,
): VertexTest | null {
  const test = compileTest(store, expressions, condition, options, 0);
  if (test !== null) bindTest(test, store);
  return test;
}

function compileTest(
  store: GraphStore,
  expressions: ExpressionSet,
  condition: unknown,
  { isCollected, direction }: ConditionOptions,
  nesting: number,
): VertexTest | null {
  if (nesting > MAX_NESTING) throw new QueryError("Vertex condition recursion limit reached");
  const { inner, isNegated } = unwrapNot(condition);
  const parts = partsOf(store, inner);
  const rule = (kind: RuleKind): WalkRule | null => {
    const members = parts.rules[kind];
    if (members === undefined) return null;
    const neighbor = compileTest(store, expressions, members.neighbor, NESTED, nesting + 1);
    const isAny = kind === "adjacent" || (members.arc !== undefined && members.arc !== null);
    const defaults = { direction: isAny ? D_ANY : direction, isCollected };
    return compileRule(store, expressions, members, neighbor, defaults);
  };
  const checks = parts.constraints.sort((a, b) => a.order - b.order).map(({ check }) => check);
  const filter = expressions.ofVertices(parts.filter, "local");
  const post = expressions.ofVertices(parts.post, "localPost");
  const adjacent = rule("adjacent");
  const traverse = rule("traverse");
  const isWalking = adjacent !== null || traverse !== null || post !== null;
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
  };
}

function isTypeNamed(check: VertexCheck): check is TypeCheck {
  return check instanceof TypeCheck && check.isEqual;
}

function isIndexed(check: VertexCheck): check is PropertyCheck | IdPrefixCheck {
  return check instanceof PropertyCheck || check instanceof IdPrefixCheck;
}

function isIds(check: VertexCheck): check is IdCheck {
  return check instanceof IdCheck;
}

/** Negation is written `[false, condition]` or `{ not: condition }`. */
function unwrapNot(condition: unknown): { inner: unknown; isNegated: boolean } {
  let { inner, isNegated } = unwrapNegation(condition);
  while (isPlainObject(inner) && Object.hasOwn(inner, "not")) {
    if (Object.keys(inner).length > 1) throw new QueryError("Invalid vertex condition: 'not'");
    const next = unwrapNegation((inner as { not: unknown }).not);
    inner = next.inner;
    isNegated = isNegated === next.isNegated;
  }
  return { inner, isNegated };
}

interface ConditionParts {
  readonly constraints: Constraint[];
  readonly rules: { readonly [K in RuleKind]?: RuleParts };
  readonly filter: unknown;
  readonly post: unknown;
}

/** The members of a condition, parsed except for its rules. */
function partsOf(store: GraphStore, condition: unknown): ConditionParts {
  const isIds = typeof condition === "string" || Array.isArray(condition) || isReference(condition);
  const members: [string, unknown][] = isIds
    ? [["id", condition]]
    : Object.entries(objectOf(condition));
  const constraints: Constraint[] = [];
  const rules: { [K in RuleKind]?: RuleParts } = {};
  const expressions: { filter?: unknown; post?: unknown } = {};
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const parse = CONSTRAINTS.get(name);
    if (parse !== undefined) {
      const constraint = parse(store, value);
      if (constraint !== null) constraints.push(constraint);
    } else if (name === "filter" || name === "post") expressions[name] = value;
    else addRule(rules, name, value);
  }
  const { filter, post } = expressions;
  return { constraints, rules, filter, post };
}

/** Adds what a key says about a rule; aliases and rule may both be given, but each member once. */
function addRule(rules: { [K in RuleKind]?: RuleParts }, name: string, value: unknown): void {
  if (name === "adjacent" || name === "traverse") {
    if (value !== null) addParts(rules, name, ruleParts(name, value));
    return;
  }
  const alias = ALIASES.get(name);
  if (alias === undefined) throw new QueryError(`Invalid vertex condition: '${name}'`);
  const [kind, member] = alias;
  addParts(rules, kind, { [member]: value });
}

function addParts(rules: { [K in RuleKind]?: RuleParts }, kind: RuleKind, added: RuleParts): void {
  const known: RuleParts = rules[kind] ?? {};
  for (const member of Object.keys(added)) {
    if (Object.hasOwn(known, member)) throw new QueryError(`${kind} ${member} re-definition`);
  }
  rules[kind] = { ...known, ...added };
}

function objectOf(condition: unknown): object {
  if (condition === undefined || condition === null) return {};
  if (!isPlainObject(condition)) throw new QueryError("Invalid vertex condition");
  return condition;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
