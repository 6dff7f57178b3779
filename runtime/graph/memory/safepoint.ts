// Relocation: moves a graph to other shared memory, because shared memory cannot shrink, nor grow
// beyond the addresses reserved for it. Every thread attached to the graph pauses between two tasks
// or mutations, so no thread ever sees a partial relocation.
//
//   initiator                             each attached thread
//   Moves is odd: no thread can join
//   call {graph, memories, meeting} ----> between two tasks or mutations: Arrived + 1, waits
//   all arrived in time: copy
//   Moves is even, Decision ------------> switches to the new memory, or stays if given up
//
// A paused thread waits for the initiator, which decides before its time limit.

import { BroadcastChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { ArenaMemory } from "./arena.js";
import { bitCount } from "./bit-count.js";
import type { GraphMemory } from "./graph-memory.js";
import { Header, THREADS_WORDS } from "./layout.js";

/** Maximum pause of all threads when one of them is busy. */
export const ARRIVAL_TIMEOUT_MS = 20;
/** Bit of `Header.Enlarging` that makes threads pause before their next mutation. */
export const RELOCATING = 1;
const SLEEP_MS = 50;
const CHANNEL = "svc.graph.safepoint";
const Meeting = { Arrived: 0, Decision: 1 } as const;
const Decision = { None: 0, Moved: 1, GivenUp: 2 } as const;

/** New memory per arena; null: the arena stays. */
export type RelocatedMemories = readonly (ArenaMemory | null)[];

interface Call {
  readonly graph: string;
  readonly memories: RelocatedMemories;
  readonly meeting: SharedArrayBuffer;
}

/** Switches everything that a thread has of a graph to other memory. */
export type Move = (memories: RelocatedMemories) => void;

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
 * Relocates a graph while no other thread works on it. This thread must be attached, and be between
 * two tasks or mutations.
 * @param fill copies the content; false cancels the relocation
 * @returns false if canceled, if another thread relocates, or if a thread was too busy to arrive
 */
export function relocateAtSafepoint(
  { header, share }: GraphMemory,
  memories: RelocatedMemories,
  fill: () => boolean,
  timeoutMs = ARRIVAL_TIMEOUT_MS,
): boolean {
  const { ints } = header;
  const meeting = new SharedArrayBuffer(8);
  const words = new Int32Array(meeting);
  const before = Atomics.load(ints, Header.Moves);
  if (before % 2 !== 0) return false;
  if (Atomics.compareExchange(ints, Header.Moves, before, before + 1) !== before) return false;
  let isMoved = false;
  try {
    const call: Call = { graph: share.id, memories, meeting };
    channel?.postMessage(call);
    Atomics.or(ints, Header.Enlarging, RELOCATING);
    isMoved = awaitArrivals(words, countThreads(ints) - 1, timeoutMs) && fill();
  } finally {
    Atomics.and(ints, Header.Enlarging, ~RELOCATING);
    Atomics.add(ints, Header.Moves, isMoved ? 1 : -1);
    Atomics.store(words, Meeting.Decision, isMoved ? Decision.Moved : Decision.GivenUp);
    Atomics.notify(words, Meeting.Decision);
    Atomics.notify(ints, Header.Moves);
  }
  if (isMoved) switchMemory(share.id, memories);
  return isMoved;
}

/** Pauses this thread if another one relocates a graph. Call it between two mutations. */
export function arriveIfCalled(): void {
  if (channel === null) return;
  for (;;) {
    const received = receiveMessageOnPort(channel as unknown as MessagePort);
    if (received === undefined) return;
    pauseAtSafepoint(received.message as Call);
  }
}

/** Returns the number of threads attached to a graph. */
export function countThreads(header: Int32Array): number {
  let threads = 0;
  for (let word = 0; word < THREADS_WORDS; word++) {
    threads += bitCount(Atomics.load(header, Header.Threads + word));
  }
  return threads;
}

function awaitArrivals(meeting: Int32Array, count: number, timeoutMs: number): boolean {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const here = Atomics.load(meeting, Meeting.Arrived);
    if (here === count) return true;
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(meeting, Meeting.Arrived, here, leftMs);
  }
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

function switchMemory(graph: string, memories: RelocatedMemories): void {
  for (const move of joined.get(graph) ?? []) move(memories);
}
