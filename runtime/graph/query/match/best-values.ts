// Narrows a test of arcs to those of a long run that may be among the best by value, so that few
// are copied and sorted. A sample of the run suffices: if `keep` arcs of it have at least some
// value, no arc below that value is among the `keep` best.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_OUT } from "../../model/constants.js";
import { MODIFIERS } from "../../model/modifiers.js";
import { type ArcFilterParts, ArcTest, ArcTestKind } from "./arc-test.js";
import { MAX_KEY, MIN_KEY } from "./arc-value-test.js";

/** Hits that a sink keeps, sorted by the values of arcs. */
export interface BestValues {
  readonly keep: number;
  readonly isDescending: boolean;
}

/** Maximum number of hits for which narrowing pays. */
export const MAX_BEST = 64;
/** Minimum number of arcs per hit: in shorter runs, narrowing takes longer than sorting. */
const MIN_PER_HIT = 64;
const MODIFIER_MASK = 0x1f00;
const ANY_ARC: ArcFilterParts = {
  direction: D_OUT,
  relationship: null,
  modifier: 0,
  isForwardOnly: false,
  comparison: 0,
  literal: 0,
  literalAt: "",
  isNegated: false,
};

export class BestArcs {
  /** Passes the arcs of one modifier that pass the test given to `narrow`. */
  readonly alike = new ArcTest(ANY_ARC);
  /** Passes those of them that may be among the best. */
  readonly best = new ArcTest(ANY_ARC);
  /** The largest keys of the sample, in descending order. */
  readonly #largest = new Int32Array(MAX_BEST);

  /**
   * Sets both tests. Call it within a seqlock read: the words may be torn.
   * @param run first word of the run
   * @returns false if the run is too short, or too few arcs of the sample pass
   */
  narrow(
    test: ArcTest,
    words: Uint32Array,
    run: number,
    length: number,
    { keep, isDescending }: BestValues,
  ): boolean {
    if (length < keep * MIN_PER_HIT || test.kind === ArcTestKind.General) return false;
    // About as many arcs belong to the sample as are left.
    const stride = Math.floor(Math.sqrt(length / keep)) * ARC_WORDS;
    const end = run + length * ARC_WORDS;
    this.#chooseModifier(test, words, run, end, stride);
    const { mask, want, flip, fold, low, high } = this.best;
    // Reverses the order of keys.
    const invert = isDescending ? 0 : -1;
    const largest = this.#largest;
    let count = 0;
    for (let arc = run; arc < end; arc += stride) {
      if ((words[arc + 1]! & mask) !== want) continue;
      const word2 = words[arc + 2]!;
      const key = word2 ^ ((word2 >> 31) & fold) ^ flip;
      if (key >= low && key <= high) count = insert(largest, count, keep, key ^ invert);
    }
    if (count < keep) return false;
    this.#bound(largest[keep - 1]! ^ invert, isDescending);
    return true;
  }

  /** Sets both tests to the modifier of the first passing arc of the sample. */
  #chooseModifier(
    { kind, mask, want, low, high }: ArcTest,
    words: Uint32Array,
    run: number,
    end: number,
    stride: number,
  ): void {
    let arc = run;
    while (arc < end && (words[arc + 1]! & mask) !== want) arc += stride;
    const modifier = arc < end ? words[arc + 1]! & MODIFIER_MASK : 0;
    const values = MODIFIERS[modifier >>> 8]?.kind;
    const isRange = kind === ArcTestKind.Range;
    for (const test of [this.alike, this.best]) {
      test.kind = isRange || test === this.best ? ArcTestKind.Range : ArcTestKind.Key;
      test.mask = mask | MODIFIER_MASK;
      test.want = want | modifier;
      test.flip = values === "uint" ? MIN_KEY : 0;
      test.fold = values === "float" ? MAX_KEY : 0;
      test.low = isRange ? low : MIN_KEY;
      test.high = isRange ? high : MAX_KEY;
    }
  }

  #bound(key: number, isDescending: boolean): void {
    const { best } = this;
    // 0 and -0 are equal but have different keys.
    const isFloat = best.fold !== 0;
    if (isDescending) best.low = isFloat && key === 0 ? Math.max(best.low, -1) : key;
    else best.high = isFloat && key === -1 ? Math.min(best.high, 0) : key;
  }
}

/** Inserts a key if it is one of the largest; returns how many there are. */
function insert(largest: Int32Array, count: number, keep: number, key: number): number {
  if (count === keep && key <= largest[keep - 1]!) return count;
  let at = Math.min(count, keep - 1);
  for (; at > 0 && largest[at - 1]! < key; at--) largest[at] = largest[at - 1]!;
  largest[at] = key;
  return Math.min(count + 1, keep);
}
