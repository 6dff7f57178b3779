// Counts the arcs of long runs that pass a filter, four at a time. Two WebAssembly functions, put
// together here from their instructions: too little for a second language in the build. They read
// the arena that they are bound to and nothing else; like every kernel they run between two looks
// at a sequence, and their caller has checked the run against the arena.
//
//   12 words, 4 arcs:   t0 k0 v0 t1 | k1 v1 t2 k2 | v2 t3 k3 v3
//   shuffled to         k0 k1 k2 k3   and   v0 v1 v2 v3

import { type ArenaMemory, instantiateKernel } from "../../memory/arena.js";

/** Arcs of a run from which on the call is worth it. */
export const HUB_ARCS = 16;

/** Counts arcs, a multiple of four; the numbers are those of an `ArcTest`. */
export interface HubKernel {
  /** By relationship and modifier. */
  countKeys(firstByte: number, arcs: number, mask: number, want: number): number;
  /** By the value, too. */
  countRange(
    firstByte: number,
    arcs: number,
    mask: number,
    want: number,
    flip: number,
    fold: number,
    low: number,
    high: number,
  ): number;
}

/** The kernel of one arena of arcs, for this thread. */
export function hubKernel(memory: ArenaMemory): HubKernel {
  return instantiateKernel(MODULE, memory) as unknown as HubKernel;
}

const I32 = 0x7f;
const V128 = 0x7b;

/** Numbers of the locals: parameters, then vectors. */
const KEY_PARAMETERS = ["firstByte", "arcs", "mask", "want"];
const RANGE_PARAMETERS = ["flip", "fold", "low", "high"];
const KEY_VECTORS = ["masks", "wants", "first", "second", "third", "counts"];
const RANGE_VECTORS = ["flips", "folds", "lows", "highs", "values"];

const I32_ADD = 0x6a;
const I32_SUB = 0x6b;
const VOID_BLOCK = 0x40;
const constant = (value: number): number[] => [0x41, value];
const simd = (...code: number[]): number[] => [0xfd, ...code];
const SPLAT = simd(0x11);
const AND = simd(0x4e);
const XOR = simd(0x51);
const EQUAL = simd(0x37);
const LESS_EQUAL = simd(0x3d);
const GREATER_EQUAL = simd(0x3f);
const SHIFT_RIGHT = simd(0xac, 0x01);
const SUBTRACT = simd(0xb1, 0x01);
/** Four words out of two vectors: 0 to 3 of the first, 4 to 7 of the second. */
const shuffle = (...words: number[]): number[] =>
  simd(0x0d, ...words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte)));

/** The code of a function, its locals first. */
function countFunction(hasRange: boolean): number[] {
  const parameters = hasRange ? [...KEY_PARAMETERS, ...RANGE_PARAMETERS] : KEY_PARAMETERS;
  const vectors = hasRange ? [...KEY_VECTORS, ...RANGE_VECTORS] : KEY_VECTORS;
  const locals = [...parameters, ...vectors];
  const get = (local: string): number[] => [0x20, locals.indexOf(local)];
  const set = (local: string): number[] => [0x21, locals.indexOf(local)];
  const splat = (from: string): number[] => [...get(from), ...SPLAT, ...set(`${from}s`)];
  const load = (offset: number, to: string): number[] => [
    ...[...get("firstByte"), ...simd(0x00, 2, offset), ...set(to)],
  ];
  const lane = (index: number): number[] => [...get("counts"), ...simd(0x1b, index)];
  const inRange = [
    ...[...get("values"), ...get("lows"), ...GREATER_EQUAL, ...AND],
    ...[...get("values"), ...get("highs"), ...LESS_EQUAL, ...AND],
  ];
  // values = v0 v1 v2 v3, in the order of their keys
  const values = [
    ...[...get("first"), ...get("second"), ...shuffle(2, 5, 0, 0)],
    ...[...get("third"), ...shuffle(0, 1, 4, 7), ...set("values")],
    ...[...get("values"), ...get("values"), ...constant(31), ...SHIFT_RIGHT],
    ...[...get("folds"), ...AND, ...XOR, ...get("flips"), ...XOR, ...set("values")],
  ];
  const body = [
    ...[...splat("mask"), ...splat("want")],
    ...(hasRange ? RANGE_PARAMETERS.flatMap(splat) : []),
    ...[0x02, VOID_BLOCK, ...get("arcs"), 0x45, 0x0d, 0], // no arcs: leave the block
    ...[0x03, VOID_BLOCK], // loop
    ...[...load(0, "first"), ...load(16, "second"), ...load(32, "third")],
    ...(hasRange ? values : []),
    // counts -= (k & masks) == wants  and  values >= lows  and  values <= highs   (true is -1)
    ...get("counts"),
    ...[...get("first"), ...get("second"), ...shuffle(1, 4, 7, 0)],
    ...[...get("third"), ...shuffle(0, 1, 2, 6)],
    ...[...get("masks"), ...AND, ...get("wants"), ...EQUAL],
    ...(hasRange ? inRange : []),
    ...[...SUBTRACT, ...set("counts")],
    ...[...get("firstByte"), ...constant(48), I32_ADD, ...set("firstByte")],
    ...[...get("arcs"), ...constant(4), I32_SUB, 0x22, locals.indexOf("arcs")],
    ...[0x0d, 0, 0x0b, 0x0b], // arcs left: again; end of loop and block
    ...[...lane(0), ...lane(1), I32_ADD, ...lane(2), I32_ADD, ...lane(3), I32_ADD, 0x0b],
  ];
  return sized([1, vectors.length, V128, ...body]);
}

const sized = (content: readonly number[]): number[] => [...unsigned(content.length), ...content];
const text = (value: string): number[] => sized([...Buffer.from(value, "latin1")]);
const type = (parameters: number): number[] => [
  ...[0x60, parameters, ...new Array(parameters).fill(I32), 1, I32],
];

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

const MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, ...sized([2, ...type(4), ...type(8)])],
  // A shared memory of 1 to 65,536 pages.
  ...[2, ...sized([1, ...text("svc"), ...text("arena"), 2, 3, 1, ...unsigned(65_536)])],
  ...[3, ...sized([2, 0, 1])],
  ...[7, ...sized([2, ...text("countKeys"), 0, 0, ...text("countRange"), 0, 1])],
  ...[10, ...sized([2, ...countFunction(false), ...countFunction(true)])],
]);
