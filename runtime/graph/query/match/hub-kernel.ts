// Counts the arcs of long runs that pass a filter, four at a time: two WebAssembly functions that
// scripts/arc-kernels.mjs writes. They read the arena that they are bound to and nothing else; like
// every kernel they run between two looks at a sequence, and their caller has checked the run
// against the arena.

import { type ArenaMemory, instantiateKernel } from "../../memory/arena.js";
import { CODE } from "./.generated/hub.js";

/** Arcs of a run from which on the call is worth it. */
export const HIGH_DEGREE_ARCS = 16;

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
  return instantiateKernel(CODE, memory) as unknown as HubKernel;
}
