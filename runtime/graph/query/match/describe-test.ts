// Describes compiled conditions in explanations.

import type { ArcTest } from "./arc-test.js";
import type { CompoundTest, Repeat, VertexTest, WalkRule } from "./vertex-test.js";

/** By D_ constant. */
const DIRECTIONS = ["all", "in", "out", "mutual"];

/** Returns the arcs that a filter passes, such as `out arcs 'knows'`. */
export function describeArcs({ parts, direction }: ArcTest, of = direction): string {
  const { relationship, isNegated } = parts;
  const name = relationship === null ? "" : ` '${relationship}'`;
  return `${DIRECTIONS[of]} arcs${isNegated ? " except" : ""}${name}`;
}

/** Returns the number of arcs that a rule follows, such as `1 to 5 arcs, each vertex once`. */
export function describeRepeat({ min, max }: Pick<Repeat, "min" | "max">): string {
  const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  return `${range} arcs, each vertex once`;
}

/** Describes the tests of a condition, cheapest first. */
export function describeTest(test: VertexTest): string {
  const { checks, filter, post, adjacent, traverse, compounds, isNegated } = test;
  const parts = [
    ...checks.map((check) => check.describe()),
    ...(filter === null ? [] : ["filter"]),
    ...compounds.map(describeCompound),
    ...(adjacent === null ? [] : [`adjacent (${describeRule(adjacent)})`]),
    ...(traverse === null ? [] : [`traverse (${describeRule(traverse)})`]),
    ...(post === null ? [] : ["post"]),
  ];
  const text = parts.join(", ");
  return isNegated ? `not (${text})` : text;
}

export function describeCompound({ isAny, members }: CompoundTest): string {
  return `${isAny ? "any" : "all"} of (${members.map(describeTest).join("; ")})`;
}

/** Describes the arcs that a rule follows, and its tests. */
export function describeRule({ arc, repeat, filter, neighbor }: WalkRule): string {
  const parts = [
    describeArcs(arc),
    ...(repeat === null ? [] : [describeRepeat(repeat)]),
    ...(filter === null ? [] : ["filter"]),
    ...(repeat?.through ? [`through ${describeTest(repeat.through)}`] : []),
    ...(neighbor === null ? [] : [`neighbor ${describeTest(neighbor)}`]),
  ];
  return parts.join(", ");
}

/**
 * Returns one line per test of a condition, and per key of it that has no index; empty without a
 * condition.
 * @param isIndexed true if an index yields the candidates: missing indexes are then not listed
 */
export function explainTest(test: VertexTest | null, isIndexed = true): string[] {
  if (test === null) return [];
  const tested = `tested: ${describeTest(test)}`;
  const missing =
    isIndexed || test.isNegated ? [] : test.indexed.flatMap((check) => check.unindexed());
  return missing.length === 0 ? [tested] : [tested, `no index: ${missing.join(", ")}`];
}

/** Returns one line per part of a rule that starts at a known vertex. */
export function explainRule({ arc, repeat, filter, neighbor }: WalkRule): string[] {
  return [
    `${describeArcs(arc)} of one vertex`,
    ...(repeat === null ? [] : [describeRepeat(repeat)]),
    ...(filter === null ? [] : ["filter: tested for each arc"]),
    ...(repeat?.through ? [`through: ${describeTest(repeat.through)}`] : []),
    ...(neighbor === null ? [] : [`neighbor: ${describeTest(neighbor)}`]),
  ];
}
