// Checks that the arc of a row still exists, for rows that may be outdated.

import { ARC_KEY_MASK } from "../../memory/layout.js";
import { SYNTHETIC } from "../../store/code-ranges.js";
import { HitSide } from "../hits/hit-sink.js";
import type { Row } from "./row.js";

export function arcExists({ store, side, tail, head, word1 }: Row): boolean {
  // A synthetic arc does not record which arcs it represents.
  if (word1 >>> 16 === SYNTHETIC) return store.vertices.isUsed(tail) && store.vertices.isUsed(head);
  const runs = side === HitSide.In ? store.inArcs : store.outArcs;
  const key = word1 & ARC_KEY_MASK;
  for (let attempt = 0; ; attempt++) {
    const seen = store.reader.enter(runs.side, tail, attempt);
    const isReadable = runs.covers(tail);
    const exists = isReadable && runs.find(tail, head, key) >= 0;
    if (store.reader.leave(runs.side, tail, seen) && isReadable) return exists;
  }
}
