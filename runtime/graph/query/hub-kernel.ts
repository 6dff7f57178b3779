// Counts the arcs of long runs that pass a filter, four at a time. One WebAssembly function, put
// together here from its instructions: too little for a second language in the build. It reads the
// arena that it is bound to and nothing else; like every kernel it runs between two looks at a
// sequence, and its caller has checked the run against the arena.
//
//   12 words, 4 arcs:   t0 k0 v0 t1 | k1 v1 t2 k2 | v2 t3 k3 v3
//   shuffled to         k0 k1 k2 k3   and   v0 v1 v2 v3

import { type ArenaMemory, instantiateKernel } from "../memory/arena.js";

/** Arcs of a run from which on the call is worth it. */
export const HUB_ARCS = 64;

/** Counts arcs, a multiple of four; the numbers are those of an `ArcTest`. */
export type HubKernel = (
  firstByte: number,
  arcs: number,
  mask: number,
  want: number,
  flip: number,
  fold: number,
  low: number,
  high: number,
) => number;

/** The kernel of one arena of arcs, for this thread. */
export function hubKernel(memory: ArenaMemory): HubKernel {
  return instantiateKernel(MODULE, memory) as HubKernel;
}

const I32 = 0x7f;
const V128 = 0x7b;
const PARAMETERS = 8;
const Local = {
  firstByte: 0,
  arcs: 1,
  mask: 2,
  want: 3,
  flip: 4,
  fold: 5,
  low: 6,
  high: 7,
  masks: 8,
  wants: 9,
  flips: 10,
  folds: 11,
  lows: 12,
  highs: 13,
  first: 14,
  second: 15,
  third: 16,
  values: 17,
  counts: 18,
} as const;
const VECTOR_LOCALS = 11;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const constant = (value: number): number[] => [0x41, value];
const simd = (...code: number[]): number[] => [0xfd, ...code];
const load = (offset: number): number[] => [...get(Local.firstByte), ...simd(0x00, 2, offset)];
const lane = (index: number): number[] => [...get(Local.counts), ...simd(0x1b, index)];
/** Four words out of two vectors: 0 to 3 of the first, 4 to 7 of the second. */
const shuffle = (...words: number[]): number[] =>
  simd(0x0d, ...words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)));
const splat = (from: number, to: number): number[] => [...get(from), ...simd(0x11), ...set(to)];

const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const AND = simd(0x4e);
const XOR = simd(0x51);
const EQUAL = simd(0x37);
const LESS_EQUAL = simd(0x3d);
const GREATER_EQUAL = simd(0x3f);
const SHIFT_RIGHT = simd(0xac, 0x01);
const SUBTRACT = simd(0xb1, 0x01);
const VOID_BLOCK = 0x40;

const BODY = [
  ...splat(Local.mask, Local.masks),
  ...splat(Local.want, Local.wants),
  ...splat(Local.flip, Local.flips),
  ...splat(Local.fold, Local.folds),
  ...splat(Local.low, Local.lows),
  ...splat(Local.high, Local.highs),
  ...[0x02, VOID_BLOCK], // block
  ...[...get(Local.arcs), 0x45, 0x0d, 0], // no arcs: leave
  ...[0x03, VOID_BLOCK], // loop
  ...[...load(0), ...set(Local.first)],
  ...[...load(16), ...set(Local.second)],
  ...[...load(32), ...set(Local.third)],
  // values = v0 v1 v2 v3, in the order of their keys
  ...[...get(Local.first), ...get(Local.second), ...shuffle(2, 5, 0, 0)],
  ...[...get(Local.third), ...shuffle(0, 1, 4, 7), ...set(Local.values)],
  ...[...get(Local.values), ...get(Local.values), ...constant(31), ...SHIFT_RIGHT],
  ...[...get(Local.folds), ...AND, ...XOR, ...get(Local.flips), ...XOR, ...set(Local.values)],
  // counts -= (k & masks) == wants  and  values >= lows  and  values <= highs   (true is -1)
  ...get(Local.counts),
  ...[...get(Local.first), ...get(Local.second), ...shuffle(1, 4, 7, 0)],
  ...[...get(Local.third), ...shuffle(0, 1, 2, 6)],
  ...[...get(Local.masks), ...AND, ...get(Local.wants), ...EQUAL],
  ...[...get(Local.values), ...get(Local.lows), ...GREATER_EQUAL, ...AND],
  ...[...get(Local.values), ...get(Local.highs), ...LESS_EQUAL, ...AND],
  ...[...SUBTRACT, ...set(Local.counts)],
  ...[...get(Local.firstByte), ...constant(48), I32_ADD, ...set(Local.firstByte)],
  ...[...get(Local.arcs), ...constant(4), I32_SUB, 0x22, Local.arcs],
  ...[0x0d, 0, 0x0b, 0x0b], // arcs left: again; end of loop and block
  ...[...lane(0), ...lane(1), I32_ADD, ...lane(2), I32_ADD, ...lane(3), I32_ADD],
  0x0b,
];

const text = (value: string): number[] => [value.length, ...Buffer.from(value, "latin1")];
const section = (id: number, content: readonly number[]): number[] => [
  id,
  ...unsigned(content.length),
  ...content,
];

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

const FUNCTION = [1, VECTOR_LOCALS, V128, ...BODY];
const MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, PARAMETERS, ...new Array(PARAMETERS).fill(I32), 1, I32]),
  // A shared memory of 1 to 65,536 pages.
  ...section(2, [1, ...text("svc"), ...text("arena"), 2, 3, 1, ...unsigned(65_536)]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("count"), 0, 0]),
  ...section(10, [1, ...unsigned(FUNCTION.length), ...FUNCTION]),
]);
