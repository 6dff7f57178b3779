// Allocates, fills and frees slots of vectors within slabs; see vector-layout.ts. Requires a
// mutation.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import type { Allocator, Writer } from "../memory/writer.js";
import { packBits } from "./binary-vector.js";
import { roundUp } from "./measures/score-bound.js";
import { computeHalfUnit, encodeHalf, Precision } from "./precision.js";
import {
  computeSlabShare,
  computeStride,
  countComponents,
  findTail,
  hasBits,
  hasRow,
  MAX_SLAB_WORDS,
  SLAB_UNIT_WORDS,
  SLAB_WORDS,
  SLOT_WORDS,
  Slab,
  Slot,
  Space,
  slotLength,
  Tail,
} from "./vector-layout.js";
import type { VectorMemory } from "./vector-memory.js";
import { exactComponents, sumExactSquares, type VectorParts } from "./vector-parts.js";

export class VectorSlots implements Allocator {
  readonly #writer: Writer;
  readonly #memory: () => VectorMemory;
  readonly #vectors: Arena;
  readonly #lists: Arena;
  readonly #slabs: BlockAllocator;

  /** @param memory returns this thread's kernel view of the vectors */
  constructor(writer: Writer, memory: () => VectorMemory) {
    this.#writer = writer;
    this.#memory = memory;
    this.#vectors = writer.memory.vectors;
    this.#lists = writer.memory.lists;
    this.#slabs = new BlockAllocator(this.#vectors, SLAB_UNIT_WORDS);
  }

  /** Creates a slot with a vector; nothing refers to it yet. */
  create(space: number, parts: VectorParts): number {
    const length = slotLength(parts.bytes.length, parts.isFeatures, parts.precision);
    assert(length === this.#readSpace(space, Space.Length), "a slot is in the space of its length");
    const slot = this.#allocate(space);
    this.#fill(slot, parts);
    return slot;
  }

  /** Frees a slot at the commit. */
  free(slot: number, space: number): void {
    this.#writer.freeAtCommit(this, slot, space);
  }

  /** Frees a slot; called by the writer during a commit. */
  release(writer: Writer, slot: number, space: number): void {
    assert(this.#vectors.words[slot + Slot.Node] === 0, "a free slot is in no index");
    writer.put(this.#vectors, slot + Slot.Scale, this.#readSpace(space, Space.FreeSlot));
    writer.put(this.#lists, space + Space.FreeSlot, slot);
  }

  /** Within a mutation: frees all slabs of a space; no slot may be in use or in an index. */
  freeSlabs(space: number): void {
    const writer = this.#writer;
    const share = computeSlabShare(this.#readSpace(space, Space.Length));
    for (let slab = this.#readSpace(space, Space.FirstSlab); slab !== 0; ) {
      const { words } = this.#vectors;
      const size = SLAB_WORDS + words[slab + Slab.Slots]! * share;
      const next = words[slab + Slab.Next]!;
      this.#slabs.free(writer, slab, this.#slabs.classFor(size));
      slab = next;
    }
    for (const word of [Space.FirstSlab, Space.LastSlab, Space.FreeSlot, Space.Slots]) {
      writer.put(this.#lists, space + word, 0);
    }
  }

  /** Allocates a slot. */
  #allocate(space: number): number {
    const writer = this.#writer;
    const free = this.#readSpace(space, Space.FreeSlot);
    if (free !== 0) {
      writer.put(this.#lists, space + Space.FreeSlot, this.#vectors.words[free + Slot.Scale]!);
      return free;
    }
    const length = this.#readSpace(space, Space.Length);
    const stride = computeStride(length);
    let slab = this.#readSpace(space, Space.LastSlab);
    const { words } = this.#vectors;
    if (slab === 0 || words[slab + Slab.Used] === words[slab + Slab.Slots]) {
      slab = this.#addSlab(space, computeSlabShare(length));
    }
    const used = this.#vectors.words[slab + Slab.Used]!;
    const slot = slab + SLAB_WORDS + used * stride;
    // Otherwise, a scan that sees the new count might read a vertex from earlier contents.
    this.#vectors.words[slot + Slot.Vertex] = 0;
    if (hasRow(length)) this.#assignRow(slab, used, length);
    writer.put(this.#vectors, slab + Slab.Used, used + 1);
    return slot;
  }

  /** Assigns the row of a slot, which never changes. */
  #assignRow(slab: number, position: number, length: number): void {
    const { words } = this.#vectors;
    const stride = computeStride(length);
    const rows = slab + SLAB_WORDS + words[slab + Slab.Slots]! * stride;
    const tail = findTail(slab + SLAB_WORDS + position * stride, countComponents(length));
    words[tail + Tail.Row] = rows + position * (computeSlabShare(length) - stride);
  }

  /**
   * Adds a slab. Up to a limit, this doubles the space, so that few vectors need little memory.
   * @param stride number of words per slot, including the row
   */
  #addSlab(space: number, stride: number): number {
    const writer = this.#writer;
    const slots = this.#readSpace(space, Space.Slots);
    const targetWords = Math.min(MAX_SLAB_WORDS, SLAB_WORDS + Math.max(1, slots) * stride);
    const minWords = SLAB_WORDS + stride;
    const sizeClass = this.#slabs.classFor(Math.max(minWords, targetWords));
    const slab = this.#slabs.allocate(writer, sizeClass);
    const capacity = Math.floor((this.#slabs.blockWords(sizeClass) - SLAB_WORDS) / stride);
    const { words } = this.#vectors;
    words[slab + Slab.Next] = 0;
    words[slab + Slab.Used] = 0;
    words[slab + Slab.Slots] = capacity;
    const last = this.#readSpace(space, Space.LastSlab);
    if (last === 0) writer.put(this.#lists, space + Space.FirstSlab, slab);
    else writer.put(this.#vectors, last + Slab.Next, slab);
    writer.put(this.#lists, space + Space.LastSlab, slab);
    writer.put(this.#lists, space + Space.Slots, slots + capacity);
    return slab;
  }

  /** Fills a slot. Nothing refers to it yet, so only its free-list link goes into the undo log. */
  #fill(slot: number, parts: VectorParts): void {
    const { bytes, squares, scale, precision } = parts;
    const length = slotLength(bytes.length, parts.isFeatures, precision);
    const writer = this.#writer;
    const memory = this.#memory();
    const { words } = this.#vectors;
    const { floats } = memory;
    words[slot + Slot.Vertex] = 0;
    writer.put(this.#vectors, slot + Slot.Scale, encodeFloat(scale));
    words[slot + Slot.Squares] = squares;
    floats[slot + Slot.Factor] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    words[slot + Slot.FingerprintLow] = parts.fingerprint.low;
    words[slot + Slot.FingerprintHigh] = parts.fingerprint.high;
    words[slot + Slot.Length] = length;
    words[slot + Slot.Node] = 0;
    if (hasBits(length)) words.set(packBits(bytes), slot + SLOT_WORDS);
    else memory.bytes.set(bytes, (slot + SLOT_WORDS) * 4);
    if (hasRow(length)) this.#fillRow(slot, parts);
    writer.markDirty(this.#vectors, slot, computeStride(length));
  }

  /** Writes the tail, the row, and the factor from the exact norm. */
  #fillRow(slot: number, parts: VectorParts): void {
    const { bytes, scale, precision } = parts;
    const { words, floats, doubles } = this.#memory();
    const exact = exactComponents(parts);
    const tail = findTail(slot, bytes.length);
    const row = words[tail + Tail.Row]!;
    let squaredError = 0;
    for (let at = 0; at < exact.length; at++)
      squaredError += (exact[at]! - scale * bytes[at]!) ** 2;
    const squares = sumExactSquares(parts);
    floats[slot + Slot.Factor] = squares === 0 ? 0 : scale / Math.sqrt(squares);
    floats[tail + Tail.Residual] = scale === 0 ? 0 : roundUp(Math.sqrt(squaredError) / scale);
    doubles[(tail + Tail.Squares) / 2] = squares;
    if (precision === Precision.Float32) floats.set(exact, row);
    else {
      const unit = computeHalfUnit(scale);
      for (let at = 0; at < exact.length; at += 2) {
        const high = encodeHalf(exact[at + 1]!, unit) << 16;
        words[row + at / 2] = (high | encodeHalf(exact[at]!, unit)) >>> 0;
      }
    }
    const share = computeSlabShare(words[slot + Slot.Length]!);
    this.#writer.markDirty(this.#vectors, row, share - computeStride(words[slot + Slot.Length]!));
  }

  #readSpace(space: number, word: number): number {
    return this.#lists.words[space + word]!;
  }
}

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);
function encodeFloat(value: number): number {
  float[0] = value;
  return floatWord[0]!;
}
