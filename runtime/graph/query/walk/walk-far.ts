// Traversal of a rule that follows several arcs: breadth first, so that each vertex is reached once
// and by the fewest arcs.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_ANY, D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import { HitSide, type HitSideNumber } from "../hits/hit-sink.js";
import type { ArcStack } from "../match/arc-stack.js";
import type { Repeat, VertexTest, WalkRule } from "../match/vertex-test.js";
import type { Level } from "./level.js";

/** Methods of the walker that the traversal uses. */
export interface WalkSteps {
  readonly isStopped: boolean;
  readonly stack: ArcStack;
  /** Pushes the matching arcs of the tail onto the stack; returns their end. */
  selectSide(rule: WalkRule, at: Level, side: HitSideNumber): number;
  /** Counts the arcs that were read, against the limits of the query. */
  spendVisited(at: Level): void;
  /** Tests the head of an arc on the stack, and collects nothing. */
  passesHead(test: VertexTest, at: Level, arc: number): boolean;
  /** Collects the arcs that the rule ends with; returns true if there are any. */
  matchEnds(rule: WalkRule, at: Level, from: number, end: number): boolean;
}

/** Sides of the tail, by direction. */
const SIDES: readonly (readonly HitSideNumber[])[] = (() => {
  const sides: HitSideNumber[][] = [];
  sides[D_OUT] = [HitSide.Out];
  sides[D_IN] = [HitSide.In];
  sides[D_ANY] = [HitSide.Out, HitSide.In];
  sides[D_BOTH] = [HitSide.Both];
  return sides;
})();

/**
 * Follows the arcs of a rule from the tail of a level.
 * @param endsAtFirst true if the first match is sufficient
 * @returns true if there is a match
 */
export function walkFar(
  steps: WalkSteps,
  rule: WalkRule,
  repeat: Repeat,
  at: Level,
  endsAtFirst: boolean,
): boolean {
  const { batch, reach } = at;
  const { level } = batch;
  let isMatched = false;
  reach.start(batch);
  for (let length = 1; length <= repeat.max; length++) {
    const count = reach.advance();
    if (count === 0) break;
    batch.level = level + length - 1;
    for (let position = 0; position < count; position++) {
      reach.load(position, batch);
      for (const side of SIDES[rule.arc.direction]!) {
        if (reachHeads(steps, rule, repeat, at, length, side)) isMatched = true;
        if (steps.isStopped || (isMatched && endsAtFirst)) return isMatched;
      }
    }
  }
  return isMatched;
}

/** Follows the arcs of one vertex on a side, the last ones of paths of a length. */
function reachHeads(
  steps: WalkSteps,
  rule: WalkRule,
  { min, max, through }: Repeat,
  at: Level,
  length: number,
  side: HitSideNumber,
): boolean {
  const { stack } = steps;
  const { batch, reach } = at;
  const from = stack.top;
  let end = steps.selectSide(rule, at, side);
  if (rule.filter !== null) end = rule.filter.filter(batch, stack.words, from, end);
  end = reach.keepNew(stack.words, from, end, length >= min);
  for (let arc = from; arc < end && length < max; arc += ARC_WORDS) {
    const isPassable = through === null || steps.passesHead(through, at, arc);
    if (isPassable) reach.add(batch, stack.words, arc);
  }
  const isMatched = length >= min && steps.matchEnds(rule, at, from, end);
  stack.top = from;
  steps.spendVisited(at);
  return isMatched;
}
