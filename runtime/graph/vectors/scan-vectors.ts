// Exact nearest-vector search by scanning all vectors. Kernels scan the slabs and select the few
// slots that may be among the best. Then the vertices of these slots are read consistently. A
// vertex whose vector is replaced during the scan may move to a slot that has been scanned already.
// The ring of recent writes contains such vertices, and the scan reads them again.

import type { HnswWalk } from "./hnsw-walk.js";
import { findVectorIndex } from "./index-access.js";
import { offer, offerSlots, type Scan } from "./offer-vertices.js";
import type { Probe } from "./probe.js";
import { findSigns, type SignTable } from "./sign-table.js";
import {
  computeStride,
  countComponents,
  hasRow,
  SLAB_WORDS,
  Slab,
  Slot,
  Space,
  slotLength,
} from "./vector-layout.js";
import { MAX_LIST, type VectorMemory } from "./vector-memory.js";
import type { VectorTable } from "./vector-table.js";

/** Slots of the first kernel call, without a threshold. Each further call has 4 times as many. */
const FIRST_SLOTS = 64;
/**
 * Number of attempts if too many vectors change during a scan, before it locks the writer mutex.
 */
const MAX_ATTEMPTS = 3;
/** Number of slots scored together: smaller groups raise the threshold sooner. */
const GROUP = 32;
/** Vertices of the slots in a kernel's list. */
const listed = new Uint32Array(MAX_LIST);

/**
 * Offers every accepted vertex that has a vector.
 * @param ef number of candidates to take from an index if there is one; 0: do not use indexes
 * @param share share of accepted vertices if an index search should skip refused vertices; 1: walk
 *   through them
 */
export function scanVectors(scan: Scan, ef: number, share = 1): void {
  const { table } = scan;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const writes = table.writes;
    for (const space of table.spaces()) {
      if (ef === 0 || !searchIndex(scan, space, ef, share)) scanSpace(scan, space);
    }
    if (offerChanged(scan, table, writes)) return;
  }
  table.writer.beginReading();
  try {
    scanAll(scan);
  } finally {
    table.writer.end();
  }
}

/** Offers the listed vertices. Kernels preselect a few of the vectors as long as the probe. */
export function scoreListed(scan: Scan, vertices: Uint32Array): void {
  const { table, probe } = scan;
  if (probe.parts.isFeatures || vertices.length < FIRST_SLOTS || !table.hasKernel) {
    for (let at = 0; at < vertices.length; at += MAX_LIST) {
      scoreAll(scan, vertices.subarray(at, at + MAX_LIST));
    }
    return;
  }
  const { writes } = table;
  // The first group sets a threshold for the others.
  for (let at = 0, count = FIRST_SLOTS; at < vertices.length; at += count, count = MAX_LIST) {
    const group = vertices.subarray(at, at + count);
    for (const vertex of selectListed(scan, group)) {
      if (!scan.best.has(vertex)) offer(scan, vertex);
    }
    scan.poll(group.length);
  }
  // A slot may have been reused before the kernel read it.
  if (!offerChanged(scan, table, writes)) scoreAll(scan, vertices);
}

/** Returns the vertices that may be among the best, and vertices that kernels cannot compare. */
function selectListed({ table, probe, best }: Scan, vertices: Uint32Array): number[] {
  const { memory } = table;
  const length = slotLength(probe.length, false, table.precision);
  const selected: number[] = [];
  let count = 0;
  for (const vertex of vertices) {
    const slot = table.slotOf(vertex);
    if (slot === 0) continue;
    if (memory.lengthIn(slot) === length && probe.suitsKernels(length)) {
      memory.list[count] = memory.addressOf(slot);
      listed[count++] = vertex;
    } else selected.push(vertex);
  }
  const minBound = probe.boundList(length, count, best.threshold);
  for (let index = 0; index < count; index++) {
    // Includes NaN.
    if (!(memory.scores[MAX_LIST + index]! < minBound)) selected.push(listed[index]!);
  }
  return selected;
}

/** Offers vertices one by one. */
function scoreAll(scan: Scan, vertices: Uint32Array): void {
  for (const vertex of vertices) {
    if (!scan.best.has(vertex)) offer(scan, vertex);
  }
  scan.poll(vertices.length);
}

/**
 * Offers the results of the index of a space, and all vertices that have changed since the index
 * was complete. Returns false if there is no index, or if too many vertices have changed.
 */
function searchIndex(scan: Scan, space: number, ef: number, share: number): boolean {
  const { table, probe } = scan;
  const length = table.readSpace(space, Space.Length);
  if (!probe.suitsKernels(length)) return false;
  const signs = findSigns(table, countComponents(length));
  // After a drop of the sign index, there may be an ordinary index.
  if (signs !== null && signs.ef !== 0) {
    // One index contains the signs of all precisions, so spaces without vectors skip it.
    return table.readSpace(space, Space.Count) === 0 || searchSigns(scan, signs, ef, share);
  }
  const offerWalk = (walk: HnswWalk): void => offerResults(scan, walk, length);
  return walkIndex(scan, { table, space, probe, offerWalk }, ef, share);
}

/** Variant of `searchIndex` for all vectors of one length, of any precision. */
function searchSigns(scan: Scan, signs: SignTable, ef: number, share: number): boolean {
  const { table, space } = signs;
  if (!signs.isFilled) return false;
  // Read before the search: vertices with later signs count as changed.
  const { signsTo } = signs;
  const probe = signs.probeFor(scan.probe.parts);
  const offerWalk = (walk: HnswWalk): void => offerVertices(scan, table, walk);
  const isFound = walkIndex(scan, { table, space, probe, offerWalk }, ef, share);
  return isFound && offerChanged(scan, scan.table, signsTo);
}

/** An index to search. */
interface SearchedIndex {
  readonly table: VectorTable;
  readonly space: number;
  /** Probe that its slots are compared with. */
  readonly probe: Probe;
  /** Offers the results. */
  readonly offerWalk: (walk: HnswWalk) => void;
}

function walkIndex(
  scan: Scan,
  { table, space, probe, offerWalk }: SearchedIndex,
  ef: number,
  share: number,
): boolean {
  const { best, filter } = scan;
  const index = findVectorIndex(table, space);
  if (index === null || !table.hasKernel) return false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { state, completeTo } = index;
    if (!index.isComplete) return false;
    const count = Math.max(ef, best.limit);
    const { search } = index;
    const skipsRefused = share < 1 && filter !== null;
    let isFound = true;
    if (skipsRefused) isFound = search.nearestSkipping(probe, count, filter, share);
    else search.nearest(probe, count, filter);
    // Slots of the results may have been reused.
    if (index.state !== state) continue;
    // Accepted slots may be unreachable through other accepted slots.
    if (!isFound || (skipsRefused && search.walk.count < count)) return false;
    offerWalk(search.walk);
    return offerChanged(scan, table, completeTo);
  }
  return false;
}

/**
 * Offers the results of a walk that may be among the best, best first. A vertex whose vector has
 * been replaced meanwhile is offered later, as a changed vertex.
 * @param length length word of the slots
 */
function offerResults(scan: Scan, walk: HnswWalk, length: number): void {
  const { best, probe } = scan;
  // Copied, because the condition may start another walk.
  const slots = walk.slots();
  const scores = walk.scores();
  scan.poll(slots.length);
  for (let at = 0, size = Math.min(Math.max(1, best.limit), GROUP); at < slots.length; ) {
    const group = slots.slice(at, at + size);
    if (hasRow(length)) offerSlots(scan, selectBounded(scan, group, length), length);
    else {
      // The scores descend.
      if (scores[at]! < probe.measure.kernelThreshold(best.threshold, probe.terms(length))) return;
      offerSlots(scan, group, length);
    }
    at += size;
    size = GROUP;
  }
}

/** Offers the vertices of the results of a walk through signs, roughly best first. */
function offerVertices(scan: Scan, signs: VectorTable, walk: HnswWalk): void {
  const { table, probe, best } = scan;
  const { words } = signs.memory;
  const vertices = walk.slots().map((slot) => words[slot + Slot.Vertex]!);
  scan.poll(vertices.length);
  const slots: number[] = [];
  let length = 0;
  for (const vertex of vertices) {
    const slot = vertex === 0 ? 0 : table.slotOf(vertex);
    const slotLength = table.memory.lengthIn(slot);
    if (slotLength === 0) continue;
    if (length === 0 && probe.suitsKernels(slotLength)) length = slotLength;
    if (slotLength === length) slots.push(slot);
    else if (!best.has(vertex)) offer(scan, vertex);
  }
  for (let at = 0, size = Math.min(Math.max(1, best.limit), GROUP); at < slots.length; ) {
    const group = slots.slice(at, at + size);
    offerSlots(scan, hasRow(length) ? selectBounded(scan, group, length) : group, length);
    at += size;
    size = GROUP;
  }
}

/** Returns the slots of larger precision whose exact score may reach the threshold. */
function selectBounded(
  { table, probe, best }: Scan,
  slots: readonly number[],
  length: number,
): readonly number[] {
  if (best.threshold === Number.NEGATIVE_INFINITY) return slots;
  const { memory } = table;
  for (const [at, slot] of slots.entries()) memory.list[at] = memory.addressOf(slot);
  const minBound = probe.boundList(length, slots.length, best.threshold);
  // Includes NaN.
  return slots.filter((_, at) => !(memory.scores[MAX_LIST + at]! < minBound));
}

/** Offers the vertices whose vectors have changed since a write; returns false if too many have. */
function offerChanged(scan: Scan, table: VectorTable, writes: number): boolean {
  const changed = table.changedSince(writes);
  if (changed === null) return false;
  for (const vertex of changed) {
    if (!scan.best.has(vertex)) offer(scan, vertex);
  }
  return true;
}

function scanAll(scan: Scan): void {
  for (const space of scan.table.spaces()) scanSpace(scan, space);
}

/** Offers the vertices with a vector of one length; may miss vectors that are set meanwhile. */
function scanSpace(scan: Scan, space: number): void {
  const { table } = scan;
  if (table.readSpace(space, Space.Count) === 0) return;
  const step = { next: FIRST_SLOTS };
  const length = table.readSpace(space, Space.Length);
  let slab = table.readSpace(space, Space.FirstSlab);
  // Ends the loop even if a slab is corrupt or has been freed meanwhile.
  let remaining = table.readSpace(space, Space.Slots);
  while (slab !== 0 && remaining > 0) {
    const { words } = table.memory;
    if (slab + SLAB_WORDS > words.length) break;
    const stride = computeStride(length);
    const fitting = Math.floor((words.length - slab - SLAB_WORDS) / stride);
    const used = Math.min(words[slab + Slab.Used]!, fitting, remaining);
    scanSlots(scan, { first: slab + SLAB_WORDS, used, length }, step);
    remaining -= Math.max(1, words[slab + Slab.Slots]!);
    slab = words[slab + Slab.Next]!;
  }
}

interface Slots {
  readonly first: number;
  readonly used: number;
  /** Length word of the slots. */
  readonly length: number;
}

function scanSlots(scan: Scan, slots: Slots, step: { next: number }): void {
  const { memory } = scan.table;
  const stride = computeStride(slots.length);
  for (let done = 0; done < slots.used; ) {
    const count = Math.min(step.next, slots.used - done, MAX_LIST);
    const first = slots.first + done * stride;
    if (memory.kernel === null || !scan.probe.suitsKernels(slots.length)) {
      for (const vertex of listVertices(memory, first, count, stride)) {
        // A vertex that moved to another slot meanwhile may be listed twice.
        if (!scan.best.has(vertex)) offer(scan, vertex);
      }
    } else offerSlots(scan, kernelSlots(scan, first, count, slots.length), slots.length);
    scan.poll(count);
    done += count;
    step.next = Math.min(MAX_LIST, step.next * 4);
  }
}

/** Returns the slots that may be among the best. */
function kernelSlots(scan: Scan, first: number, count: number, length: number): number[] {
  const { memory } = scan.table;
  scan.probe.load(length);
  const address = memory.addressOf(first);
  const found = hasRow(length)
    ? findBounded(scan, address, count, length)
    : findScored(scan, address, count, length);
  const slots: number[] = [];
  for (let at = 0; at < found; at++) slots.push(memory.wordAt(memory.list[2 * at]!));
  return slots;
}

/** Lists the slots without a row whose score reaches the threshold; returns their number. */
function findScored(scan: Scan, address: number, count: number, length: number): number {
  const { probe, best } = scan;
  const minScore = probe.measure.kernelThreshold(best.threshold, probe.terms(length));
  return probe.scanSlots(length, address, count, minScore);
}

/** Lists the slots of larger precision whose exact score may reach the threshold. */
function findBounded(scan: Scan, address: number, count: number, length: number): number {
  const { measure } = scan.probe;
  const { kernel, lists, probe } = scan.table.memory;
  const terms = scan.probe.terms(length);
  const { field, product, residual, reach, offset } = measure.boundScores(terms);
  const minScore = measure.boundThreshold(scan.best.threshold, terms);
  const stride = computeStride(length) * 4;
  return kernel!.bounded(
    address,
    count,
    stride,
    terms.length,
    probe,
    field,
    product,
    residual,
    reach,
    offset,
    minScore,
    lists,
  );
}

/** Returns the vertices of all slots, if kernels cannot compare or address the vectors. */
function listVertices(
  { words }: VectorMemory,
  first: number,
  count: number,
  stride: number,
): number[] {
  const vertices: number[] = [];
  for (let index = 0; index < count; index++) {
    const vertex = words[first + index * stride + Slot.Vertex]!;
    if (vertex !== 0) vertices.push(vertex);
  }
  return vertices;
}
