// Compacts graphs that have become small, such as truncated ones.

import { Backoff } from "../../base/backoff.js";
import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { allocateArenas, isMovable, reservationFor } from "../memory/graph-memory.js";
import { ARENAS, enlargeAboveWords, Header, SEQUENCE_WORDS } from "../memory/layout.js";
import { hasThread, type RelocatedMemories, relocateAtSafepoint } from "../memory/safepoint.js";
import { usedWords } from "../memory/used-words.js";
import { CapacityError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { GraphRegistry, RegisteredGraph } from "./graph-registry.js";

const MEBIBYTE = 2 ** 20;
/** Minimum gain that justifies pausing all threads. */
const MIN_GAIN_BYTES = 64 * MEBIBYTE;
/** Maximum bytes copied while all threads pause, a few milliseconds. */
const MAX_USED_BYTES = 16 * MEBIBYTE;
/** A graph must use at most 1/8 of its memory. */
const MIN_RATIO = 8;
const EVERY_MS = 1000;
const BACKOFF = { minMs: 1000, maxMs: 60_000 };

const REMEDY =
  "compaction needs every plugin thread to be idle for a moment, and free address space " +
  "(`ulimit -v`)";

interface Wait {
  readonly backoff: Backoff;
  readonly until: number;
}

/** Runs in the main thread, which all other threads get graphs from. */
export class GraphCompactor extends TimeSlicedTask {
  readonly #graphs: GraphRegistry;
  readonly #threads: () => readonly number[];
  readonly #log: LogLine;
  /** Graphs that could not be relocated: a thread was busy, or address space was missing. */
  readonly #waits = new WeakMap<GraphStore, Wait>();

  /** @param threads threads that attach to graphs; none may be about to use an old share */
  constructor(graphs: GraphRegistry, threads: () => readonly number[], log: LogLine) {
    super(EVERY_MS);
    this.#graphs = graphs;
    this.#threads = threads;
    this.#log = log;
  }

  /** Relocates the graphs that are worth it. */
  slice(): boolean {
    for (const graph of this.#graphs.all()) this.#compactIfWorthwhile(graph);
    return false;
  }

  #compactIfWorthwhile({ store }: RegisteredGraph): void {
    const gain = compactionGain(store);
    if (gain === 0) return;
    const wait = this.#waits.get(store);
    if (wait !== undefined && performance.now() < wait.until) return;
    if (
      this.#threads().every((thread) => hasThread(store.memory, thread)) &&
      relocateGraph(store)
    ) {
      this.#waits.delete(store);
      this.#log(`graph "${store.name}": released ${formatMebibytes(gain)} of memory`);
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
  return `graph "${name}": ${formatMebibytes(gain)} of unused memory not released for 1 min`;
}

function formatMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}

/**
 * Relocates a graph to memory of the size that it needs. The caller's thread must be attached.
 * @returns false if that is not possible now
 */
export function relocateGraph(store: GraphStore): boolean {
  const { memory } = store;
  const memories = allocateMemories(store);
  if (memories === null) return false;
  return relocateAtSafepoint(memory, memories, () => {
    if (!isQuiescent(memory.header.words)) return false;
    memory.refresh();
    const used = wordsToCopy(store);
    for (const arena of memory.arenas) {
      if (isMovable(arena)) arena.copyTo(memories[arena.id]!, used[arena.id]!);
    }
    return true;
  });
}

/** Returns the bytes a relocation would free; 0 if it is not worth it. */
function compactionGain(store: GraphStore): number {
  const { memory } = store;
  memory.refresh();
  const used = wordsToCopy(store);
  let usedBytes = 0;
  let bytes = 0;
  for (const arena of memory.arenas) {
    if (!isMovable(arena)) continue;
    usedBytes += used[arena.id]! * 4;
    bytes += arena.words.byteLength;
  }
  const gain = bytes - usedBytes;
  const isWorth = gain >= MIN_GAIN_BYTES && usedBytes * MIN_RATIO <= bytes;
  return isWorth && usedBytes <= MAX_USED_BYTES ? gain : 0;
}

/** Returns the words to copy, by arena. */
function wordsToCopy({ memory }: GraphStore): number[] {
  const used = usedWords(memory);
  used[ARENAS.indexOf("sequence")] = memory.header.words[Header.HandleEnd]! * SEQUENCE_WORDS;
  return used;
}

/** Returns true if no thread has died in a mutation and none saves. */
function isQuiescent(header: Uint32Array): boolean {
  const words = [Header.Mutex, Header.UndoCount, Header.CommittedCount, Header.Unfinished];
  return [...words, Header.Saving].every((word) => header[word] === 0);
}

/** Returns null if the process may not reserve enough address space. */
function allocateMemories(store: GraphStore): RelocatedMemories | null {
  const { arenas, share } = store.memory;
  const used = wordsToCopy(store);
  const movable = arenas.filter(isMovable);
  const reservations = movable.map(({ id }) => {
    const name = ARENAS[id]!;
    const isLarge = share.size === "large" || used[id]! > enlargeAboveWords(name);
    return reservationFor(name, share.size, isLarge);
  });
  try {
    const made = allocateArenas("a graph that moves", reservations);
    return arenas.map((arena) => made[movable.indexOf(arena)] ?? null);
  } catch (error) {
    if (error instanceof CapacityError) return null;
    throw error;
  }
}
