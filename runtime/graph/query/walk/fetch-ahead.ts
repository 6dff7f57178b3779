// Reads ahead where the next traversals start, so that their cache misses overlap.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_IN, D_OUT } from "../../model/constants.js";
import type { ArcTest } from "../match/arc-test.js";
import { GROUP, type Scanners } from "../match/run-scanner.js";

/**
 * At the first of each group of arcs, reads into the caches where their heads' runs start.
 * @param rule of the traversals from the heads of the arcs; null for none
 * @param from first arc of all
 */
export function fetchAhead(
  { outArcs, inArcs }: Scanners,
  rule: { readonly arc: ArcTest } | null,
  arcs: Uint32Array,
  from: number,
  arc: number,
  end: number,
): void {
  if (rule === null || (arc - from) % (GROUP * ARC_WORDS) !== 0 || end - from === ARC_WORDS) return;
  const { direction } = rule.arc;
  const stop = Math.min(arc + GROUP * ARC_WORDS, end);
  if (direction !== D_IN) outArcs.fetch(arcs, arc, stop, ARC_WORDS);
  if (direction !== D_OUT) inArcs.fetch(arcs, arc, stop, ARC_WORDS);
}
