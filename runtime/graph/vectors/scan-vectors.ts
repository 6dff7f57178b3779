// The nearest vertices, found by looking at every vector there is. Kernels go through the slabs and
// name the few slots that may be among the best; each of those is then read as queries read a
// vertex. Whoever got another vector meanwhile may have been in a slot that was passed already: the
// ring of the latest writes names them, and they are looked at once more.

import type { NearestHeap } from "./nearest-heap.js";
import type { Probe } from "./probe.js";
import { SLAB_WORDS, Slab, Slot, Space, strideOf } from "./vector-layout.js";
import { MAX_LIST, type VectorMemory } from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Kernels compute scores as float32: so much less than a threshold may still reach it. */
const SLACK = 1e-6;
/** Slots of the first call, when anything may be among the best; then four times as many. */
const FIRST_SLOTS = 64;
/** So often all is done again when too much was changed meanwhile; then nobody may write. */
const MAX_ATTEMPTS = 3;

/** What a scan is about. */
export interface Scan {
  readonly table: VectorTable;
  readonly probe: Probe;
  readonly best: NearestHeap;
  /** Whether a vertex may be among the results; called for few. */
  readonly accepts: (vertex: number) => boolean;
  /** Called now and then; may throw. */
  readonly poll: () => void;
}

/** Offers every vertex that has a vector and is accepted. */
export function scanVectors(scan: Scan): void {
  const { table } = scan;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const writes = table.writes;
    scanSpaces(scan, writes);
    if (offerChanged(scan, writes)) return;
  }
  table.writer.begin();
  try {
    scanSpaces(scan, table.writes);
  } finally {
    table.writer.end();
  }
}

/** Offers whoever got a vector since; false if they are too many. */
function offerChanged(scan: Scan, writes: number): boolean {
  const changed = scan.table.changedSince(writes);
  if (changed === null) return false;
  for (const vertex of changed) {
    if (!scan.best.has(vertex)) offer(scan, vertex);
  }
  return true;
}

/** Reads a vertex as it is now. */
function offer({ table, probe, best, accepts }: Scan, vertex: number): void {
  if (!table.has(vertex)) return;
  const score = probe.similarity(vertex);
  // A vertex may have lost its vector in between: then it is as if it had none from the start.
  if (!best.wants(vertex, score) || !table.has(vertex) || !accepts(vertex)) return;
  best.offer(vertex, score);
}

function scanSpaces(scan: Scan, writes: number): void {
  const { table } = scan;
  const slots = { next: FIRST_SLOTS };
  for (const space of table.spaces()) {
    if (table.inSpace(space, Space.Count) === 0) continue;
    const length = table.inSpace(space, Space.Length);
    let slab = table.inSpace(space, Space.FirstSlab);
    // A slab that is damaged, or was given away meanwhile, must not keep this going on for ever.
    let left = table.inSpace(space, Space.Slots);
    while (slab !== 0 && left > 0) {
      const { words } = table.memory;
      if (slab + SLAB_WORDS > words.length) break;
      const stride = strideOf(length);
      const fitting = Math.floor((words.length - slab - SLAB_WORDS) / stride);
      const used = Math.min(words[slab + Slab.Used]!, fitting, left);
      scanSlots(scan, writes, { first: slab + SLAB_WORDS, used, length }, slots);
      left -= Math.max(1, words[slab + Slab.Slots]!);
      slab = words[slab + Slab.Next]!;
    }
  }
}

interface Slots {
  readonly first: number;
  readonly used: number;
  /** Components of each vector. */
  readonly length: number;
}

function scanSlots(scan: Scan, writes: number, slots: Slots, step: { next: number }): void {
  const { memory } = scan.table;
  const stride = strideOf(slots.length);
  for (let done = 0; done < slots.used; ) {
    const count = Math.min(step.next, slots.used - done, MAX_LIST);
    const first = slots.first + done * stride;
    const isPrefix = slots.length > scan.probe.length;
    const found = isPrefix
      ? allSlots(memory, first, count, stride)
      : kernelSlots(scan, first, count, slots.length);
    for (const slot of found) {
      const vertex = memory.words[slot + Slot.Vertex]!;
      // One that has got another slot meanwhile may come twice.
      if (vertex === 0 || (scan.table.writes !== writes && scan.best.has(vertex))) continue;
      offer(scan, vertex);
    }
    scan.poll();
    done += count;
    step.next = Math.min(MAX_LIST, step.next * 4);
  }
}

/** Slots that may be among the best. */
function kernelSlots(scan: Scan, first: number, count: number, length: number): Uint32Array {
  const { probe, best } = scan;
  const { memory } = scan.table;
  const { kernel, lists } = memory;
  probe.take();
  const squares = probe.squares(length);
  const factor = squares === 0 ? 0 : 1 / Math.sqrt(squares);
  const address = memory.addressOf(first);
  const bytes = strideOf(length) * 4;
  const least = best.threshold - SLACK;
  const found = kernel.scan(address, count, bytes, memory.probe, factor, least, lists);
  return Uint32Array.from({ length: found }, (_, index) => memory.wordAt(memory.list[2 * index]!));
}

/** Where the probe is shorter there is no norm of what is compared: each is looked at by itself. */
function allSlots(memory: VectorMemory, first: number, count: number, stride: number): number[] {
  const slots: number[] = [];
  for (let index = 0; index < count; index++) {
    const slot = first + index * stride;
    if (memory.words[slot + Slot.Vertex] !== 0) slots.push(slot);
  }
  return slots;
}
