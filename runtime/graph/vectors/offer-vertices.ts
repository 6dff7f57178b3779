// Offers vertices with their exact scores to the result of a search. One kernel call scores many
// slots, so that cache misses overlap. A vertex that is written meanwhile is read again separately.

import { SEQUENCE_WORDS } from "../memory/layout.js";
import type { SlotFilter } from "./hnsw-search.js";
import type { NearestTopK } from "./nearest-top-k.js";
import { MAX_TOGETHER, type Probe } from "./probe.js";
import { Slot } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

/** Parameters and callbacks of a scan. */
export interface Scan {
  readonly table: VectorTable;
  readonly probe: Probe;
  readonly best: NearestTopK;
  /** Returns whether a vertex may be a result, by its current state; called for few vertices. */
  readonly accepts: (vertex: number) => boolean;
  /**
   * Variant of `accepts` that may use the state at the start of the search; called for many
   * vertices. Null accepts any vertex.
   */
  readonly filter: SlotFilter | null;
  /** Receives the number of vectors visited; may throw. */
  readonly poll: (count: number) => void;
}

/** Slots of a group, their vertices, and the sequences of the vertices before the read. */
const slots = new Uint32Array(MAX_TOGETHER);
const vertices = new Uint32Array(MAX_TOGETHER);
const sequences = new Int32Array(MAX_TOGETHER);
const scores = new Float64Array(MAX_TOGETHER);

/** Offers the current state of a vertex. */
export function offer({ table, probe, best, accepts }: Scan, vertex: number): void {
  if (!table.has(vertex)) return;
  const score = probe.similarity(vertex);
  // A vertex that has lost its vector meanwhile is no result.
  if (!best.accepts(vertex, score) || !table.has(vertex) || !accepts(vertex)) return;
  best.offer(vertex, score);
}

/**
 * Offers the vertices of slots that kernels have selected.
 * @param length length word of the slots
 */
export function offerSlots(scan: Scan, candidates: readonly number[], length: number): void {
  for (let at = 0; at < candidates.length; at += MAX_TOGETHER) {
    offerGroup(scan, candidates, at, Math.min(candidates.length, at + MAX_TOGETHER), length);
  }
}

function offerGroup(
  scan: Scan,
  found: readonly number[],
  from: number,
  end: number,
  length: number,
): void {
  const { table, probe, best, accepts } = scan;
  const { ints } = table.writer.memory.sequence;
  const unsettled: number[] = [];
  const count = listSettled(scan, found, from, end, length, unsettled);
  probe.scoreSlots(length, slots, count, scores);
  table.reader.fence();
  // A condition may start another search, which uses the same lists.
  const settled: number[] = [];
  const exact: number[] = [];
  for (let at = 0; at < count; at++) {
    const vertex = vertices[at]!;
    if (Atomics.load(ints, vertex * SEQUENCE_WORDS) !== sequences[at]) unsettled.push(vertex);
    else if (best.accepts(vertex, scores[at]!)) {
      settled.push(vertex);
      exact.push(scores[at]!);
    }
  }
  for (let at = 0; at < settled.length; at++) {
    const [vertex, score] = [settled[at]!, exact[at]!];
    if (best.accepts(vertex, score) && accepts(vertex)) best.offer(vertex, score);
  }
  for (const vertex of unsettled) offer(scan, vertex);
}

/**
 * Lists the slots whose vertices are not being written, with these vertices; returns their number.
 * Adds the vertices of the other slots to `unsettled`.
 */
function listSettled(
  { table, best }: Scan,
  found: readonly number[],
  from: number,
  end: number,
  length: number,
  alone: number[],
): number {
  const { memory } = table;
  const { words } = memory;
  const { ints } = table.writer.memory.sequence;
  let count = 0;
  for (let at = from; at < end; at++) {
    const slot = found[at]!;
    const vertex = words[slot + Slot.Vertex]!;
    // A vertex that has moved to another slot meanwhile may occur twice.
    if (vertex === 0 || best.has(vertex)) continue;
    const position = vertex * SEQUENCE_WORDS;
    const sequence = position < ints.length ? Atomics.load(ints, position) : 1;
    const isSettled =
      (sequence & 1) === 0 && table.slotOf(vertex) === slot && memory.lengthIn(slot) === length;
    if (!isSettled) {
      alone.push(vertex);
      continue;
    }
    slots[count] = slot;
    vertices[count] = vertex;
    sequences[count++] = sequence;
  }
  return count;
}
