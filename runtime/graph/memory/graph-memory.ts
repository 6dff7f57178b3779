// All shared memory of one graph, as seen by one thread. The creating thread passes
// `SharedGraphMemory` to the others, and each attaches to it.

import { randomUUID } from "node:crypto";
import { InternalError } from "../model/errors.js";
import {
  Arena,
  type ArenaMemory,
  createKernelMemory,
  createPlainMemory,
  FIRST_ARENA_WORDS,
  isKernelMemory,
  MAX_ARENA_WORDS,
} from "./arena.js";
import { CommitClock } from "./commit-clock.js";
import { CommitRing } from "./commit-ring.js";
import {
  ARENAS,
  type ArenaName,
  CHUNKS_PER_ARENA,
  EXACT_SCRATCH_BYTES,
  HEADER_WORDS,
  Header,
  isMovableArena,
  KERNEL_SCRATCH_BYTES,
  KERNEL_THREADS,
  type MemorySize,
  maxFirstWords,
  maxWords,
  WALK_SCRATCH_BYTES,
} from "./layout.js";
import { KERNEL_ADDRESSES, reserveAddressSpace } from "./reserve-address-space.js";

const SCRATCH_BYTES = KERNEL_SCRATCH_BYTES * KERNEL_THREADS;

/** Name and memory of a graph, as passed between threads. */
export interface SharedGraphMemory {
  readonly name: string;
  /** Identifies this memory: the same graph has a different id in another process. */
  readonly id: string;
  /** Ring and clock of the transaction log; null: changes are not logged. */
  readonly log: SharedLogMemory | null;
  /** Folder of external values; null: the graph cannot have any. */
  readonly values: StorageLocation | null;
  readonly size: MemorySize;
  /** In the order of `ARENAS`; replaced when the graph is relocated. */
  readonly memories: ArenaMemory[];
  /** `Header.Moves` at the time of `memories`. */
  moves: number;
}

/** Folder of a graph, and whether it is writable. */
export interface StorageLocation {
  readonly folder: string;
  readonly isWritable: boolean;
}

export interface SharedLogMemory {
  readonly ring: ArenaMemory;
  readonly clock: SharedArrayBuffer;
}

export class GraphMemory {
  readonly name: string;
  readonly log: CommitRing | null;
  readonly values: StorageLocation | null;
  readonly arenas: readonly Arena[];
  readonly header: Arena;
  readonly journal: Arena;
  readonly dirty: Arena;
  readonly out: Arena;
  readonly in: Arena;
  readonly sequence: Arena;
  readonly meta: Arena;
  readonly record: Arena;
  readonly outArcs: Arena;
  readonly inArcs: Arena;
  readonly ids: Arena;
  readonly index: Arena;
  readonly strings: Arena;
  readonly groups: Arena;
  readonly cells: Arena;
  readonly lists: Arena;
  readonly events: Arena;
  readonly locks: Arena;
  readonly vectors: Arena;
  readonly vectorSlots: Arena;
  readonly links: Arena;
  readonly texts: Arena;
  readonly textVersions: Arena;
  readonly textOwners: Arena;
  /** The current memory of the graph, for other threads. */
  readonly share: SharedGraphMemory;
  #generation = 0;

  constructor(share: SharedGraphMemory) {
    const { name, log, values } = share;
    this.share = share;
    this.name = name;
    this.values = values;
    this.log = log === null ? null : new CommitRing(log.ring, new CommitClock(log.clock));
    this.arenas = share.memories.map(
      (memory, id) => new Arena(id, memory, scratchBytes(ARENAS[id]!)),
    );
    const arena = (name: ArenaName): Arena => this.arenas[ARENAS.indexOf(name)]!;
    this.header = arena("header");
    this.journal = arena("journal");
    this.dirty = arena("dirty");
    this.out = arena("out");
    this.in = arena("in");
    this.sequence = arena("sequence");
    this.meta = arena("meta");
    this.record = arena("record");
    this.outArcs = arena("outArcs");
    this.inArcs = arena("inArcs");
    this.ids = arena("ids");
    this.index = arena("index");
    this.strings = arena("strings");
    this.groups = arena("groups");
    this.cells = arena("cells");
    this.lists = arena("lists");
    this.events = arena("events");
    this.locks = arena("locks");
    this.vectors = arena("vectors");
    this.vectorSlots = arena("vectorSlots");
    this.links = arena("links");
    this.texts = arena("texts");
    this.textVersions = arena("textVersions");
    this.textOwners = arena("textOwners");
    this.refresh();
  }

  /** Recreates the views if an arena has grown; returns true if one had. */
  refresh(): boolean {
    const generation = Atomics.load(this.header.ints, Header.Generation);
    if (generation === this.#generation) return false;
    for (const arena of this.arenas) arena.refresh();
    this.#generation = generation;
    return true;
  }

  /** True once the graph was removed, for all threads. */
  get isRemoved(): boolean {
    return Atomics.load(this.header.ints, Header.Erased) !== 0;
  }

  /** True for a removed graph in whose place a replica has received a graph of the same name. */
  get isReplaced(): boolean {
    return Atomics.load(this.header.ints, Header.Replaced) !== 0;
  }

  /** Call it before the graph is removed: open `Graph` objects then switch to its replacement. */
  markReplaced(): void {
    Atomics.store(this.header.ints, Header.Replaced, 1);
  }

  /**
   * Drops this thread's references to the memory of a graph that is no longer used. The header and
   * the arenas with the mutex and locks stay.
   * @returns number of bytes
   */
  leave(): number {
    this.refresh();
    let bytes = 0;
    for (const arena of this.arenas) {
      if (!isMovable(arena)) continue;
      bytes += arena.words.byteLength;
      arena.leave();
    }
    this.share.memories.length = 0;
    return bytes;
  }

  /**
   * Switches to relocated memory with the same content; see safepoint.ts.
   * @param memories null for each arena that stays
   * @returns bytes of the previous memory
   */
  move(memories: readonly (ArenaMemory | null)[]): number {
    this.refresh();
    let bytes = 0;
    for (const arena of this.arenas) {
      const memory = memories[arena.id] ?? null;
      if (memory === null) continue;
      bytes += arena.words.byteLength;
      arena.move(memory);
      this.share.memories[arena.id] = arena.memory;
    }
    this.share.moves = Atomics.load(this.header.ints, Header.Moves);
    return bytes;
  }

  /** Requests that an arena of automatic size is enlarged between two mutations or queries. */
  requestEnlargement(arena: Arena): void {
    if (this.share.size !== "auto" || !isMovable(arena) || isEnlarged(arena)) return;
    const { ints } = this.header;
    const bit = 1 << arena.id;
    const known = Atomics.load(ints, Header.Enlarging) | Atomics.load(ints, Header.NotEnlarged);
    if ((known & bit) === 0) Atomics.or(ints, Header.Enlarging, bit);
  }
}

/** Returns true for an arena that moves along when a graph is relocated. */
export function isMovable({ id }: Arena): boolean {
  return isMovableArena(ARENAS[id]!);
}

/** Returns whether all addresses that an arena may ever need are reserved. */
export function isEnlarged(arena: Arena): boolean {
  const name = ARENAS[arena.id]!;
  if (KERNEL_ARENAS.includes(name)) return isKernelMemory(arena.memory);
  return !isMovable(arena) || arena.capacity >= 2 * maxFirstWords(name);
}

/**
 * Allocates memory for a new, empty graph; `GraphStore.format` initializes it.
 * @throws CapacityError if the process may not reserve enough address space
 */
export function allocateGraphMemory(
  name: string,
  log: SharedLogMemory | null = null,
  values: StorageLocation | null = null,
  size: MemorySize = "auto",
  isLarge: (arena: ArenaName) => boolean = () => size === "large",
): SharedGraphMemory {
  if (HEADER_WORDS > FIRST_ARENA_WORDS) throw new InternalError("the header never grows");
  const reservations = ARENAS.map((arena) => reservationFor(arena, size, isLarge(arena)));
  const memories = allocateArenas(`graph "${name}"`, reservations);
  return { name, id: randomUUID(), log, values, size, memories, moves: 0 };
}

/** Arenas that WebAssembly kernels read. */
const KERNEL_ARENAS: readonly ArenaName[] = ["outArcs", "inArcs", "vectors"];

/** Addresses to reserve for an arena. */
export interface ArenaReservation {
  readonly arena: ArenaName;
  readonly maxWords: number;
  readonly isKernel: boolean;
}

/** @param isLarge true to reserve all addresses that the arena may ever need */
export function reservationFor(
  arena: ArenaName,
  size: MemorySize,
  isLarge: boolean,
): ArenaReservation {
  const isKernel = isLarge && size !== "small" && KERNEL_ARENAS.includes(arena);
  const isFirst = size === "auto" && !isLarge;
  return { arena, maxWords: isFirst ? maxFirstWords(arena) : maxWords(arena, size), isKernel };
}

/** Returns the bytes of address space of reservations. */
export function reservedBytes(reservations: readonly ArenaReservation[]): number {
  return reservations.reduce((sum, { arena, maxWords, isKernel }) => {
    if (isKernel) return sum + KERNEL_ADDRESSES;
    return sum + (arena === "dirty" ? 0 : maxWords * 4);
  }, 0);
}

/**
 * Allocates empty arenas.
 * @param subject subject of the error message
 * @throws CapacityError if the process may not reserve enough address space
 */
export function allocateArenas(
  subject: string,
  reservations: readonly ArenaReservation[],
): ArenaMemory[] {
  return reserveAddressSpace(subject, reservedBytes(reservations), () =>
    reservations.map(allocateArena),
  );
}

function allocateArena({ arena, maxWords, isKernel }: ArenaReservation): ArenaMemory {
  const scratch = scratchBytes(arena);
  if (isKernel) return createKernelMemory(scratch);
  if (arena !== "dirty") {
    const words = Math.min(maxWords + scratch / 4, MAX_ARENA_WORDS);
    return createPlainMemory(FIRST_ARENA_WORDS + scratch / 4, words);
  }
  const marks = ARENAS.length * CHUNKS_PER_ARENA;
  return createPlainMemory(marks, marks);
}

/** Scratch bytes in front of the words of an arena; each thread has its own section. */
function scratchBytes(arena: ArenaName): number {
  if (arena === "vectors") {
    return SCRATCH_BYTES + (EXACT_SCRATCH_BYTES + WALK_SCRATCH_BYTES) * KERNEL_THREADS;
  }
  return arena === "texts" ? SCRATCH_BYTES : 0;
}
