// A compiled arc filter: a few numbers that the kernels compare with the words of an arc.
//
//   word 1   (word1 & mask) === want                relationship, modifier, flags
//   word 2   low <= key(word2) <= high              key: the value as an int32 of the same order
//            popcount(word2 ^ low) <= high          for M_LSH
//
// The key of an int32 is itself, of a uint32 the word with its top bit flipped, of a float32 its
// bits, with all but the sign flipped for negative ones. All values so become one int32 range.

import type { Names } from "../store/names.js";

/** Which loop a kernel takes; from `Range` on the value counts. */
export const ArcTestKind = { Nothing: 0, Any: 1, Key: 2, Range: 3, General: 4 } as const;
export type ArcTestKindNumber = (typeof ArcTestKind)[keyof typeof ArcTestKind];

export type DirectionNumber = 0 | 1 | 2 | 3;

/** What a value test compares, as the key of the value. */
export interface ValueTest {
  /** XORed into the word: 0x80000000 for uint32, else 0. */
  readonly flip: number;
  /** XORed into negative words: 0x7fffffff for float32, else 0. */
  readonly fold: number;
  readonly low: number;
  readonly high: number;
  /** True if values outside of the range match. */
  readonly isOutside: boolean;
  /** True if `low` is a bit pattern and `high` the greatest distance from it. */
  readonly isPattern: boolean;
}

/** A parsed arc filter. */
export interface ArcFilterParts {
  readonly direction: DirectionNumber;
  /** Null for any. */
  readonly relationship: string | null;
  /** 0 for any. */
  readonly modifier: number;
  readonly isForwardOnly: boolean;
  readonly value: ValueTest | null;
  readonly isNegated: boolean;
}

export class ArcTest {
  readonly parts: ArcFilterParts;
  kind: ArcTestKindNumber;
  readonly mask: number;
  want: number;
  readonly flip: number;
  readonly fold: number;
  low: number;
  high: number;
  readonly isOutside: boolean;
  readonly isPattern: boolean;
  readonly isNegated: boolean;

  constructor(parts: ArcFilterParts) {
    this.parts = parts;
    const { relationship, modifier, isForwardOnly, value } = parts;
    this.mask =
      (relationship === null ? 0 : 0xffff_0000) |
      (modifier === 0 ? 0 : 0xff00) |
      (isForwardOnly ? 1 : 0);
    this.want = (modifier << 8) | (isForwardOnly ? 1 : 0);
    this.flip = value?.flip ?? 0;
    this.fold = value?.fold ?? 0;
    this.low = value?.low ?? 0;
    this.high = value?.high ?? 0;
    this.isOutside = value?.isOutside ?? false;
    this.isPattern = value?.isPattern ?? false;
    this.isNegated = parts.isNegated;
    this.kind = this.#kind();
  }

  get direction(): DirectionNumber {
    return this.parts.direction;
  }

  /**
   * Looks the relationship up. To be called before each execution: a name that nothing had
   * matches once it is used.
   */
  bind(relationships: Names): void {
    const { relationship } = this.parts;
    if (relationship === null) return;
    const code = relationships.codeOf(relationship);
    this.want = (code << 16) | (this.want & 0xffff);
    if (code !== 0) this.kind = this.#kind();
    else this.kind = this.isNegated ? ArcTestKind.Any : ArcTestKind.Nothing;
  }

  /** Whether an arc passes; the kernels spell out what this does. */
  matches(word1: number, word2: number): boolean {
    if (this.kind <= ArcTestKind.Any) return this.kind === ArcTestKind.Any;
    const isMatch = (word1 & this.mask) === this.want && this.#matchesValue(word2);
    return isMatch !== this.isNegated;
  }

  #matchesValue(word2: number): boolean {
    if (this.parts.value === null) return true;
    if (this.isPattern) return bitCount(word2 ^ this.low) <= this.high !== this.isOutside;
    const key = word2 ^ ((word2 >> 31) & this.fold) ^ this.flip;
    return (key >= this.low && key <= this.high) !== this.isOutside;
  }

  #kind(): ArcTestKindNumber {
    const { value, isNegated } = this.parts;
    if (this.mask === 0 && value === null) return isNegated ? ArcTestKind.Nothing : ArcTestKind.Any;
    if (isNegated || value?.isOutside || value?.isPattern) return ArcTestKind.General;
    return value === null ? ArcTestKind.Key : ArcTestKind.Range;
  }
}

export function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  bits = (bits + (bits >>> 4)) & 0x0f0f_0f0f;
  return Math.imul(bits, 0x0101_0101) >>> 24;
}
