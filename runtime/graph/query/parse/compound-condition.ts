// Compiles `and` and `or` of a vertex condition. Members that consist of checks become checks of
// the condition itself, so that many vertices are tested at once; the walker tests all others.

import { invalidArgument } from "../../model/invalid-argument.js";
import { CompoundCheck } from "../match/vertex-checks.js";
import type { CompoundTest, VertexCheck, VertexTest, WalkRule } from "../match/vertex-test.js";

/** `and` or `or` as written. */
export interface CompoundParts {
  readonly name: "and" | "or";
  readonly members: unknown;
}

/** Compiled compounds of one condition; see `VertexTest`. */
export interface Compounds {
  readonly checks: VertexCheck[];
  readonly walked: CompoundTest[];
  readonly narrowing: CompoundTest[];
}

/** Returns a compiled member, null if any vertex passes. */
type CompileMember = (member: unknown, at: string) => VertexTest | null;

/**
 * @param budget members that are left to the whole condition
 * @throws QueryError if the members are no list, empty or too many
 */
export function compileCompounds(
  parts: readonly CompoundParts[],
  compile: CompileMember,
  budget: { members: number },
): Compounds {
  const compounds: Compounds = { checks: [], walked: [], narrowing: [] };
  for (const { name, members } of parts) {
    const conditions = requireMembers(name, members, budget);
    const tests = conditions.map((member, at) => compile(member, `.${name}[${at}]`));
    if (name === "and") addAll(compounds, tests);
    else addAny(compounds, tests);
  }
  return compounds;
}

function requireMembers(name: string, members: unknown, budget: { members: number }): unknown[] {
  if (!Array.isArray(members) || members.length === 0) {
    const text = `Invalid vertex condition: '${name}' must be a list of conditions`;
    throw invalidArgument(text, members, "at least one condition in [...]", `.${name}`);
  }
  budget.members -= members.length;
  if (budget.members < 0) {
    const text = "too many members of 'and' and 'or'";
    throw invalidArgument(text, members, "64 in all", `.${name}`);
  }
  return members;
}

/** Plain members add their checks; the others stay together. */
function addAll(compounds: Compounds, tests: readonly (VertexTest | null)[]): void {
  const others: VertexTest[] = [];
  for (const test of tests) {
    if (test === null) continue;
    if (test.isNegated || !hasOnlyChecks(test)) others.push(test);
    else {
      compounds.checks.push(...test.checks);
      compounds.narrowing.push(...test.narrowing);
    }
  }
  if (others.length > 0) add(compounds, makeCompound(false, others));
}

function addAny(compounds: Compounds, tests: readonly (VertexTest | null)[]): void {
  // A member that any vertex passes makes the whole compound pass.
  const members = tests.filter((test) => test !== null);
  if (members.length === tests.length) add(compounds, makeCompound(true, members));
}

function makeCompound(isAny: boolean, members: readonly VertexTest[]): CompoundTest {
  return { isAny, members, order: members.some(hasExpressions) ? null : [...members] };
}

function hasExpressions({ filter, post, adjacent, traverse, compounds }: VertexTest): boolean {
  if (filter !== null || post !== null) return true;
  const isInRule = (rule: WalkRule | null): boolean => {
    if (rule === null) return false;
    const { repeat, neighbor } = rule;
    const inner = [neighbor, repeat?.through ?? null];
    return rule.filter !== null || inner.some((test) => test !== null && hasExpressions(test));
  };
  if (isInRule(adjacent) || isInRule(traverse)) return true;
  return compounds.some(({ members }) => members.some(hasExpressions));
}

function add({ checks, walked, narrowing }: Compounds, compound: CompoundTest): void {
  narrowing.push(compound);
  if (compound.members.every(hasOnlyChecks)) checks.push(new CompoundCheck(compound));
  else walked.push(compound);
}

function hasOnlyChecks({ filter, post, adjacent, traverse, compounds }: VertexTest): boolean {
  const isWalking = adjacent !== null || traverse !== null || compounds.length > 0;
  return !isWalking && filter === null && post === null;
}
