// Position of a traversal for its expressions: the tail of the arcs, and the arc by which it was
// reached. Batches of hits implement it.

export interface WalkPosition {
  readonly tail: number;
  readonly level: number;
  /** `HitSide` of the arcs. */
  readonly side: number;
  /** Tail of the previous level, and words and side of the arc from there. */
  readonly prev: number;
  readonly prevWord1: number;
  readonly prevBits: number;
  readonly prevSide: number;
}
