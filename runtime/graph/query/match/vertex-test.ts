// Compiled vertex conditions and the walks within them: a tree of plain data that a `Walker`
// executes. Names and ids in it are looked up again before each execution, see `bindTest`.

import type { ArcProgram } from "../../evaluate/arc-program.js";
import type { VertexProgram } from "../../evaluate/vertex-program.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ArcTest } from "./arc-test.js";

/** What an index leads to. */
export interface IndexedCheck {
  /** Vertices among which all are that pass; null without an index, or for more than `limit`. */
  candidates(limit: number): readonly number[] | null;
  /** Which index that is, as an explanation shows it. */
  readonly label: string;
}

/** What a vertex must be, as far as it can be told without walking. */
export interface VertexCheck {
  /** Looks up what the check names. */
  bind(): void;
  passes(vertex: number): boolean;
  /** Moves the arcs whose heads pass to the front of a part of a stack; returns where they end. */
  filter(arcs: Uint32Array, from: number, end: number): number;
}

export interface VertexTest {
  readonly isNegated: boolean;
  /** True if checks and filter are all there is. */
  readonly isPlain: boolean;
  /** Cheap ones first. */
  readonly checks: readonly VertexCheck[];
  /** After the checks; null for none. */
  readonly filter: VertexProgram | null;
  /** After all else, whatever it found; null for none. */
  readonly post: VertexProgram | null;
  /** Must find something, collects nothing. */
  readonly adjacent: WalkRule | null;
  readonly traverse: WalkRule | null;
  /** The type that all must have, null if there is none. */
  readonly type: { readonly code: number } | null;
  /** The ids of which all must have one, null if there are none. */
  readonly ids: { readonly handles: readonly number[] } | null;
  /** Those of the checks that an index may help; all have to pass. */
  readonly indexed: readonly IndexedCheck[];
}

/** What becomes of the arcs of a level that match. */
export const Collect = { None: 0, Arcs: 1, Siblings: 2 } as const;
export type CollectNumber = (typeof Collect)[keyof typeof Collect];

export interface WalkRule {
  readonly arc: ArcTest;
  /** On arcs that pass the test; null for none. */
  readonly filter: ArcProgram | null;
  /** Null for any vertex. */
  readonly neighbor: VertexTest | null;
  readonly collect: CollectNumber;
  /** With `Siblings`: which arcs of the pair are collected; none when all are only scanned. */
  readonly siblings: ArcTest | null;
  /** What the walk counts as, whatever it finds; null for what it finds. */
  readonly assert: boolean | null;
}

/** Looks up all that a condition names. */
export function bindTest(test: VertexTest, store: GraphStore): void {
  for (const check of test.checks) check.bind();
  if (test.adjacent !== null) bindRule(test.adjacent, store);
  if (test.traverse !== null) bindRule(test.traverse, store);
}

export function bindRule(rule: WalkRule, store: GraphStore): void {
  rule.arc.bind(store.relationships);
  rule.siblings?.bind(store.relationships);
  if (rule.neighbor !== null) bindTest(rule.neighbor, store);
}
