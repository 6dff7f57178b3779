// Parses `repeat` and `through` of a rule: how many arcs it follows, and over which vertices.

import { inMember, invalidArgument } from "../../model/invalid-argument.js";
import { Collect, type Repeat, type VertexTest, type WalkRule } from "../match/vertex-test.js";

const FORMS = "[1, 5], [2, 2], [1, null] for no limit";

/**
 * Returns the lengths that a rule follows; null for one arc.
 * @param through compiled condition on the vertices in between, null for any
 * @throws QueryError
 */
export function parseRepeat(
  repeat: unknown,
  through: VertexTest | null,
  at = ".repeat",
): Repeat | null {
  if (repeat === undefined || repeat === null) {
    if (through === null) return null;
    throw invalidArgument("through needs repeat", undefined, FORMS, at);
  }
  const [minimum, maximum, ...others] = Array.isArray(repeat) ? (repeat as unknown[]) : [];
  const max = maximum === null ? Number.POSITIVE_INFINITY : maximum;
  const isValid =
    Number.isSafeInteger(minimum) &&
    (max === Number.POSITIVE_INFINITY || Number.isSafeInteger(max)) &&
    (minimum as number) >= 1 &&
    (max as number) >= (minimum as number) &&
    others.length === 0;
  if (isValid) return { min: minimum as number, max: max as number, through };
  throw invalidArgument("repeat must be the least and the most arcs", repeat, FORMS, at);
}

/**
 * Returns a rule unchanged.
 * @param places path of each member of the rule
 * @throws QueryError if it follows several arcs, but a member of it requires single arcs
 */
export function checkRepeated(
  rule: WalkRule,
  places: { readonly [name: string]: string | undefined } = {},
): WalkRule {
  const { arc, filter, collect, repeat } = rule;
  if (repeat === null) return rule;
  const at = (name: string): string => places[name] ?? inMember(name);
  if (arc.isDynamic) {
    const text = "repeat compares no arc with the one before";
    throw invalidArgument(text, undefined, "a value without V_DYN", at("arc"));
  }
  if (filter?.isSynthetic === true) {
    const text = "repeat follows stored arcs only";
    throw invalidArgument(text, undefined, "a filter that collects nothing", at("filter"));
  }
  if (collect === Collect.Siblings) {
    const text = "repeat collects the arcs that it follows";
    throw invalidArgument(text, undefined, "true, false", at("collect"));
  }
  return rule;
}
