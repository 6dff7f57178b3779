// Compaction: relocates a graph to smaller shared memory, because shared memory cannot shrink.
// Every thread attached to the graph pauses between two of its tasks, so no thread ever sees a
// partial relocation and hot paths need no check.
//
//   main thread                           each attached thread
//   Moves is odd: no thread can join
//   call {graph, memories, meeting} ----> between two tasks: Here + 1, waits
//   all arrived in time: copy
//   Moves is even, Decision ------------> switches to the new memory, or stays if given up
//
// A paused thread waits for the main thread, which decides within `PATIENCE_MS`.

import { BroadcastChannel, type MessagePort } from "node:worker_threads";
import type { ArenaMemory } from "./arena.js";
import { bitCount } from "./bit-count.js";
import type { GraphMemory } from "./graph-memory.js";
import { Header, THREADS_WORDS } from "./layout.js";

/** Bound on the pause of all threads when one of them is busy. */
const ARRIVAL_TIMEOUT_MS = 20;
const SLEEP_MS = 50;
const CHANNEL = "svc.graph.safepoint";
const Meeting = { Arrived: 0, Decision: 1 } as const;
const Decision = { None: 0, Moved: 1, GivenUp: 2 } as const;

interface Call {
  readonly graph: string;
  readonly memories: readonly ArenaMemory[];
  readonly meeting: SharedArrayBuffer;
}

/** Switches everything that a thread has of a graph to other memory. */
export type Move = (memories: readonly ArenaMemory[]) => void;

/** Moves of the graphs this thread has attached, by `SharedGraphMemory.id`. */
const joined = new Map<string, Set<Move>>();
let channel: BroadcastChannel | null = null;

/**
 * Attaches this thread to the relocations of a graph, until the graph is removed.
 * @returns false if the graph was relocated since its share was passed on: request it again
 */
export function joinSafepoints(memory: GraphMemory, thread: number, move: Move): boolean {
  channel ??= listen();
  const { ints } = memory.header;
  const { id, moves } = memory.share;
  Atomics.or(ints, Header.Threads + (thread >>> 5), 1 << (thread & 31));
  let now = Atomics.load(ints, Header.Moves);
  for (; now % 2 !== 0; now = Atomics.load(ints, Header.Moves)) {
    Atomics.wait(ints, Header.Moves, now, SLEEP_MS);
  }
  if (now !== moves) return false;
  const all = joined.get(id) ?? new Set();
  joined.set(id, all.add(move));
  return true;
}

/** Detaches from a graph that is removed or no longer used by this thread. */
export function leaveSafepoints({ share }: GraphMemory, move: Move): void {
  const all = joined.get(share.id);
  all?.delete(move);
  if (all?.size === 0) joined.delete(share.id);
}

/** Stops waiting for a thread that has ended. */
export function forgetThread({ header }: GraphMemory, thread: number): void {
  Atomics.and(header.ints, Header.Threads + (thread >>> 5), ~(1 << (thread & 31)));
}

export function hasThread({ header }: GraphMemory, thread: number): boolean {
  return (header.words[Header.Threads + (thread >>> 5)]! & (1 << (thread & 31))) !== 0;
}

/**
 * Relocates a graph while no other thread works on it. Main thread only, which must be attached.
 * @param fill copies the content; false cancels the relocation
 * @returns false if canceled, or if a thread was too busy to arrive
 */
export function relocateAtSafepoint(
  { header, share }: GraphMemory,
  memories: readonly ArenaMemory[],
  fill: () => boolean,
): boolean {
  const { ints } = header;
  const meeting = new SharedArrayBuffer(8);
  const words = new Int32Array(meeting);
  let isMoved = false;
  Atomics.add(ints, Header.Moves, 1);
  try {
    const call: Call = { graph: share.id, memories, meeting };
    channel?.postMessage(call);
    isMoved = awaitArrivals(words, countThreads(ints) - 1) && fill();
  } finally {
    Atomics.add(ints, Header.Moves, isMoved ? 1 : -1);
    Atomics.store(words, Meeting.Decision, isMoved ? Decision.Moved : Decision.GivenUp);
    Atomics.notify(words, Meeting.Decision);
    Atomics.notify(ints, Header.Moves);
  }
  if (isMoved) switchMemory(share.id, memories);
  return isMoved;
}

function awaitArrivals(meeting: Int32Array, count: number): boolean {
  const giveUpAt = performance.now() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const here = Atomics.load(meeting, Meeting.Arrived);
    if (here === count) return true;
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(meeting, Meeting.Arrived, here, leftMs);
  }
}

function countThreads(header: Int32Array): number {
  let threads = 0;
  for (let word = 0; word < THREADS_WORDS; word++) {
    threads += bitCount(Atomics.load(header, Header.Threads + word));
  }
  return threads;
}

function listen(): BroadcastChannel {
  const opened = new BroadcastChannel(CHANNEL);
  opened.onmessage = (event) => pauseAtSafepoint((event as { readonly data: Call }).data);
  (opened as unknown as MessagePort).unref();
  return opened;
}

/** Pauses this thread until the main thread has decided. */
function pauseAtSafepoint({ graph, memories, meeting }: Call): void {
  if (!joined.has(graph)) return;
  const words = new Int32Array(meeting);
  Atomics.add(words, Meeting.Arrived, 1);
  Atomics.notify(words, Meeting.Arrived);
  Atomics.wait(words, Meeting.Decision, Decision.None);
  if (Atomics.load(words, Meeting.Decision) === Decision.Moved) switchMemory(graph, memories);
}

function switchMemory(graph: string, memories: readonly ArenaMemory[]): void {
  for (const move of joined.get(graph) ?? []) move(memories);
}
