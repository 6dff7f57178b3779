// Selects the arcs of a vertex whose heads have one back: one for each pair.

import { ARC_WORDS } from "../../memory/layout.js";
import { type ArcStack, moveArc } from "../match/arc-stack.js";
import type { ArcTest } from "../match/arc-test.js";
import { ALL_ARCS, type Scanners } from "../match/run-scanner.js";
import type { Level } from "./level.js";

/** Pushes them onto the stack; returns their end. */
export function selectPairs(
  test: ArcTest,
  at: Level,
  stack: ArcStack,
  { outArcs, inArcs }: Scanners,
): number {
  const { returning, paired, batch } = at;
  const base = stack.top;
  returning.clear();
  const back = inArcs.select(batch.tail, test, stack, ALL_ARCS);
  for (let arc = base; arc < stack.top; arc += ARC_WORDS) returning.add(stack.words[arc]!);
  stack.top = base;
  const arcs = outArcs.select(batch.tail, test, stack, ALL_ARCS);
  at.visited = back + arcs + 1;
  paired.clear();
  const { words } = stack;
  let end = base;
  for (let arc = base; arc < base + arcs * ARC_WORDS; arc += ARC_WORDS) {
    const head = words[arc]!;
    if (returning.has(head) && paired.add(head)) end = moveArc(words, arc, end);
  }
  return end;
}
