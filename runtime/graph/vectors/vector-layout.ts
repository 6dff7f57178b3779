// Memory layout of vectors in the arenas `vectors` and `lists`. A space contains all vectors of one
// length; its slots are contiguous in slabs, so a scan reads memory sequentially. Pointers are word
// offsets; 0 is the null pointer.
//
//   space   in `lists`: words below                     one for each length in use
//   slab    in `vectors`: 8 words, then equal slots     linked in order of creation
//   slot    8 words, then int8 x length             features: the format of features.ts; binary
//                                                   vectors: bits, padded to 16 bytes
//   tail    4 words at the end of a slot            only for precisions above int8
//   row     exact components                        one per slot, after the slots of the slab
//   ring    in `lists`: the latest RING_WORDS vertices whose vector was set or removed
//
// Vectors are immutable: a change assigns another slot to the vertex. The old slot is freed at the
// commit, or when the index releases it. A reader of a vertex therefore only checks the sequence of
// the vertex. A reader of slots checks the ring afterwards, which lists vertices it may have
// missed.

import { computeRowWords, hasExactRow, Precision } from "./precision.js";

/** Words of a slot; also known to kernels/vectors.wat. */
export const Slot = {
  /** 0: the slot is free, or only the index retains it. */
  Vertex: 0,
  /** Sum of the squares of the components. */
  Squares: 1,
  /** Scale as bits of a float32; in a slot without a vertex, the next slot of a list. */
  Scale: 2,
  /** Scale divided by the norm, for the cosine, as bits of a float32. */
  Factor: 3,
  FingerprintLow: 4,
  FingerprintHigh: 5,
  /** Length word: number of components, or of bytes of features, and bits for the kind. */
  Length: 6,
  /** Node of the slot in `links`. */
  Node: 7,
} as const;
export const SLOT_WORDS = 8;

/** Words of a tail; also known to kernels/vectors.wat. */
export const Tail = {
  /** Exact row of the slot. */
  Row: 0,
  /** Upper bound of the norm of the quantization error, divided by the scale: a float32. */
  Residual: 1,
  /** Sum of squares of the exact components: a float64. */
  Squares: 2,
} as const;
const TAIL_WORDS = 4;

export const Space = {
  Next: 0,
  /** Length word of the slots. */
  Length: 1,
  FirstSlab: 2,
  LastSlab: 3,
  FreeSlot: 4,
  /** Number of vertices with a vector in the space. */
  Count: 5,
  /** Number of slots in all slabs. */
  Slots: 6,
  /** Block of its index; see index-layout.ts. */
  Index: 7,
} as const;
export const SPACE_WORDS = 16;

export const Slab = { Next: 0, Used: 1, Slots: 2 } as const;
export const SLAB_WORDS = 8;
/** Size of the smallest slab, and of the largest unless a single slot needs more. */
export const SLAB_UNIT_WORDS = 2048;
export const MAX_SLAB_WORDS = 65_536;

/** Size of the ring, a power of two. A scan starts over after more writes than this. */
export const RING_WORDS = 16_384;

/** Bits of a length word: features, which kernels cannot compare, and precision. */
const FEATURES = 0x8000_0000;
const PRECISION_SHIFT = 29;
const PRECISION_MASK = 3;
/** Only in operations: the length stands for a sign index. */
const SIGNS = 0x1000_0000;
const LENGTH_MASK = 0x0fff_ffff;

/** Returns the length word of slots. */
export function slotLength(bytes: number, isFeatures: boolean, precision = 0): number {
  const kind = isFeatures ? FEATURES : precision << PRECISION_SHIFT;
  return (bytes | kind) >>> 0;
}

export function hasFeatures(length: number): boolean {
  return (length & FEATURES) !== 0;
}

/** Returns the length word that stands for a sign index in operations. */
export function signIndexLength(components: number): number {
  return components | SIGNS;
}

/** Returns whether the length word of an operation stands for a sign index. */
export function isSignIndex(length: number): boolean {
  return (length & SIGNS) !== 0;
}

/** Returns the number of components, or bytes of features, of a length word. */
export function countComponents(length: number): number {
  return length & LENGTH_MASK;
}

/** Returns the precision of a length word, as an offset in `PRECISIONS`. */
export function readPrecision(length: number): number {
  return hasFeatures(length) ? 0 : (length >>> PRECISION_SHIFT) & PRECISION_MASK;
}

/** Returns whether slots of a length word have a tail and a row. */
export function hasRow(length: number): boolean {
  return hasExactRow(readPrecision(length));
}

/** Returns whether slots of a length word hold binary vectors. */
export function hasBits(length: number): boolean {
  return readPrecision(length) === Precision.Binary;
}

/** Returns the size of a binary vector in words: kernels read 16 bytes at once. */
export function computeBitWords(components: number): number {
  return Math.ceil(components / 128) * 4;
}

/** Returns the size of a slot in words. */
export function computeStride(length: number): number {
  const components = countComponents(length);
  if (hasBits(length)) return SLOT_WORDS + computeBitWords(components);
  return SLOT_WORDS + components / 4 + (hasRow(length) ? TAIL_WORDS : 0);
}

/** Returns the length that kernels expect: components, or for binary vectors minus the bytes. */
export function computeKernelLength(length: number): number {
  const components = countComponents(length);
  return hasBits(length) ? -4 * computeBitWords(components) : components;
}

/** Returns the number of words per slot in a slab, including the row. */
export function computeSlabShare(length: number): number {
  return computeStride(length) + computeRowWords(countComponents(length), readPrecision(length));
}

/** Returns the tail of a slot. */
export function findTail(slot: number, components: number): number {
  return slot + SLOT_WORDS + components / 4;
}
