// How vectors lie in the arenas `vectors` and `lists`. A space is all vectors of one length; its
// slots lie in slabs, one after the other, so that a scan reads memory from the first to the last
// byte. Pointers are word indexes; 0 means none.
//
//   space   in `lists`: words below                     one for each length there has been
//   slab    in `vectors`: 8 words, then equal slots     linked, in the order they were made
//   slot    8 words, then int8 x length             of named features, what features.ts says
//   ring    in `lists`: vertices whose vector was set or removed, the latest RING_WORDS of them
//
// A vector is never changed in place: a vertex gets another slot, and the old one is free at the
// commit, or once the index has let go of it. So who reads a vertex looks at its sequence only, and
// who reads slots as they lie looks at the ring afterwards: it names whoever may have been missed.

/** Words of a slot; kernels/vectors.wat knows them too. */
export const Slot = {
  /** 0: the slot is free, or only a way in the index. */
  Vertex: 0,
  /** Sum of the squares of the components. */
  Squares: 1,
  /** Bits of a float32; the next slot of a list where there is no vertex. */
  Scale: 2,
  /** 1/|v| of the components without scale, bits of a float32; 0 of a zero vector. */
  InverseNorm: 3,
  FingerprintLow: 4,
  FingerprintHigh: 5,
  /** Components; of named features their bytes, and `FEATURES`. */
  Length: 6,
  /** Its node in `links`. */
  Node: 7,
} as const;
export const SLOT_WORDS = 8;

export const Space = {
  Next: 0,
  /** As in its slots. */
  Length: 1,
  FirstSlab: 2,
  LastSlab: 3,
  FreeSlot: 4,
  /** Vertices that have a vector here. */
  Count: 5,
  /** Slots in all slabs. */
  Slots: 6,
  /** Block of its index; see index-layout.ts. */
  Index: 7,
} as const;
export const SPACE_WORDS = 16;

export const Slab = { Next: 0, Used: 1, Slots: 2 } as const;
export const SLAB_WORDS = 8;
/** Words of the smallest slab, and of the largest unless one slot needs more. */
export const SLAB_UNIT_WORDS = 2048;
export const MAX_SLAB_WORDS = 65_536;

/** A power of two. More writes than that during one scan, and it scans again. */
export const RING_WORDS = 16_384;

/** Beside a length: no kernel knows what lies there. */
const FEATURES = 0x8000_0000;

/** What slots of such vectors have as length. */
export function slotLength(bytes: number, isFeatures: boolean): number {
  return isFeatures ? (bytes | FEATURES) >>> 0 : bytes;
}

export function hasFeatures(length: number): boolean {
  return (length & FEATURES) !== 0;
}

/** Words of one slot of vectors of a length. */
export function strideOf(length: number): number {
  return SLOT_WORDS + (length & ~FEATURES) / 4;
}
