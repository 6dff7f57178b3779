// Functions that add arcs to the result, stage them, or cull a level.

import { M_FLT, M_INT, M_UINT } from "../../model/constants.js";
import { valueBits } from "../../model/modifiers.js";
import type { Context, SyntheticArc } from "../context.js";
import {
  asNumber,
  Bits,
  isCondition,
  isInt,
  isReal,
  rawBits,
  toScore,
  type Value,
} from "../values.js";
import { type Argument, EFFECT, type FunctionRow, fixed } from "./row.js";

const MODIFIER_SHIFT = 8;
const KEPT_BITS = 0xffff_00ff;
const SLOT_MASK = 3;

/** Returns the current arc with another value, null for M_STAT; `undefined` keeps the value. */
function createArc({ arc, vertex, next }: Context, value: Argument): SyntheticArc | null {
  if (value === null) return null;
  const { side, level } = arc;
  const word1 = withModifierOf(arc.word1, value);
  const bits = value === undefined ? arc.bits : bitsOf(value);
  return { level, tail: vertex.handle, head: next.handle, word1, bits, side };
}

/** Returns word 1 of an arc with the modifier of a value's type. */
function withModifierOf(word1: number, value: Argument): number {
  if (value === undefined) return word1;
  return ((word1 & KEPT_BITS) | (modifierOf(value!) << MODIFIER_SHIFT)) >>> 0;
}

function modifierOf(value: Value): number {
  if (value instanceof Bits) return M_UINT;
  if (isInt(value)) return M_INT;
  return isReal(value) ? M_FLT : 0;
}

function bitsOf(value: Value): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value >>> 0;
  if (value instanceof Bits || isInt(value)) return Number(rawBits(value) & 0xffff_ffffn);
  return isReal(value) ? valueBits("float", asNumber(value)) : 0;
}

function collectArc(x: Context, value: Argument): number {
  const { arc, vertex, next } = x;
  const { collector } = x.run;
  if (collector === null || next.handle === 0) return -1;
  if (value === null) return 0;
  // As `createArc`, without allocating an object.
  const bits = value === undefined ? arc.bits : bitsOf(value);
  const word1 = withModifierOf(arc.word1, value);
  collector(arc.level, vertex.handle, next.handle, word1, bits, arc.side);
  return 1;
}

/** As `collect` in generated loops: takes an arc to `head` and a numeric value. */
export function collectNumber(
  { arc, vertex, run }: Context,
  head: number,
  word1: number,
  number: number,
  isReal: boolean,
): number {
  const { collector } = run;
  if (collector === null || head === 0) return -1;
  const isInteger = !isReal && Number.isSafeInteger(number);
  const modifier = isInteger ? M_INT : M_FLT;
  const bits = isInteger ? number >>> 0 : valueBits("float", number);
  const word = ((word1 & KEPT_BITS) | (modifier << MODIFIER_SHIFT)) >>> 0;
  collector(arc.level, vertex.handle, head, word, bits, arc.side);
  return 1;
}

function slotOf(value: Argument): number {
  return value === undefined || value === null ? 0 : Math.trunc(asNumber(value)) & SLOT_MASK;
}

function stageArc(x: Context, value: Argument, slot: Argument): number {
  if (x.run.collector === null || x.next.handle === 0) return -1;
  const arc = createArc(x, value);
  if (arc === null) return 0;
  x.run.staged[slotOf(slot)] = arc;
  return 1;
}

function unstageArc({ run }: Context, slot: Argument): number {
  if (run.collector === null) return -1;
  const at = slotOf(slot);
  if (run.staged[at] === null) return 0;
  run.staged[at] = null;
  return 1;
}

function commitArc({ run }: Context, slot: Argument): number {
  if (run.collector === null) return -1;
  const at = slotOf(slot);
  const arc = run.staged[at]!;
  if (arc === null) return 0;
  run.staged[at] = null;
  const { level, tail, head, word1, bits, side } = arc;
  run.collector(level, tail, head, word1, bits, side);
  return 1;
}

type Act = (x: Context, a: Argument, b: Argument) => number;

/** Declares a function and its conditional form, which returns the condition. */
function withConditional(
  name: string,
  maxArguments: number,
  doc: string,
  act: Act,
  need: "collect" | "commit",
) {
  const traits = { ...EFFECT, need };
  return [
    fixed(name, [0, maxArguments], "int", doc, act, traits),
    fixed(
      `${name}if`,
      [1, maxArguments + 1],
      "any",
      `(c, …): ${name} if c; returns c`,
      (x, c, a, b) => {
        if (isCondition(c!)) act(x, a, b);
        return c!;
      },
      traits,
    ),
  ];
}

/** Offers the vertex to the top-k of its level; see the walker. */
function recordCull(x: Context, score: Value, size: Value): number {
  const number = toScore(score);
  x.score = number;
  x.culled = number;
  x.cullSize = asNumber(size);
  return Number(number > 0);
}

export const COLLECT: readonly FunctionRow[] = [
  ...withConditional(
    "collect",
    1,
    "([value]): adds the arc to the result; returns 1",
    collectArc,
    "collect",
  ),
  ...withConditional(
    "stage",
    2,
    "([value[, slot]]): stages the arc; returns 1",
    stageArc,
    "collect",
  ),
  ...withConditional("unstage", 1, "([slot]): discards staged arcs", unstageArc, "commit"),
  ...withConditional("commit", 1, "([slot]): adds staged arcs to the result", commitArc, "commit"),
  fixed(
    "mcull",
    2,
    "int",
    "(score, k): keeps the top k vertices of the level",
    (x, a, k) => recordCull(x, a!, k!),
    { ...EFFECT, need: "cull" },
  ),
  fixed(
    "mcullif",
    3,
    "any",
    "(c, score, k): mcull if c; returns c",
    (x, c, a, k) => {
      if (isCondition(c!)) recordCull(x, a!, k!);
      return c!;
    },
    { ...EFFECT, need: "cull" },
  ),
];
