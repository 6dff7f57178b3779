// Enlargement: arenas of automatic size reserve few addresses at first. An arena that needs more
// sets its bit in `Header.Enlarging`; the next thread that is between two mutations or queries
// relocates it to memory that reserves all addresses the arena may ever need.
//
// Arenas of arcs and vectors are also enlarged when kernels would read them, which only memory of
// WebAssembly allows. Until then, slower loops do.

import { CapacityError } from "../model/errors.js";
import { setReleasedWords } from "./free-space.js";
import {
  allocateArenas,
  type GraphMemory,
  isEnlarged,
  isMovable,
  reservationFor,
} from "./graph-memory.js";
import { ARENAS, enlargeAboveWords, Header, WAITERS } from "./layout.js";
import {
  ARRIVAL_TIMEOUT_MS,
  arriveIfCalled,
  countThreads,
  hasThread,
  type Move,
  RELOCATING,
  type RelocatedMemories,
  relocateAtSafepoint,
} from "./safepoint.js";

const RETRY_MS = 100;
/** Maximum pause of all threads if an arena is half full. */
const URGENT_TIMEOUT_MS = 1000;

export class Enlargement {
  readonly #memory: GraphMemory;
  readonly #thread: number;
  readonly #move: Move;
  #retryAt = 0;

  /** @param move switches the only store of a graph that no thread tracks */
  constructor(memory: GraphMemory, thread: number, move: Move) {
    this.#memory = memory;
    this.#thread = thread;
    this.#move = move;
  }

  /** Enlarges arenas if requested. This thread must be between two mutations or queries. */
  run(): void {
    arriveIfCalled();
    const memory = this.#memory;
    memory.refresh();
    const requestedArenas = memory.arenas.filter(
      (arena) => isMovable(arena) && this.#isRequested(arena.id) && !isEnlarged(arena),
    );
    if (requestedArenas.length === 0) {
      this.#withdraw(this.#requested & ~RELOCATING);
      return;
    }
    if (performance.now() < this.#retryAt) return;
    const memories = this.#allocate(requestedArenas.map(({ id }) => id));
    if (memories === null) return;
    const isUrgent = requestedArenas.some(({ id, words }) => {
      return words.length > 2 * enlargeAboveWords(ARENAS[id]!);
    });
    const timeoutMs = isUrgent ? URGENT_TIMEOUT_MS : ARRIVAL_TIMEOUT_MS;
    if (this.#relocate(memories, timeoutMs)) this.#retryAt = 0;
    else this.#retryAt = performance.now() + (isUrgent ? URGENT_TIMEOUT_MS : RETRY_MS);
  }

  get #requested(): number {
    return Atomics.load(this.#memory.header.ints, Header.Enlarging);
  }

  #isRequested(arena: number): boolean {
    return (this.#requested & (1 << arena)) !== 0;
  }

  /** Returns null if the process may not reserve the addresses: kernels then stay unused. */
  #allocate(ids: readonly number[]): RelocatedMemories | null {
    const { name, arenas, header } = this.#memory;
    const reservations = ids.map((id) => reservationFor(ARENAS[id]!, "auto", true));
    try {
      const made = allocateArenas(`an arena of graph "${name}"`, reservations);
      return arenas.map(({ id }) => made[ids.indexOf(id)] ?? null);
    } catch (error) {
      if (!(error instanceof CapacityError)) throw error;
      const bits = ids.reduce((sum, id) => sum | (1 << id), 0);
      Atomics.or(header.ints, Header.NotEnlarged, bits);
      this.#withdraw(bits);
      return null;
    }
  }

  #relocate(memories: RelocatedMemories, timeoutMs: number): boolean {
    const memory = this.#memory;
    const { ints } = memory.header;
    const threads = countThreads(ints);
    const fill = (): boolean => this.#fill(memories);
    // The graph is published once the thread that opened it and the main thread track it.
    if (hasThread(memory, this.#thread)) {
      return threads > 1 && relocateAtSafepoint(memory, memories, fill, timeoutMs);
    }
    if (threads > 0 || Atomics.load(ints, Header.Stores) !== 1 || !fill()) return false;
    Atomics.add(ints, Header.Moves, 2);
    this.#move(memories);
    return true;
  }

  /** Copies the arenas; false if the owner of the mutex has died. */
  #fill(memories: RelocatedMemories): boolean {
    const { header, arenas } = this.#memory;
    const owner = Atomics.load(header.ints, Header.Mutex) & ~WAITERS;
    // This thread is between two mutations: it holds the mutex of a graph that only it sees.
    if (owner !== 0 && owner !== this.#thread) return false;
    this.#memory.refresh();
    for (const arena of arenas) {
      const memory = memories[arena.id] ?? null;
      if (memory === null) continue;
      arena.copyTo(memory, arena.words.length);
      setReleasedWords(this.#memory, arena, 0);
      this.#withdraw(1 << arena.id);
    }
    return true;
  }

  #withdraw(bits: number): void {
    Atomics.and(this.#memory.header.ints, Header.Enlarging, ~bits);
  }
}
