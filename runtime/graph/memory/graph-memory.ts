// All shared memory of one graph, as one thread sees it. Whoever makes a graph hands its
// `SharedGraphMemory` to the other threads; each attaches for itself.

import { randomUUID } from "node:crypto";
import { InternalError } from "../model/errors.js";
import {
  Arena,
  type ArenaMemory,
  FIRST_ARENA_WORDS,
  kernelMemory,
  MAX_ARENA_WORDS,
  plainMemory,
} from "./arena.js";
import { CommitClock } from "./commit-clock.js";
import { CommitRing } from "./commit-ring.js";
import {
  ARENAS,
  type ArenaName,
  CHUNKS_PER_ARENA,
  HEADER_WORDS,
  Header,
  KERNEL_SCRATCH_BYTES,
  KERNEL_THREADS,
  MAX_WORDS_PER_ARENA,
} from "./layout.js";
import { KERNEL_ADDRESSES, reserveAddressSpace } from "./reserve-address-space.js";

const SCRATCH_BYTES = KERNEL_SCRATCH_BYTES * KERNEL_THREADS;

/** What crosses threads: a graph's name and memory. */
export interface SharedGraphMemory {
  readonly name: string;
  /** Of this memory alone: the same graph in another process has another. */
  readonly id: string;
  /** Where its changes go on their way to the log; null: there is none. */
  readonly log: SharedLogMemory | null;
  /** Where values lie that are not in memory; null: there can be none. */
  readonly values: StorageLocation | null;
  /** In the order of `ARENAS`; others once the graph has moved. */
  readonly memories: ArenaMemory[];
  /** `Header.Moves` when these were its memories. */
  moves: number;
}

/** Folder of a graph, and whether it may be written to. */
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
  /** What other threads get: always of the memory that the graph is in. */
  readonly share: SharedGraphMemory;
  #generation = 0;

  constructor(share: SharedGraphMemory) {
    const { name, log, values } = share;
    this.share = share;
    this.name = name;
    this.values = values;
    this.log = log === null ? null : new CommitRing(log.ring, new CommitClock(log.clock));
    this.arenas = share.memories.map(
      (memory, id) => new Arena(id, memory, ARENAS[id] === "vectors" ? SCRATCH_BYTES : 0),
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
    this.refresh();
  }

  /** Makes the views again if an arena has grown; true if one had. */
  refresh(): boolean {
    const generation = Atomics.load(this.header.ints, Header.Generation);
    if (generation === this.#generation) return false;
    for (const arena of this.arenas) arena.refresh();
    this.#generation = generation;
    return true;
  }

  /** True once somebody has let the graph go, for all threads. */
  get isRemoved(): boolean {
    return Atomics.load(this.header.ints, Header.Erased) !== 0;
  }

  /**
   * Gives this thread's hold on the memory back, of a graph that nobody uses any more. What says
   * so, and who holds the mutex, stays.
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
   * Goes to other memory, in which everything lies where it did; see safepoint.ts.
   * @returns bytes of the memory that it was in
   */
  move(memories: readonly ArenaMemory[]): number {
    this.refresh();
    let bytes = 0;
    for (const arena of this.arenas) {
      if (!isMovable(arena)) continue;
      bytes += arena.words.byteLength;
      arena.move(memories[arena.id]!);
      this.share.memories[arena.id] = arena.memory;
    }
    this.share.moves = Atomics.load(this.header.ints, Header.Moves);
    return bytes;
  }
}

/** Those that stay: what says that a graph moves, and what threads know to be where it is. */
const STAYS: readonly ArenaName[] = ["header", "journal", "dirty", "locks"];

/** True for an arena that goes along when a graph moves. */
export function isMovable({ id }: Arena): boolean {
  return !STAYS.includes(ARENAS[id]!);
}

/**
 * Memory of a new, empty graph; `formatStore` fills it in.
 * @throws CapacityError where the process may not have so many addresses
 */
export function allocateGraphMemory(
  name: string,
  log: SharedLogMemory | null = null,
  values: StorageLocation | null = null,
): SharedGraphMemory {
  if (HEADER_WORDS > FIRST_ARENA_WORDS) throw new InternalError("the header never grows");
  const subject = `graph "${name}"`;
  const memories = reserveAddressSpace(subject, reservedBytes(ARENAS), () => ARENAS.map(memoryFor));
  return { name, id: randomUUID(), log, values, memories, moves: 0 };
}

/** @throws RangeError where the process may not have so many addresses */
export function memoryFor(arena: ArenaName): ArenaMemory {
  if (isKernelArena(arena)) return kernelMemory(arena === "vectors" ? SCRATCH_BYTES : 0);
  if (arena !== "dirty") return plainMemory(FIRST_ARENA_WORDS, MAX_WORDS_PER_ARENA[arena]);
  const marks = ARENAS.length * CHUNKS_PER_ARENA;
  return plainMemory(marks, marks);
}

function isKernelArena(arena: ArenaName): boolean {
  return arena === "outArcs" || arena === "inArcs" || arena === "vectors";
}

/** What addresses these take. */
export function reservedBytes(arenas: readonly ArenaName[]): number {
  return arenas.reduce((sum, arena) => {
    if (isKernelArena(arena)) return sum + KERNEL_ADDRESSES;
    return sum + (MAX_WORDS_PER_ARENA[arena] ?? (arena === "dirty" ? 0 : MAX_ARENA_WORDS)) * 4;
  }, 0);
}
