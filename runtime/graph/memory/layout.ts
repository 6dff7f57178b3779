// Where everything of a graph lies in shared memory. Every arena is an array of 32-bit words;
// whatever refers to memory is a word index into a named arena, and 0 means none.
//
//   HEADER    words below, then the state of each block allocator
//   JOURNAL   (arena, index, old word) for each word that the mutation under way has changed
//   DIRTY     one mark per arena and 16 KiB: what changed since a snapshot last wrote it
//   OUT, IN   4 words a vertex: {run pointer, degree, size class | flags << 8, hash index pointer}
//   SEQUENCE  2 words a vertex: {out side and vertex itself, in side}, odd while being written
//   META      1 word a vertex: type code | flags << 8
//   RECORD    16 words a vertex, one cache line: id, times, owner, and what else is its own
//   *_ARCS    runs of 3-word arcs, and hash indexes of the long ones
//   IDS       UTF-8 of the ids, zero-padded to words       INDEX   hash tables of ids and strings
//   STRINGS   interned strings and serialised values       CELLS   property tables, packed cells
//   GROUPS    2 words a group of 32 vertices: {sequence, table of their properties in CELLS}
//   LISTS     enumerations, type lists                      EVENTS  heap of what expires
//   LOCKS     who holds which vertex; like JOURNAL and DIRTY no part of a snapshot
//   VECTORS   slabs of equal slots, one vector each; in front of them what each thread's kernels
//             work with, which is no part of the arena
//   LINKS     nodes of the indexes of vectors: which slots are near which
//   VECTOR_SLOTS  1 word a vertex: slot of its vector; reaches as far as there have been vectors
//
// One arc, seen from the vertex that its run belongs to:
//   word 0  the vertex at the other end
//   word 1  relationship << 16 | modifier << 8 | flags
//   word 2  value: bits of int32, uint32 or float32, as the modifier says

/**
 * A snapshot names its arenas. One that is added, at the end, is empty in graphs that were stored
 * before: all zeros, as is its allocator. So are words that are added to the header.
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
] as const;

export type ArenaName = (typeof ARENAS)[number];

/** Vertices that a graph can have: RECORD is full then. */
const MOST_VERTICES = 2 ** 26;
/**
 * Most words of arenas that never need 4 GiB. So much is reserved of each, in addresses: all that a
 * process has under `ulimit -v`.
 */
export const MAX_WORDS_PER_ARENA: { readonly [A in ArenaName]?: number } = {
  header: 2 ** 14,
  journal: 2 ** 28,
  out: 4 * MOST_VERTICES,
  in: 4 * MOST_VERTICES,
  sequence: 2 * MOST_VERTICES,
  meta: MOST_VERTICES,
  groups: 2 * (MOST_VERTICES / 32),
  events: 2 * (MOST_VERTICES + 1),
  locks: 2 ** 26,
  vectorSlots: MOST_VERTICES,
};

/** Words of the header; allocator states lie between `ALLOCATORS` and `ALLOCATORS_END`. */
export const Header = {
  /** Thread number of the writer, 0 when free; `WAITERS` is set when somebody sleeps on it. */
  Mutex: 0,
  /** Raised when an arena grows: views must be made again. */
  Generation: 1,
  /** Entries of the journal that the mutation under way has written. */
  JournalCount: 2,
  /** Highest vertex handle in use, plus one; handle 0 is never used. */
  HandleEnd: 3,
  /** First handle of the free list, linked through `RecordWord.IdPointer`. */
  FreeHandle: 4,
  Order: 5,
  VirtualCount: 6,
  /** Arcs, low and high word. */
  Size: 7,
  SizeHigh: 8,
  /** Properties of all vertices. */
  PropertyCount: 9,
  /** Mutations since the graph was made, low and high word. */
  OperationCount: 10,
  OperationCountHigh: 11,
  /** Who lets nobody change the graph, as `ReadonlyBy`; 0: it may be changed. */
  Readonly: 12,
  /** What a writer that died left to be finished, and of which vertex or type; see removals.ts. */
  Unfinished: 13,
  UnfinishedSubject: 14,
  CreatedAt: 15,
  /** Raised when an entry leaves an id index or a table moves; a miss is then looked up again. */
  IndexSequence: 16,
  StringSequence: 17,
  /** Blocks of `lists`: tables of names (store/names.ts), lists of types (store/type-lists.ts). */
  Relationships: 18,
  Types: 19,
  Keys: 20,
  TypeLists: 21,
  /** Blocks of `index`: segment tables of the id index and of the string index. */
  IdSegments: 22,
  StringSegments: 23,
  StringCount: 24,
  /** Vertices in the heap of events, and whether the processor may take them. */
  EventCount: 25,
  EventsSuspended: 26,
  /** Events that the processor is looking at just now. */
  EventsRunning: 27,
  /** Thread number of who writes a snapshot, 0 when nobody does. */
  Saving: 28,
  SavedOperationCount: 29,
  SavedOperationCountHigh: 30,
  /** Queries answered and microseconds spent, for the status services. */
  QueryCount: 31,
  QueryTimeUs: 32,
  /** Logical locks held, all threads together. */
  LocksHeld: 33,
  /** Raised whenever a logical lock is released; who waits for one sleeps on it. */
  LockReleases: 34,
  Erased: 35,
  ArcsForwardOnly: 36,
  EventsDone: 37,
  /** Second at which the last snapshot was complete. */
  SavedAt: 38,
  /** Journal entries of a commit under way: its writes are final, its sequences not yet even. */
  CommittedCount: 39,
  /** Written by readers where the processor needs a barrier. */
  Fence: 40,
  /** Given to each name and string that is defined; never goes back, so that caches can tell. */
  NameSerial: 41,
  StringSerial: 42,
  QueryTimeUsHigh: 43,
  /** Four words; see graph-identity.ts. */
  Identity: 44,
  /** Second at which a save failed that none has made good since, 0: all went well. */
  SaveFailedAt: 48,
  /** Vectors of all vertices, and how often one was set or removed. */
  VectorCount: 50,
  VectorWrites: 51,
  /** Blocks of `lists`: the first space of vectors, and the ring of the latest writes. */
  VectorSpaces: 52,
  VectorRing: 53,
  /** Raised when all vectors, and their indexes, go at once. */
  VectorEpoch: 54,
  /** Second at which the removal that is `Unfinished` was begun. */
  UnfinishedAt: 55,
  /** Raised when the code of a name that nothing carries is given to another one. */
  NameReuses: 56,
  /** Raised by a batch that is about to be committed. */
  Batches: 57,
  /** 1: arcs get M_TMC and M_TMM arcs beside them, as by M_AUTOTM. */
  AutoArcTimes: 58,
  /** Block of `lists`: the first descriptor of an index of properties or ids. */
  PropertyIndexes: 59,
  /** How the digest of the contents is made, 0: none is kept; four words; see content-digest.ts. */
  DigestVersion: 49,
  Digest: 60,
  /** Of a replica: serial of the last unit that was taken, low and high word; units taken. */
  InputSerial: 4032,
  InputSerialHigh: 4033,
  InputCount: 4034,
  /** A word for each setting of similarity; see similarity-settings.ts. */
  Similarity: 4035,
  /** How often the graph went to other memory, times two; odd while it may; see safepoint.ts. */
  Moves: 4064,
  /** A bit for each thread that has the graph. */
  Threads: 4065,
  /** Given to each vertex that is made; never goes back, so that caches can tell. */
  VertexSerial: 4073,
} as const;
export const IDENTITY_WORDS = 4;
export const THREADS_WORDS = 8;

/** Each allocator has a bump pointer and one free list per size class here. */
export const ALLOCATORS = 64;
export const ALLOCATOR_WORDS = 64;
/** End of what allocators have; behind it lie words for which there was no place before them. */
export const ALLOCATORS_END = 4032;
export const HEADER_WORDS = 4096;

/** Bit of the mutex word beside the thread number. */
export const WAITERS = 0x8000_0000 | 0;

/**
 * Words of OUT and IN, per vertex. Without a pointer there is no run to read, whatever the degree:
 * a terminal of forward-only arcs counts them, but does not list them.
 */
export const SIDE_WORDS = 4;
export const Side = { Pointer: 0, Degree: 1, Class: 2, Index: 3 } as const;

export const SEQUENCE_WORDS = 2;

/**
 * Bits of `Header.Readonly`: the graph itself, which is stored; until the process ends, the system;
 * what the graph is a replica of, since only that may change it; a log that takes nothing more.
 */
export const ReadonlyBy = { Graph: 1, System: 2, Replica: 4, Log: 8 } as const;
export type ReadonlyBit = (typeof ReadonlyBy)[keyof typeof ReadonlyBy];

/** Flags in the second byte of META. A handle that is not in use has none. */
export const VertexFlag = { Real: 1, Virtual: 2, HasProperties: 4, Expires: 8 } as const;

/** Words of RECORD, per vertex. */
export const RECORD_WORDS = 16;
export const RecordWord = {
  IdPointer: 0,
  IdBytes: 1,
  IdHash: 2,
  /** Differs for each vertex that the handle was ever used for. */
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
  /** Recursion of the owner, or number of readers. */
  LockCount: 10,
  /** Operation count at the last commit. */
  Operation: 11,
  OperationHigh: 12,
  /** Place in the list of its type. */
  TypePosition: 13,
  /** Place in the heap of events, 0 for none. */
  EventPlace: 14,
  PropertyCount: 15,
} as const;

export const ARC_WORDS = 3;
/** `word 1` of an arc without its flags: what tells arcs of one pair apart. */
export const ARC_KEY_MASK = 0xffff_ff00;
/** Flags in the low byte of word 1. */
export const ArcFlag = { ForwardOnly: 1 } as const;

/** Words of the smallest block in LISTS, for all who allocate there. */
export const LIST_UNIT_WORDS = 16;

/**
 * What a snapshot writes and checks as one piece: 16 KiB. So few are marked by a moderate writer
 * that the rest is soon copied, and so few marks there are that they stay in the caches.
 */
export const CHUNK_SHIFT = 12;
export const CHUNK_WORDS = 1 << CHUNK_SHIFT;
export const CHUNKS_PER_ARENA = 2 ** 30 / CHUNK_WORDS;

/** What each thread's kernels have in front of the vectors, and for how many threads. */
export const KERNEL_SCRATCH_BYTES = 160 * 1024;
export const KERNEL_THREADS = 256;

/** Nothing expires then. */
export const NEVER = 0xffff_ffff;
