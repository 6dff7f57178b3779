// Compiled vertex conditions and their traversals: a tree of plain data that a `Walker` executes.
// Names and ids in it are resolved before each execution, see `bindTest`.

import type { ArcProgram } from "../../evaluate/arc-program.js";
import type { VertexProgram } from "../../evaluate/vertex-program.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type ArcTest, ArcTestKind } from "./arc-test.js";

/** A check that an index can serve. */
export interface IndexedCheck {
  /**
   * Returns a superset of the matching vertices of a type (0: any); null without an index, or for
   * more than `limit`.
   */
  candidates(limit: number, type: number): readonly number[] | null;
  /** Returns the approximate number of those, whatever their types; null without an index. */
  estimate(): number | null;
  /** Name of the index in an explanation. */
  readonly label: string;
  /** Returns the tested keys that an index could serve, but that have none. */
  unindexed(): readonly string[];
}

/** Test of a vertex without traversal. */
export interface VertexCheck {
  /** Resolves names and ids. */
  bind(): void;
  /** Describes the test for explanations. */
  describe(): string;
  passes(vertex: number): boolean;
  /** Moves the arcs whose heads pass to the front of a range of the stack; returns their end. */
  filter(arcs: Uint32Array, from: number, end: number): number;
  /**
   * Writes the bits of the vertices that pass, of a number of property groups from the group of a
   * vertex on; only of checks of properties.
   */
  passingOf?(vertex: number, groups: number, into: Uint32Array): void;
}

/** Conditions of which all, or at least one, must be met. They collect nothing. */
export interface CompoundTest {
  readonly isAny: boolean;
  readonly members: readonly VertexTest[];
  /**
   * Members in the order of their tests. A member that decides the outcome moves forward, so that
   * frequently deciding members come first. Null if expressions depend on the order.
   */
  readonly order: VertexTest[] | null;
}

export interface VertexTest {
  readonly isNegated: boolean;
  /** True if there is nothing but checks and filter. */
  readonly isPlain: boolean;
  /** Cheapest first. */
  readonly checks: readonly VertexCheck[];
  /** Runs after the checks; null for none. */
  readonly filter: VertexProgram | null;
  /** Runs last, whatever the result; null for none. */
  readonly post: VertexProgram | null;
  /** Must find something; collects nothing. */
  readonly adjacent: WalkRule | null;
  readonly traverse: WalkRule | null;
  /** Type required of every match; null for any. */
  readonly type: { readonly code: number } | null;
  /** Ids that matches must be among; null for any. */
  readonly ids: { readonly handles: readonly number[] } | null;
  /** Checks that an index may serve; all have to pass. */
  readonly indexed: readonly IndexedCheck[];
  /** Compounds that only a traversal can test; the checks contain all others. */
  readonly compounds: readonly CompoundTest[];
  /** All compounds, as sources of candidates. */
  readonly narrowing: readonly CompoundTest[];
}

/** Which of its matching arcs a level collects. */
export const Collect = { None: 0, Arcs: 1, Siblings: 2 } as const;
export type CollectNumber = (typeof Collect)[keyof typeof Collect];

/** A rule that follows several arcs, one after another, and reaches each vertex once. */
export interface Repeat {
  /** Numbers of arcs; Infinity for no limit. */
  readonly min: number;
  readonly max: number;
  /** Condition on the vertices in between; null for any. */
  readonly through: VertexTest | null;
}

export interface WalkRule {
  readonly arc: ArcTest;
  /** Runs on arcs that pass the test; null for none. */
  readonly filter: ArcProgram | null;
  /** Null for any vertex. */
  readonly neighbor: VertexTest | null;
  readonly collect: CollectNumber;
  /** For `Siblings`: arcs of the pair to collect; null if arcs are only scanned. */
  readonly siblings: ArcTest | null;
  /** Overrides the outcome of the traversal; null to keep it. */
  readonly assert: boolean | null;
  /** Null to follow one arc. */
  readonly repeat: Repeat | null;
}

/** Resolves all names and ids of a condition. */
export function bindTest(test: VertexTest, store: GraphStore): void {
  for (const check of test.checks) check.bind();
  for (const { members } of test.compounds) for (const member of members) bindTest(member, store);
  if (test.adjacent !== null) bindRule(test.adjacent, store);
  if (test.traverse !== null) bindRule(test.traverse, store);
}

export function bindRule(rule: WalkRule, store: GraphStore): void {
  rule.arc.bind(store.relationships);
  rule.siblings?.bind(store.relationships);
  if (rule.neighbor !== null) bindTest(rule.neighbor, store);
  if (rule.repeat !== null && rule.repeat.through !== null) bindTest(rule.repeat.through, store);
}

/** Returns whether a rule, or one that it continues with, follows several arcs. */
export function isRepeated({ repeat, neighbor }: WalkRule): boolean {
  if (repeat !== null) return true;
  return neighbor !== null && neighbor.traverse !== null && isRepeated(neighbor.traverse);
}

/** Returns whether a rule collects every arc that its filter selects. */
export function collectsEachArc({ collect, neighbor, filter }: WalkRule): boolean {
  return collect === Collect.Arcs && neighbor === null && filter === null;
}

/** Returns the rule that a rule continues with, if it has no other effect; else null. */
export function onlyTraversal(rule: WalkRule, neighbor: VertexTest): WalkRule | null {
  const collectsNone = rule.collect === Collect.None || rule.siblings?.kind === ArcTestKind.Nothing;
  if (!collectsNone || neighbor.isNegated || neighbor.adjacent !== null) return null;
  return neighbor.post === null && neighbor.compounds.length === 0 ? neighbor.traverse : null;
}
