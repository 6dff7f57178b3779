// Layout of a graph in shared memory. Every arena is an array of 32-bit words; a reference is a
// word offset into a named arena, and 0 is the null reference.
//
//   HEADER    words below, then the state of each block allocator
//   JOURNAL   undo log: (arena, index, old word) for each word changed by the current mutation
//   DIRTY     one mark per arena and 16 KiB chunk: changed since the last snapshot, see `DirtyMark`
//   OUT, IN   4 words a vertex: {run pointer, degree, size class | flags << 8, hash index pointer}
//   SEQUENCE  2 words a vertex: seqlocks of {out side and vertex, in side}, odd while written
//   META      1 word a vertex: type code | flags << 8
//   RECORD    16 words a vertex, one cache line: id, times, owner and other attributes
//   *_ARCS    runs of 3-word arcs, and hash indexes of the long ones
//   IDS       UTF-8 of the ids, zero-padded to words       INDEX   hash tables of ids and strings
//   STRINGS   interned strings and serialized values       CELLS   property tables, packed cells
//   GROUPS    2 words a group of 32 vertices: {sequence, table of their properties in CELLS}
//   LISTS     enumerations, type lists                      EVENTS  heap of expiry times
//   LOCKS     vertex locks; like JOURNAL and DIRTY not part of a snapshot
//   VECTORS   slabs of equal slots, one vector each; the scratch memory of each kernel thread lies
//             in front of it and is not part of the arena
//   LINKS     nodes of the vector indexes: neighbors of each slot
//   VECTOR_SLOTS  1 word a vertex: slot of its vector; ends at the highest vertex that had one
//   TEXTS     segments of the text indexes; in front of them lies a pin for each reading thread
//   TEXT_VERSIONS  1 word a vertex: version of its indexed texts
//   TEXT_OWNERS    1 word for 4 words of STRINGS; see store/unique-values.ts
//
// An arc, seen from the vertex that owns the run:
//
//   word 0  the vertex at the other end
//   word 1  relationship << 16 | modifier << 8 | flags
//   word 2  value: bits of int32, uint32 or float32, depending on the modifier

import { MAX_ARENA_WORDS } from "./arena.js";

/**
 * Arena names, which snapshots store. New arenas are appended: older snapshots read them as empty,
 * all zeros including the allocator. The same holds for new header words.
 */
export const ARENAS = [
  "header",
  "journal",
  "dirty",
  "out",
  "in",
  "sequence",
  "meta",
  "record",
  "outArcs",
  "inArcs",
  "ids",
  "index",
  "strings",
  "groups",
  "cells",
  "lists",
  "events",
  "locks",
  "vectors",
  "vectorSlots",
  "links",
  "texts",
  "textVersions",
  "textOwners",
] as const;

export type ArenaName = (typeof ARENAS)[number];

/** Maximum number of vertices, which fill RECORD. */
const MAX_VERTICES = 2 ** 26;
/**
 * Maximum words of arenas that never need 4 GiB. Each arena reserves its maximum as address space,
 * which `ulimit -v` limits.
 */
export const MAX_WORDS_PER_ARENA: { readonly [A in ArenaName]?: number } = {
  header: 2 ** 14,
  journal: 2 ** 28,
  out: 4 * MAX_VERTICES,
  in: 4 * MAX_VERTICES,
  sequence: 2 * MAX_VERTICES,
  meta: MAX_VERTICES,
  groups: 2 * (MAX_VERTICES / 32),
  events: 2 * (MAX_VERTICES + 1),
  locks: 2 ** 26,
  vectorSlots: MAX_VERTICES,
  textVersions: MAX_VERTICES,
  textOwners: MAX_ARENA_WORDS >>> 2,
};

/**
 * How addresses are reserved for the arenas of a graph:
 *
 *   auto    1/32 of the maximum each; arenas are enlarged on demand, see enlargement.ts
 *   large   the maximum each, at once: 4 GiB, or 10 GiB for memory that WebAssembly can address
 *   small   128 MiB each, never more; no vectors
 */
export const MEMORY_SIZES = ["auto", "large", "small"] as const;
export type MemorySize = (typeof MEMORY_SIZES)[number];
const SMALL_ARENA_WORDS = 2 ** 25;
const FIRST_SHARE_SHIFT = 5;

/** Arenas that are never relocated: they coordinate it, or threads rely on their address. */
const STATIONARY: readonly ArenaName[] = ["header", "journal", "dirty", "locks"];

/** Returns true for an arena that moves along when a graph is relocated. */
export function isMovableArena(arena: ArenaName): boolean {
  return !STATIONARY.includes(arena);
}

/** Returns the maximum words of an arena. */
export function maxWords(arena: ArenaName, size: MemorySize): number {
  const limit = MAX_WORDS_PER_ARENA[arena] ?? MAX_ARENA_WORDS;
  return size === "small" ? Math.min(limit, SMALL_ARENA_WORDS) : limit;
}

/** Returns the maximum words of an arena of automatic size before it is enlarged. */
export function maxFirstWords(arena: ArenaName): number {
  const limit = maxWords(arena, "auto");
  return isMovableArena(arena) ? Math.ceil(limit / 2 ** FIRST_SHARE_SHIFT) : limit;
}

/**
 * Returns the words beyond which an arena should be enlarged. A quarter, because one mutation can
 * replace a block by another of up to twice its size.
 */
export function enlargeAboveWords(arena: ArenaName): number {
  return maxFirstWords(arena) / 4;
}

/** Offsets in the header; allocator states lie between `ALLOCATORS` and `ALLOCATORS_END`. */
export const Header = {
  /** Thread number of the writer, 0 if free; `WAITERS` is set while threads sleep on it. */
  Mutex: 0,
  /** Incremented when an arena grows: views must be recreated. */
  Generation: 1,
  /** Undo log entries of the current mutation. */
  UndoCount: 2,
  /** Highest vertex handle ever used, plus one; handle 0 is never used. */
  HandleEnd: 3,
  /** First handle of the free list, linked through `RecordWord.IdPointer`. */
  FreeHandle: 4,
  Order: 5,
  VirtualCount: 6,
  /** Arcs, low and high word. */
  Size: 7,
  SizeHigh: 8,
  /** Number of properties of all vertices. */
  PropertyCount: 9,
  /** Mutations since creation, low and high word. */
  OperationCount: 10,
  OperationCountHigh: 11,
  /** Why the graph is read-only, bits of `ReadonlyBy`; 0: writable. */
  Readonly: 12,
  /** Removal that a dead writer left unfinished, and its vertex or type; see recover.ts. */
  Unfinished: 13,
  UnfinishedSubject: 14,
  CreatedAt: 15,
  /** Seqlock of the id index: a miss is retried if an entry or table was moved or removed. */
  IndexSequence: 16,
  StringSequence: 17,
  /** Blocks in `lists`: name tables (store/names.ts), type lists (store/type-lists.ts). */
  Relationships: 18,
  Types: 19,
  Keys: 20,
  TypeLists: 21,
  /** Blocks in `index`: segment directories of the id index and of the string index. */
  IdSegments: 22,
  StringSegments: 23,
  StringCount: 24,
  /** Entries in the expiry heap, and whether the event processor is suspended. */
  EventCount: 25,
  EventsSuspended: 26,
  /** Events that the processor is handling now. */
  EventsRunning: 27,
  /** Number of the thread that writes a snapshot, 0 for none. */
  Saving: 28,
  SavedOperationCount: 29,
  SavedOperationCountHigh: 30,
  /** Queries executed and microseconds spent, for the status services. */
  QueryCount: 31,
  QueryTimeUs: 32,
  /** Vertex locks held by all threads. */
  LocksHeld: 33,
  /** Incremented when a vertex lock is released; waiting threads sleep on it. */
  LockReleases: 34,
  Erased: 35,
  ArcsForwardOnly: 36,
  EventsDone: 37,
  /** Second at which the last snapshot was completed. */
  SavedAt: 38,
  /** Undo log entries of a commit in progress: its writes are final, its sequences not yet even. */
  CommittedCount: 39,
  /** Written by readers that need a memory barrier. */
  Fence: 40,
  /** Last serial of a name or string; never decreases, so caches can detect reuse. */
  NameSerial: 41,
  StringSerial: 42,
  QueryTimeUsHigh: 43,
  /** Four words; see graph-identity.ts. */
  Identity: 44,
  /** Second of a failed save not yet followed by a successful one, else 0. */
  SaveFailedAt: 48,
  /** Number of vectors, and of writes and removals of vectors. */
  VectorCount: 50,
  VectorWrites: 51,
  /** Blocks in `lists`: the first vector space, and the ring of recent writes. */
  VectorSpaces: 52,
  VectorRing: 53,
  /** Incremented when all vectors and their indexes are removed at once. */
  VectorEpoch: 54,
  /** Second at which the `Unfinished` removal started. */
  UnfinishedAt: 55,
  /** Incremented when the code of an unused name is assigned to another name. */
  NameReuses: 56,
  /** Incremented by a batch before its commit. */
  Batches: 57,
  /** 1: arcs get M_TMC and M_TMM companion arcs, as with M_AUTOTM. */
  AutoArcTimes: 58,
  /** Block in `lists`: first descriptor of a property or id index. */
  PropertyIndexes: 59,
  /** Version of the content digest, 0: not maintained; four words; see content-digest.ts. */
  DigestVersion: 49,
  Digest: 60,
  /** Replica only: serial of the last transaction applied, low and high word; number applied. */
  InputSerial: 4032,
  InputSerialHigh: 4033,
  InputCount: 4034,
  /** One word per similarity setting; see similarity-settings.ts. */
  Similarity: 4035,
  /** Number of relocations times two; odd during a relocation; see safepoint.ts. */
  Moves: 4064,
  /** Bit set of the threads attached to the graph; `THREADS_WORDS` words. */
  Threads: 4065,
  /** Last generation of a vertex; never decreases, so caches can detect reuse. */
  VertexSerial: 4073,
  /** Version of the text that was changed last; see texts/text-layout.ts. */
  TextSerial: 4074,
  /** Blocks of `texts`: the vertices of the latest versions, and the text indexes. */
  TextRing: 4075,
  TextDirectory: 4076,
  /** Indexes of texts. */
  TextIndexCount: 4077,
  /** First segment that no index has any more, but that may still be read. */
  TextRetired: 4078,
  /** Raised when segments are retired; never goes back. */
  TextEpoch: 4079,
  /** 1: the graph was created with small memory. */
  IsSmall: 4080,
  /** Block in `lists`: first descriptor of a constraint. */
  Constraints: 4081,
  /** Block in `index`: segment directory of the unique values; its seqlock. */
  UniqueSegments: 4082,
  UniqueSequence: 4083,
  /** Arenas to enlarge, a bit each; bit 0: a relocation is in progress. See enlargement.ts. */
  Enlarging: 4084,
  /** Arenas for which the process may not reserve more addresses. */
  NotEnlarged: 4085,
  /** Stores attached to the graph since it was opened. */
  Stores: 4086,
  /** Checksum of the snapshot that the dirty marks refer to; see dirty-chunks.ts. */
  BaseChecksum: 4087,
  /** Block in `lists`: first name of vectors; see vectors/vector-root.ts. */
  VectorFields: 4088,
  /** Words of TEXT_OWNERS. */
  TextOwnersEnd: 4089,
  /** Mutations that were rolled back, in whole or in part. */
  Rollbacks: 4090,
  /** 1: a replica replaces the graph by the provider's, under the same name. */
  Replaced: 4091,
  /** `OperationCount` when a name last lost its code, low and high word. */
  NamesLost: 4092,
  NamesLostHigh: 4093,
  /** 1 while the mutation commits together with those of other graphs; see joint-commit.ts. */
  IsJoint: 4095,
} as const;
export const IDENTITY_WORDS = 4;
export const THREADS_WORDS = 8;

/** Each allocator has its state here; see block-allocator.ts. */
export const ALLOCATORS = 64;
export const ALLOCATOR_WORDS = 64;
export const AllocatorWord = {
  /** End of the allocated words. */
  End: 0,
  /** One list of free blocks per size class. */
  FreeLists: 1,
  /** Words of the holes whose memory was returned to the system. */
  ReleasedWords: 61,
  /** First hole: free words of any length; its words 0 and 1 are the next hole and the length. */
  Holes: 62,
  /** Words in free blocks and holes. */
  FreeWords: 63,
} as const;
/** End of the allocator states; header words added later follow. */
export const ALLOCATORS_END = 4032;
export const HEADER_WORDS = 4096;

/** Bit of the mutex word beside the thread number. */
export const WAITERS = 0x8000_0000 | 0;

/**
 * Words of OUT and IN, per vertex. Without a pointer there is no run, whatever the degree: a
 * terminal of forward-only arcs counts them but does not list them.
 */
export const SIDE_WORDS = 4;
export const Side = { Pointer: 0, Degree: 1, Class: 2, Index: 3 } as const;

export const SEQUENCE_WORDS = 2;

/**
 * Bits of `Header.Readonly`: set by a user (stored with the graph), for the whole system (until the
 * process ends), because the graph is a replica, because the data folder cannot be written.
 */
export const ReadonlyBy = { Graph: 1, System: 2, Replica: 4, Storage: 8 } as const;
export type ReadonlyBit = (typeof ReadonlyBy)[keyof typeof ReadonlyBy];

/** Flags in the second byte of META. An unused handle has none. */
export const VertexFlag = { Real: 1, Virtual: 2, HasProperties: 4, Expires: 8 } as const;

/** Words of RECORD, per vertex. */
export const RECORD_WORDS = 16;
export const RecordWord = {
  IdPointer: 0,
  IdBytes: 1,
  IdHash: 2,
  /** Unique per vertex that ever used the handle. */
  Generation: 3,
  /** Seconds since 1970: created, modified, expires (0xffffffff: never). */
  CreatedAt: 4,
  ModifiedAt: 5,
  ExpiresAt: 6,
  /** Rank coefficients as float32 bits. */
  C1: 7,
  C0: 8,
  /** Session that holds the vertex writable, 0 for none. */
  Owner: 9,
  /** Recursion depth of the owner, or number of readers. */
  LockCount: 10,
  /** Operation count at the last commit. */
  Operation: 11,
  OperationHigh: 12,
  /** Position in the list of its type. */
  TypePosition: 13,
  /** Position in the expiry heap, 0 if absent. */
  EventPosition: 14,
  PropertyCount: 15,
} as const;

export const ARC_WORDS = 3;
/** Word 1 of an arc without flags: distinguishes arcs between the same vertices. */
export const ARC_KEY_MASK = 0xffff_ff00;

/** Words of the smallest block in LISTS, for all its users. */
export const LIST_UNIT_WORDS = 16;

/**
 * Unit that a snapshot writes and checks: 16 KiB. Small enough that a moderate writer dirties few,
 * large enough that the marks stay in the CPU caches.
 */
export const CHUNK_SHIFT = 12;
export const CHUNK_WORDS = 1 << CHUNK_SHIFT;

/** States of a chunk: as in the last full snapshot; changed since the last save; changed before. */
export const DirtyMark = { Clean: 0, Changed: 1, Saved: 2 } as const;
export const CHUNKS_PER_ARENA = 2 ** 30 / CHUNK_WORDS;

/** Scratch bytes per thread in front of the vectors, and the number of threads. */
export const KERNEL_SCRATCH_BYTES = 160 * 1024;
/** Further scratch bytes per thread, for exact components; they follow those of all threads. */
export const EXACT_SCRATCH_BYTES = 32 * 1024;
/** Likewise for walks through an index; they follow those. */
export const WALK_SCRATCH_BYTES = 128 * 1024;
export const KERNEL_THREADS = 256;

/** Expiry time of a vertex that does not expire. */
export const NEVER = 0xffff_ffff;
