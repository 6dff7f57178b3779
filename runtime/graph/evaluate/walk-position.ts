// Where a walk is, as its expressions see it: the tail of the arcs, and how that was reached. A
// batch of hits is such a place.

export interface WalkPosition {
  readonly tail: number;
  readonly level: number;
  /** `HitSide` of the arcs. */
  readonly side: number;
  /** Tail of the level before, and words and side of the arc from there. */
  readonly prev: number;
  readonly prevWord1: number;
  readonly prevBits: number;
  readonly prevSide: number;
}
