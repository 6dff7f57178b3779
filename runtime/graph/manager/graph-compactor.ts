// Gives memory back of graphs that were large and have become small: a truncated one, above all.

import { Backoff } from "../../base/backoff.js";
import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import type { Arena, ArenaMemory } from "../memory/arena.js";
import { isMovable, memoryFor, reservedBytes } from "../memory/graph-memory.js";
import { ARENAS, Header, SEQUENCE_WORDS } from "../memory/layout.js";
import { reserveAddressSpace } from "../memory/reserve-address-space.js";
import { hasThread, relocateAtSafepoint } from "../memory/safepoint.js";
import { CapacityError } from "../model/errors.js";
import { usedWords } from "../snapshot/stored-arenas.js";
import type { GraphStore } from "../store/graph-store.js";
import type { GraphRegistry, RegisteredGraph } from "./graph-registry.js";

const MEBIBYTE = 2 ** 20;
/** Less is not worth that all stand still. */
const LEAST_GAIN_BYTES = 64 * MEBIBYTE;
/** While all stand still so much is copied at most, in a few milliseconds. */
const MOST_USED_BYTES = 16 * MEBIBYTE;
/** Of its memory a graph uses one part in so many, or fewer. */
const LEAST_RATIO = 8;
const EVERY_MS = 1000;
const BACKOFF = { minMs: 1000, maxMs: 60_000 };

const REMEDY =
  "it gives memory back while no plugin keeps its thread busy, and the process may have more " +
  "addresses (`ulimit -v`)";

interface Wait {
  readonly backoff: Backoff;
  readonly until: number;
}

/** In the main thread, which every other one gets graphs from. */
export class GraphCompactor extends TimeSlicedTask {
  readonly #graphs: GraphRegistry;
  readonly #threads: () => readonly number[];
  readonly #log: LogLine;
  /** Graphs that could not be moved: a thread was busy, or there were no addresses. */
  readonly #waits = new WeakMap<GraphStore, Wait>();

  /** @param threads that are told of each graph; none of them may be about to take an old share */
  constructor(graphs: GraphRegistry, threads: () => readonly number[], log: LogLine) {
    super(EVERY_MS);
    this.#graphs = graphs;
    this.#threads = threads;
    this.#log = log;
  }

  /** Shrinks those that are worth it. */
  slice(): boolean {
    for (const graph of this.#graphs.all()) this.#lookAt(graph);
    return false;
  }

  #lookAt({ store }: RegisteredGraph): void {
    const gain = gainOf(store);
    if (gain === 0) return;
    const wait = this.#waits.get(store);
    if (wait !== undefined && performance.now() < wait.until) return;
    if (
      this.#threads().every((thread) => hasThread(store.memory, thread)) &&
      relocateGraph(store)
    ) {
      this.#waits.delete(store);
      this.#log(`graph "${store.name}" gave ${inMebibytes(gain)} of memory back`);
      return;
    }
    const { backoff } = wait ?? { backoff: new Backoff(BACKOFF) };
    const formerMs = backoff.delayMs;
    const delayMs = backoff.fail();
    this.#waits.set(store, { backoff, until: performance.now() + delayMs });
    if (delayMs !== BACKOFF.maxMs || formerMs === delayMs) return;
    this.#log(`${keeps(store, gain)}: ${REMEDY}`, "warn");
  }
}

function keeps({ name }: GraphStore, gain: number): string {
  return `graph "${name}" has kept ${inMebibytes(gain)} for a minute that it does not use`;
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}

/**
 * Moves a graph to memory of the size that it needs; the caller's thread must follow it.
 * @returns false if that can't be done now
 */
export function relocateGraph(store: GraphStore): boolean {
  const { memory } = store;
  const memories = newMemories(memory.arenas);
  if (memories === null) return false;
  return relocateAtSafepoint(memory, memories, () => {
    if (!isAtRest(memory.header.words)) return false;
    memory.refresh();
    const used = usedWordsOf(store);
    for (const arena of memory.arenas) {
      if (isMovable(arena)) arena.copyTo(memories[arena.id]!, used[arena.id]!);
    }
    return true;
  });
}

/** Bytes that a graph would give back; 0 if it is not to be moved. */
function gainOf(store: GraphStore): number {
  const { memory } = store;
  memory.refresh();
  const used = usedWordsOf(store);
  let usedBytes = 0;
  let bytes = 0;
  for (const arena of memory.arenas) {
    if (!isMovable(arena)) continue;
    usedBytes += used[arena.id]! * 4;
    bytes += arena.words.byteLength;
  }
  const gain = bytes - usedBytes;
  const isWorth = gain >= LEAST_GAIN_BYTES && usedBytes * LEAST_RATIO <= bytes;
  return isWorth && usedBytes <= MOST_USED_BYTES ? gain : 0;
}

/** Words that must be there afterwards, by arena. */
function usedWordsOf({ memory }: GraphStore): number[] {
  const used = usedWords(memory);
  used[ARENAS.indexOf("sequence")] = memory.header.words[Header.HandleEnd]! * SEQUENCE_WORDS;
  return used;
}

/** No thread has died in the midst of something, and nobody saves. */
function isAtRest(header: Uint32Array): boolean {
  const words = [Header.Mutex, Header.UndoCount, Header.CommittedCount, Header.Unfinished];
  return [...words, Header.Saving].every((word) => header[word] === 0);
}

/** Null where the process may not have so many addresses. */
function newMemories(arenas: readonly Arena[]): ArenaMemory[] | null {
  const movable = arenas.filter(isMovable).map(({ id }) => ARENAS[id]!);
  try {
    return reserveAddressSpace("a graph that moves", reservedBytes(movable), () =>
      arenas.map((arena) => (isMovable(arena) ? memoryFor(ARENAS[arena.id]!) : arena.memory)),
    );
  } catch (error) {
    if (error instanceof CapacityError) return null;
    throw error;
  }
}
