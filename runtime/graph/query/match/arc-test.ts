// Compiled arc filter: a few numbers that kernels compare with the words of an arc.
//
//   word 1   (word1 & mask) === want            relationship, modifier, flags
//   word 2   low <= key(word2) <= high          keys are defined in arc-value-test.ts
//            popcount(word2 ^ low) <= high      for M_LSH
//
// A comparison without a modifier has one range per kind of value and no specialized loop.

import { atArgumentPath, invalidArgument } from "../../model/invalid-argument.js";
import type { NameEnumeration } from "../../store/names.js";
import {
  type ArcLiteral,
  type ArcValueTest,
  arcValueTest,
  arcValueTests,
  MAX_KEY,
  MIN_KEY,
} from "./arc-value-test.js";
import { checkDynamic, dynamicTest, isArcRelative } from "./dynamic-value-test.js";

/** Loop that a kernel runs: no arc, every arc, by key, by key and range, or the general case. */
export const ArcTestKind = { Nothing: 0, Any: 1, Key: 2, Range: 3, General: 4 } as const;
export type ArcTestKindNumber = (typeof ArcTestKind)[keyof typeof ArcTestKind];

export type DirectionNumber = 0 | 1 | 2 | 3;

/** A parsed arc filter. */
export interface ArcFilterParts {
  readonly direction: DirectionNumber;
  /** Null for any. */
  readonly relationship: string | null;
  /** 0 for any. */
  readonly modifier: number;
  readonly isForwardOnly: boolean;
  /** `V_` code, 0 for none. */
  readonly comparison: number;
  readonly literal: ArcLiteral;
  /** Path of the literal within the filter. */
  readonly literalAt: string;
  readonly isNegated: boolean;
}

const MODIFIER_SHIFT = 8;
const MODIFIER_BITS = 0x1f;

const NO_VALUE_TEST: ArcValueTest = {
  ...{ flip: 0, fold: 0, low: MIN_KEY, high: MAX_KEY, isOutside: false, isPattern: false },
};

export class ArcTest {
  readonly parts: ArcFilterParts;
  readonly direction: DirectionNumber;
  kind: ArcTestKindNumber = ArcTestKind.Nothing;
  mask: number;
  want: number;
  flip = 0;
  fold = 0;
  low = 0;
  high = 0;
  isOutside = false;
  isPattern = false;
  readonly isNegated: boolean;
  /** True if values are compared with that of the previous arc; see `compareWith`. */
  readonly isDynamic: boolean;
  #literal: ArcLiteral;
  #hasUnknownName = false;
  /** Comparisons by modifier, if the filter names none; see `arcValueTests`. */
  #tests: readonly (ArcValueTest | null)[] | null = null;

  /** @throws QueryError invalid literal for the comparison */
  constructor(parts: ArcFilterParts) {
    this.parts = parts;
    this.direction = parts.direction;
    const { relationship, modifier, isForwardOnly } = parts;
    this.mask =
      (relationship === null ? 0 : 0xffff_0000) |
      (modifier === 0 ? 0 : 0xff00) |
      (isForwardOnly ? 1 : 0);
    this.want = (modifier << 8) | (isForwardOnly ? 1 : 0);
    this.isNegated = parts.isNegated;
    this.isDynamic = isArcRelative(parts.comparison);
    this.#literal = parts.literal;
    try {
      this.literal = parts.literal;
    } catch (error) {
      throw atArgumentPath(error, parts.literalAt);
    }
  }

  /** Operand of the comparison; 0 without one. */
  get literal(): ArcLiteral {
    return this.#literal;
  }

  /** @throws QueryError invalid literal for the comparison */
  set literal(literal: ArcLiteral) {
    const { modifier, comparison } = this.parts;
    if (this.isDynamic) {
      checkDynamic(comparison, literal);
      this.#literal = literal;
      return;
    }
    if (comparison === 0) this.#compare(NO_VALUE_TEST);
    else if (modifier === 0) this.#tests = arcValueTests(comparison, literal);
    else this.#compare(arcValueTest(modifier, comparison, literal));
    this.kind = this.#kind();
    this.#literal = literal;
  }

  /**
   * Sets the arc that a dynamic test compares with.
   * @param word1 word 1 of the arc that led to the vertex
   * @param bits value of that arc
   */
  compareWith(word1: number, bits: number): void {
    const { modifier, comparison } = this.parts;
    const value = dynamicTest(modifier, comparison, this.#literal, word1, bits);
    if (value !== null) this.#compare(value);
    const isComparable = value !== null && !this.#hasUnknownName;
    if (isComparable) this.kind = this.#kind();
    else this.kind = this.isNegated ? ArcTestKind.Any : ArcTestKind.Nothing;
  }

  #compare(value: ArcValueTest): void {
    this.flip = value.flip;
    this.fold = value.fold;
    this.low = value.low;
    this.high = value.high;
    this.isOutside = value.isOutside;
    this.isPattern = value.isPattern;
  }

  /**
   * Looks up the relationship. Required before each execution: its code may have been assigned
   * since the last one.
   */
  bind(relationships: NameEnumeration): void {
    const { relationship } = this.parts;
    if (relationship === null) return;
    const code = relationships.codeOf(relationship);
    this.want = (code << 16) | (this.want & 0xffff);
    this.#hasUnknownName = code === 0;
    if (code !== 0) this.kind = this.#kind();
    else this.kind = this.isNegated ? ArcTestKind.Any : ArcTestKind.Nothing;
  }

  /** @throws QueryError if there is no previous arc */
  refuseDynamic(at: string): void {
    if (!this.isDynamic) return;
    const { comparison } = this.parts;
    const text = "Invalid arc: there is no previous arc to compare with on this level";
    throw invalidArgument(text, comparison, "comparisons with a value: V_GT and its like", at);
  }

  /** True if the filter restricts nothing but the direction. */
  get isUnfiltered(): boolean {
    return this.mask === 0 && !this.isNegated && this.parts.comparison === 0;
  }

  /** Relationship code that every passing arc has, 0 for any. Valid once bound. */
  get relationship(): number {
    return this.isNegated || this.mask >= 0 ? 0 : this.want >>> 16;
  }

  /** Returns whether an arc passes; kernels inline this test. */
  matches(word1: number, word2: number): boolean {
    if (this.kind <= ArcTestKind.Any) return this.kind === ArcTestKind.Any;
    const isKey = (word1 & this.mask) === this.want;
    const tests = this.#tests;
    if (tests === null) return (isKey && isInside(this, word2)) !== this.isNegated;
    const test = tests[(word1 >>> MODIFIER_SHIFT) & MODIFIER_BITS] ?? null;
    return (isKey && test !== null && isInside(test, word2)) !== this.isNegated;
  }

  #kind(): ArcTestKindNumber {
    const hasValue = this.parts.comparison !== 0;
    if (this.#tests !== null) return ArcTestKind.General;
    if (this.mask === 0) return this.isNegated ? ArcTestKind.Nothing : ArcTestKind.Any;
    if (this.isNegated || this.isOutside || this.isPattern) return ArcTestKind.General;
    return hasValue ? ArcTestKind.Range : ArcTestKind.Key;
  }
}

function isInside(test: ArcValueTest, word2: number): boolean {
  if (test.isPattern) return bitCount(word2 ^ test.low) <= test.high !== test.isOutside;
  const key = word2 ^ ((word2 >> 31) & test.fold) ^ test.flip;
  return (key >= test.low && key <= test.high) !== test.isOutside;
}

function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  bits = (bits + (bits >>> 4)) & 0x0f0f_0f0f;
  return Math.imul(bits, 0x0101_0101) >>> 24;
}
