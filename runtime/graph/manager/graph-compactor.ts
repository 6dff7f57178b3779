// Compacts graphs that have become small, truncated or nearly emptied.

import { Backoff } from "../../base/backoff.js";
import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import type { Arena, ArenaMemory } from "../memory/arena.js";
import { MIN_HOLE_WORDS } from "../memory/block-allocator.js";
import {
  countFreeWords,
  countReleasedWords,
  countWordsOutside,
  type FreeSpace,
  findFreeSpace,
  joinFreeSpace,
  setReleasedWords,
} from "../memory/free-space.js";
import {
  allocateArenas,
  type GraphMemory,
  isMovable,
  reservationFor,
} from "../memory/graph-memory.js";
import {
  ARC_WORDS,
  ARENAS,
  type ArenaName,
  enlargeAboveWords,
  Header,
  LIST_UNIT_WORDS,
  SEQUENCE_WORDS,
} from "../memory/layout.js";
import { hasThread, type RelocatedMemories, relocateAtSafepoint } from "../memory/safepoint.js";
import { usedWords } from "../memory/used-words.js";
import { CapacityError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { CELL_WORDS } from "../store/property-groups.js";
import { TEXT_UNIT_WORDS } from "../texts/text-layout.js";
import type { RegisteredGraph } from "./registered-graph.js";

const MEBIBYTE = 2 ** 20;
/** Minimum gain that justifies pausing all threads. */
const MIN_GAIN_BYTES = 64 * MEBIBYTE;
/** Maximum bytes copied while all threads pause: a few milliseconds, or 1/16 of the gain. */
const MAX_USED_BYTES = 16 * MEBIBYTE;
const MAX_USED_SHARE = 1 / 16;
/** Words of the smallest block, for each arena whose free space is joined. */
const UNIT_WORDS: { readonly [A in ArenaName]?: number } = {
  ids: 1,
  strings: 1,
  cells: CELL_WORDS,
  outArcs: ARC_WORDS,
  inArcs: ARC_WORDS,
  lists: LIST_UNIT_WORDS,
  texts: TEXT_UNIT_WORDS,
};
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

/** The graphs of the thread. */
interface AttachedGraphs {
  all(): readonly RegisteredGraph[];
}

/** Runs in the main thread, from which all other threads receive graphs. */
export class GraphCompactor extends TimeSlicedTask {
  readonly #graphs: AttachedGraphs;
  readonly #threads: () => readonly number[];
  readonly #log: LogLine;
  /** Graphs that could not be relocated: a thread was busy, or address space was missing. */
  readonly #waits = new WeakMap<GraphStore, Wait>();

  /** @param threads returns the threads that attach to graphs; none may still use an old share */
  constructor(graphs: AttachedGraphs, threads: () => readonly number[], log: LogLine) {
    super(EVERY_MS);
    this.#graphs = graphs;
    this.#threads = threads;
    this.#log = log;
  }

  /** Relocates the graphs of which enough memory would be released. */
  slice(): boolean {
    for (const graph of this.#graphs.all()) this.#compactIfWorthwhile(graph);
    return false;
  }

  #compactIfWorthwhile({ store }: RegisteredGraph): void {
    if (measureGain(store, estimateUse) === 0) return;
    const wait = this.#waits.get(store);
    if (wait !== undefined && performance.now() < wait.until) return;
    const gain = measureGain(store, measureUse);
    if (gain === 0) {
      // The free space is too fragmented. Measuring is expensive, so do not repeat it soon.
      this.#postpone(store);
      return;
    }
    if (
      this.#threads().every((thread) => hasThread(store.memory, thread)) &&
      relocateGraph(store)
    ) {
      this.#waits.delete(store);
      this.#log(`graph "${store.name}": released ${formatMebibytes(gain)} of memory`);
      return;
    }
    if (this.#postpone(store)) this.#log(`${describeUnreleased(store, gain)}: ${REMEDY}`, "warn");
  }

  /** Returns true if the delay reaches its maximum. */
  #postpone(store: GraphStore): boolean {
    const { backoff } = this.#waits.get(store) ?? { backoff: new Backoff(BACKOFF) };
    const formerMs = backoff.delayMs;
    const delayMs = backoff.fail();
    this.#waits.set(store, { backoff, until: performance.now() + delayMs });
    return delayMs === BACKOFF.maxMs && formerMs !== delayMs;
  }
}

function describeUnreleased({ name }: GraphStore, gain: number): string {
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
    for (const arena of memory.arenas) {
      if (isMovable(arena)) copyJoined(store, arena, memories[arena.id]!);
    }
    return true;
  });
}

/** Joins the free space of an arena and copies the rest. */
function copyJoined(store: GraphStore, arena: Arena, target: ArenaMemory): void {
  const { memory } = store;
  const space = findJoinable(memory, arena);
  if (space !== null) joinFreeSpace(memory, arena, unitWords(arena), space);
  const holes = space?.holes ?? [];
  arena.copyTo(target, wordsToCopy(store)[arena.id]!, holes);
  setReleasedWords(
    memory,
    arena,
    holes.reduce((sum, { words }) => sum + words, 0),
  );
}

/** Returns the free space of an arena; null if joining it is not worthwhile or not possible. */
function findJoinable(memory: GraphMemory, arena: Arena): FreeSpace | null {
  const unit = unitWords(arena);
  if (unit === 0 || countFreeWords(memory, arena) < MIN_HOLE_WORDS) return null;
  return findFreeSpace(memory, arena, unit);
}

function unitWords({ id }: Arena): number {
  return UNIT_WORDS[ARENAS[id]!] ?? 0;
}

/** Returns the words of an arena that a relocation would copy. */
type Measure = (memory: GraphMemory, arena: Arena, used: number) => number;

/** Fast lower bound: as if all free space could be joined. */
const estimateUse: Measure = (memory, arena, used) =>
  unitWords(arena) === 0 ? used : used - countFreeWords(memory, arena);

const measureUse: Measure = (memory, arena, used) => {
  const space = findJoinable(memory, arena);
  return space === null ? used : countWordsOutside(space);
};

/** Returns the bytes that a relocation would free; 0 if it is not worthwhile. */
function measureGain(store: GraphStore, measure: Measure): number {
  const { memory } = store;
  memory.refresh();
  const used = wordsToCopy(store);
  let usedBytes = 0;
  let bytes = 0;
  for (const arena of memory.arenas) {
    if (!isMovable(arena)) continue;
    usedBytes += measure(memory, arena, used[arena.id]!) * 4;
    bytes += arena.words.byteLength;
    if (unitWords(arena) > 0) bytes -= countReleasedWords(memory, arena) * 4;
  }
  const gain = bytes - usedBytes;
  const isWorthwhile = gain >= MIN_GAIN_BYTES && usedBytes * MIN_RATIO <= bytes;
  const isFast = usedBytes <= Math.max(MAX_USED_BYTES, gain * MAX_USED_SHARE);
  return isWorthwhile && isFast ? gain : 0;
}

/** Returns the words up to the end of each arena. */
function wordsToCopy({ memory }: GraphStore): number[] {
  const used = usedWords(memory);
  used[ARENAS.indexOf("sequence")] = memory.header.words[Header.HandleEnd]! * SEQUENCE_WORDS;
  return used;
}

/** Returns true if no thread saves the graph, and no dead thread left a mutation unfinished. */
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
    const allocated = allocateArenas("a graph that moves", reservations);
    return arenas.map((arena) => allocated[movable.indexOf(arena)] ?? null);
  } catch (error) {
    if (error instanceof CapacityError) return null;
    throw error;
  }
}
