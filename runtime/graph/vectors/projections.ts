// Projections of euclidean vectors (locality-sensitive hashing): the fingerprint is split into
// keys, and each key identifies an anchor, a vertex to which items with similar fingerprints
// connect. This module computes ids and bits; anchors belong to a graph.

import { ValueError } from "../model/errors.js";
import { scratchBuffers } from "./scratch-buffers.js";
import type { VectorParts } from "./vector-parts.js";

/** Bits per key. */
export type ProjectionKeySize = 8 | 10 | 12;

/** Seeds of fingerprints; each seed has a set of anchors. */
export const PROJECTION_SEEDS: readonly number[] = [0, 1087, 1381, 1663, 1993, 2293, 2621, 2909];

/** By bits per key: distance between the first bits of adjacent keys, and number of keys. */
const KEY_LAYOUTS: Readonly<
  Record<ProjectionKeySize, { readonly step: number; readonly keys: number }>
> = {
  8: { step: 4, keys: 16 },
  10: { step: 5, keys: 12 },
  12: { step: 4, keys: 15 },
};
export const KEY_SIZES: readonly ProjectionKeySize[] = [8, 10, 12];

const FINGERPRINT_BITS = 64;
const WORD = 0xffff_ffffn;
/** A sum has low confidence if it has more than this number of bits fewer than the largest. */
const CONFIDENT_BITS = 4;

export interface ProjectionOptions {
  /** Seed of the set, one of `graph.sim.asDict().seeds`; default: the first. */
  readonly seed?: number;
  /** Fingerprint that replaces the one of the vector. */
  readonly lsh?: bigint;
  /** Low-confidence bits that replace those of the vector. */
  readonly lcm?: bigint;
  /** Omits keys with low-confidence bits. */
  readonly reduce?: boolean;
  /** Adds, for each low-confidence bit, the key with that bit flipped. */
  readonly expand?: boolean;
}

/** A vector's fingerprint, its low-confidence bits, and the ids of the anchors for both. */
export interface Projections {
  readonly lsh: bigint;
  readonly lcm: bigint;
  readonly anchors: string[];
}

/** Returns the number of anchors in a set. */
export function anchorCount(size: ProjectionKeySize): number {
  return KEY_LAYOUTS[size].keys << size;
}

/**
 * Returns the id of an anchor.
 * @param position position of the anchor in its set
 */
export function anchorId(position: number, seed: number): string {
  return `_${formatHex(position, 4)}|${formatHex(seed, 3)}`;
}

/** Returns the id of the vertex that leads to the anchors of a set. */
export function setId(seed: number): string {
  return `_|${formatHex(seed, 3)}`;
}

/**
 * Returns the anchors of a vector.
 * @throws ValueError invalid option, or a vector of features
 */
export function computeProjections(
  parts: VectorParts,
  size: ProjectionKeySize,
  options: ProjectionOptions = {},
): Projections {
  const { seed = 0, reduce = false, expand = false } = options;
  if (parts.isFeatures) throw new ValueError("projections are of vectors of numbers");
  const fingerprint = computeFingerprint(parts, seed);
  const lsh = requireFingerprint(options.lsh ?? fingerprint.lsh, "lsh");
  const lcm = requireFingerprint(options.lcm ?? fingerprint.lcm, "lcm");
  const { step, keys } = KEY_LAYOUTS[size];
  const anchors: string[] = [];
  for (let index = 0; index < keys; index++) {
    const mask = extractKey(lcm, step * index, size);
    if (reduce && mask !== 0) continue;
    const first = index << size;
    const key = extractKey(lsh, step * index, size);
    anchors.push(anchorId(first + key, seed));
    for (let bit = 1; expand && bit < 1 << size; bit <<= 1) {
      if (mask & bit) anchors.push(anchorId(first + (key ^ bit), seed));
    }
  }
  return { lsh, lcm, anchors };
}

/**
 * Returns the 32 fingerprint bits outside the key of an anchor: the value of its M_LSH arcs.
 * @throws ValueError the id is not an anchor's
 */
export function arcBits(id: string, size: ProjectionKeySize, lsh: bigint): number {
  const [, position] = /^_([0-9A-F]{4})\|[0-9A-F]{3}$/.exec(id) ?? [];
  const index = Number.parseInt(position ?? "", 16) >> size;
  if (position === undefined || index >= KEY_LAYOUTS[size].keys) {
    throw new ValueError(`'${id}' is no anchor of projections of ${size} bits`);
  }
  const start = (index * KEY_LAYOUTS[size].step + size) % FINGERPRINT_BITS;
  return Number(rotateRight(requireFingerprint(lsh, "lsh"), start) & WORD);
}

/** Returns the signs of 64 weighted sums, and marks sums that are too small to be reliable. */
function computeFingerprint({ bytes }: VectorParts, seed: number): { lsh: bigint; lcm: bigint } {
  if (bytes.length === 0) throw new ValueError("the null vector has no projections");
  const sums = scratchBuffers().sums(bytes, BigInt(seed));
  const union = sums.reduce((union, sum) => union | Math.abs(sum), 1);
  const shift = Math.max(0, 31 - Math.clz32(union) - CONFIDENT_BITS);
  let lsh = 0n;
  let lcm = 0n;
  for (const sum of sums) {
    lsh = (lsh << 1n) | BigInt(sum < 0);
    lcm = (lcm << 1n) | BigInt(Math.abs(sum) >> shift === 0);
  }
  return { lsh: lsh === 0n ? BigInt.asUintN(FINGERPRINT_BITS, -1n) : lsh, lcm };
}

function extractKey(value: bigint, start: number, size: ProjectionKeySize): number {
  return Number(rotateRight(value, start) & WORD) & ((1 << size) - 1);
}

/** Rotates right by a number of bits. */
function rotateRight(value: bigint, by: number): bigint {
  const rest = value << BigInt(FINGERPRINT_BITS - by);
  return BigInt.asUintN(FINGERPRINT_BITS, (value >> BigInt(by)) | rest);
}

function requireFingerprint(value: bigint, name: string): bigint {
  if (typeof value === "bigint" && BigInt.asUintN(FINGERPRINT_BITS, value) === value) return value;
  throw new ValueError(`${name} must be a bigint of 0 to 2^64 - 1`);
}

function formatHex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}
