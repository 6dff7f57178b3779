// Functions of all arcs from one vertex to another. They return null except for the synthetic arc,
// which is evaluated after the arcs of a head.

import { arcSortValue } from "../../model/arc-number.js";
import { M_TMC, M_TMM, M_TMX } from "../../model/constants.js";
import { FLOAT_MODIFIER } from "../../model/modifiers.js";
import type { Context } from "../context.js";
import { asNumber, Bits, boxedReal, type Value } from "../values.js";
import { type Argument, type FunctionRow, fixed, variadic } from "./row.js";

const MAX_BITS = 64;
const TRAITS = { need: "synthetic" } as const;
/** Fully decayed below this factor. */
const MIN_DECAY = 1e-12;
const DECADES = Math.log(1e4);

/** Returns the code of a relationship given by name or code; 0 for any. */
function relationshipOf({ store }: Context, value: Argument): number {
  if (typeof value === "string") return store.relationships.codeOf(value) || -1;
  const code = asNumber(value ?? 0);
  return Number.isNaN(code) ? 0 : code;
}

/** Returns whether an arc has a relationship and a modifier; 0 for any. */
function isArc(word1: number, relationship: number, modifier: number): boolean {
  if (relationship !== 0 && word1 >>> 16 !== relationship) return false;
  return modifier === 0 || ((word1 >>> 8) & 0x1f) === modifier;
}

/** Returns word 1 and value word of each arc to the head; null outside of a synthetic arc. */
function components({ arc, run }: Context): readonly number[] | null {
  return arc.isSynthetic ? run.components : null;
}

function hasArc(words: readonly number[], relationship: number, modifier: number): boolean {
  for (let at = 0; at < words.length; at += 2) {
    if (isArc(words[at]!, relationship, modifier)) return true;
  }
  return false;
}

function componentValue(x: Context, relationship: Argument, modifier: Argument): Value {
  const words = components(x);
  if (words === null) return null;
  const code = relationshipOf(x, relationship);
  for (let at = 0; at < words.length; at += 2) {
    const word1 = words[at]!;
    if (!isArc(word1, code, asNumber(modifier ?? 0) || 0)) continue;
    const number = arcSortValue(word1, words[at + 1]!);
    return ((word1 >>> 8) & FLOAT_MODIFIER) !== 0 ? boxedReal(number) : number;
  }
  return null;
}

/** Packs tests into bits, the last one lowest. */
function packBits(tests: readonly boolean[]): Bits {
  let bits = 0n;
  for (const test of tests.slice(-MAX_BITS)) bits = (bits << 1n) | (test ? 1n : 0n);
  return new Bits(bits);
}

/** Returns the sum of the values after their decay, which starts at the last change. */
function computeDecay(
  x: Context,
  relationship: Argument,
  rateArgument: Argument,
  isExponential: boolean,
) {
  const words = components(x);
  if (words === null) return null;
  const code = relationshipOf(x, relationship);
  const times = new Map<number, number>();
  let sum = 0;
  let hasValue = false;
  for (let at = 0; at < words.length; at += 2) {
    const word1 = words[at]!;
    if (!isArc(word1, code, 0)) continue;
    const modifier = (word1 >>> 8) & 0x1f;
    const number = arcSortValue(word1, words[at + 1]!);
    if ((modifier & FLOAT_MODIFIER) === 0) times.set(modifier, number);
    else {
      sum += number;
      hasValue = true;
    }
  }
  const rate = rateArgument === undefined ? 0 : asNumber(rateArgument);
  return boxedReal(decayFactor(x, times, hasValue ? sum : rate > 0 ? 1 : 0, rate, isExponential));
}

function decayFactor(
  { run: { graph } }: Context,
  times: ReadonlyMap<number, number>,
  initial: number,
  statedRate: number,
  isExponential: boolean,
): number {
  const end = times.get(M_TMX);
  const changed = times.get(M_TMM) ?? times.get(M_TMC);
  const begin = changed ?? (statedRate > 0 && end !== undefined ? end - 1 / statedRate : graph.t0);
  const isOpen = end === undefined && !(statedRate > 0 && begin > graph.t0);
  const until = end ?? (isOpen ? Number.POSITIVE_INFINITY : begin + 1 / statedRate);
  const rate = statedRate > 0 ? statedRate : 1 / (until - begin);
  const age = graph.ts - begin;
  if (!isExponential) return initial - rate * initial * age;
  const left = Math.exp(-rate * DECADES * age);
  return left < MIN_DECAY ? 0 : initial * left;
}

export const SYNTHETIC: readonly FunctionRow[] = [
  fixed(
    "synarc.value",
    [0, 2],
    "any",
    "(rel, mod): value of an arc to the head; null if absent",
    componentValue,
    TRAITS,
  ),
  variadic(
    "synarc.hasrel",
    1,
    "any",
    "(...): one bit per relationship that exists; the last is the lowest",
    (x, args) => {
      const words = components(x);
      if (words === null) return null;
      return packBits(args.map((value) => hasArc(words, relationshipOf(x, value), 0)));
    },
    TRAITS,
  ),
  variadic(
    "synarc.hasmod",
    1,
    "any",
    "(...): one bit per modifier that exists; the last is the lowest",
    (x, args) => {
      const words = components(x);
      if (words === null) return null;
      return packBits(args.map((value) => hasArc(words, 0, asNumber(value) || 0)));
    },
    TRAITS,
  ),
  variadic(
    "synarc.hasrelmod",
    2,
    "any",
    "(rel, mod, ...): one bit per pair that exists; the last is the lowest",
    (x, args) => {
      const words = components(x);
      if (words === null) return null;
      const pairs = Array.from({ length: args.length >>> 1 }, (_, index) => index * 2);
      return packBits(
        pairs.map((at) => {
          return hasArc(words, relationshipOf(x, args[at]), asNumber(args[at + 1]!) || 0);
        }),
      );
    },
    TRAITS,
  ),
  fixed(
    "synarc.decay",
    [1, 2],
    "any",
    "(rel[, rate]): linearly decayed value (rate per second)",
    (x, a, b) => computeDecay(x, a, b, false),
    TRAITS,
  ),
  fixed(
    "synarc.xdecay",
    [1, 2],
    "any",
    "(rel[, rate]): exponentially decayed value",
    (x, a, b) => computeDecay(x, a, b, true),
    TRAITS,
  ),
];
