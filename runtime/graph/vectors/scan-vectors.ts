// The nearest vertices, found by looking at every vector there is. Kernels go through the slabs and
// name the few slots that may be among the best; each of those is then read as queries read a
// vertex. Whoever got another vector meanwhile may have been in a slot that was passed already: the
// ring of the latest writes names them, and they are looked at once more.

import { indexOf } from "./index-access.js";
import type { NearestTopK } from "./nearest-top-k.js";
import type { Probe } from "./probe.js";
import { hasFeatures, SLAB_WORDS, Slab, Slot, Space, strideOf } from "./vector-layout.js";
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
  readonly best: NearestTopK;
  /** Whether a vertex may be among the results; called for few. */
  readonly accepts: (vertex: number) => boolean;
  /** Is told how many vectors were looked at; may throw. */
  readonly poll: (count: number) => void;
}

/**
 * Offers every vertex that has a vector and is accepted.
 * @param ef where there is an index, take what it finds among so many candidates; 0: take none
 */
export function scanVectors(scan: Scan, ef: number): void {
  const { table } = scan;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const writes = table.writes;
    for (const space of table.spaces()) {
      if (ef === 0 || !searchIndex(scan, space, ef)) scanSpace(scan, space);
    }
    if (offerChanged(scan, writes)) return;
  }
  table.writer.begin();
  try {
    scanAll(scan);
  } finally {
    table.writer.end();
  }
}

/** Offers some vertices, wherever their vectors are. */
export function scoreAll(scan: Scan, vertices: Uint32Array): void {
  for (const vertex of vertices) {
    if (!scan.best.has(vertex)) offer(scan, vertex);
  }
  scan.poll(vertices.length);
}

/**
 * Offers what the index of a space finds, and all that was changed since it was last complete;
 * false if there is no index, or too much was changed.
 */
function searchIndex(scan: Scan, space: number, ef: number): boolean {
  const { table, probe, best } = scan;
  const index = indexOf(table, space);
  if (index === null || probe.parts.isFeatures || probe.length < table.inSpace(space, Space.Length))
    return false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { state, completeTo } = index;
    if (!index.isComplete) return false;
    const found = index.search.nearest(probe, Math.max(ef, best.limit), scan.accepts);
    // What was found may be slots that are something else by now.
    if (index.state !== state) continue;
    scoreAll(scan, found);
    return offerChanged(scan, completeTo);
  }
  return false;
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

function scanAll(scan: Scan): void {
  for (const space of scan.table.spaces()) scanSpace(scan, space);
}

/** Offers the vertices with a vector of one length; not all of those that got one meanwhile. */
function scanSpace(scan: Scan, space: number): void {
  const { table } = scan;
  if (table.inSpace(space, Space.Count) === 0) return;
  const step = { next: FIRST_SLOTS };
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
    scanSlots(scan, { first: slab + SLAB_WORDS, used, length }, step);
    left -= Math.max(1, words[slab + Slab.Slots]!);
    slab = words[slab + Slab.Next]!;
  }
}

interface Slots {
  readonly first: number;
  readonly used: number;
  /** As in the slots. */
  readonly length: number;
}

function scanSlots(scan: Scan, slots: Slots, step: { next: number }): void {
  const { memory } = scan.table;
  const stride = strideOf(slots.length);
  for (let done = 0; done < slots.used; ) {
    const count = Math.min(step.next, slots.used - done, MAX_LIST);
    const first = slots.first + done * stride;
    const { isFeatures } = scan.probe.parts;
    const isOneByOne = isFeatures || hasFeatures(slots.length) || slots.length > scan.probe.length;
    const found = isOneByOne
      ? allSlots(memory, first, count, stride)
      : kernelSlots(scan, first, count, slots.length);
    for (const slot of found) {
      const vertex = memory.words[slot + Slot.Vertex]!;
      // One that has got another slot meanwhile may come twice.
      if (vertex !== 0 && !scan.best.has(vertex)) offer(scan, vertex);
    }
    scan.poll(count);
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
  const address = memory.addressOf(first);
  const bytes = strideOf(length) * 4;
  const least = best.threshold - SLACK;
  const found = kernel.scan(
    address,
    count,
    bytes,
    memory.probe,
    probe.factor(length),
    least,
    lists,
  );
  return Uint32Array.from({ length: found }, (_, index) => memory.wordAt(memory.list[2 * index]!));
}

/**
 * Where the probe is shorter there is no norm of what is compared, and no kernel knows features:
 * each is looked at by itself.
 */
function allSlots(memory: VectorMemory, first: number, count: number, stride: number): number[] {
  const slots: number[] = [];
  for (let index = 0; index < count; index++) {
    const slot = first + index * stride;
    if (memory.words[slot + Slot.Vertex] !== 0) slots.push(slot);
  }
  return slots;
}
