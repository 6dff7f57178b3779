// Hash index of the arcs of a long run: one table per vertex side, in the arena of its run. Runs
// are unordered, so without it a lookup of one arc of a hub would scan the whole run.
//
//   slot  position of an arc in the run + 1, or 0        2^bits slots, no header
//
// Linear probing, at most 3/4 full, backward-shift deletion. The home slot of an arc is the hash of
// its terminal, or up to 2^spread slots behind it, depending on its relationship:
//
//   home of an arc = hash of the terminal + (hash of the relationship & (2^spread - 1))
//
// The spread is 0 until many arcs lead to one terminal, then grows with their number. A lookup of
// one arc among thousands to the same terminal thus stays short, and all arcs to a terminal lie
// within the longest cluster.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import type { BlockAllocator } from "../memory/block-allocator.js";
import { ARC_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";
import { InternalError } from "../model/errors.js";

/** Runs with more arcs have an index, until they shrink to half of that. */
export const INDEX_ABOVE = 64;

/** 2^32 divided by the golden ratio (Fibonacci hashing), which spreads consecutive handles best. */
const MULTIPLIER = 0x9e37_79b1;
const NAME_MULTIPLIER = 0x85eb_ca6b;
const NAME_SHIFT = 16;
const NAME_MASK = 0xffff;
/** Arcs to the same terminal probed during an insertion before the spread grows. */
const MAX_SAME_TERMINAL = 64;
const FIRST_SPREAD = 8;
const SPREAD_STEP = 2;
const SPREAD_SHIFT = 8;
const BITS_MASK = 0xff;
const MAX_BITS = 30;

/**
 * Shape of an index: log2 of its slots, and its spread from bit 8 on. Snapshots of older releases
 * contain only indexes of spread 0.
 */
export type IndexShape = number;

/** Returns the shape for an index of `arcs` arcs; the spread stays. */
export function indexShapeFor(arcs: number, shape: IndexShape): IndexShape {
  const bits = 32 - Math.clz32(Math.floor((arcs * 4) / 3));
  if (bits > MAX_BITS) throw new InternalError("vertex has too many arcs");
  return bits | (Math.min(shape >>> SPREAD_SHIFT, bits) << SPREAD_SHIFT);
}

/** Returns a shape with a larger spread; the same shape if it cannot grow. */
export function growIndex(shape: IndexShape): IndexShape {
  const bits = shape & BITS_MASK;
  const spread = shape >>> SPREAD_SHIFT;
  const wider = spread === 0 ? FIRST_SPREAD : spread + SPREAD_STEP;
  return bits | (Math.max(spread, Math.min(wider, bits)) << SPREAD_SHIFT);
}

/** Returns the number of slots of an index. */
export function countSlots(shape: IndexShape): number {
  return 1 << (shape & BITS_MASK);
}

export class ArcIndex {
  readonly #writer: Writer;
  readonly #blocks: BlockAllocator;
  readonly #arcs: Arena;

  constructor(writer: Writer, blocks: BlockAllocator) {
    this.#writer = writer;
    this.#blocks = blocks;
    this.#arcs = blocks.arena;
  }

  /** Returns true if one more arc would exceed the load limit. */
  isFull(shape: IndexShape, arcs: number): boolean {
    return (arcs + 1) * 4 > 3 * countSlots(shape);
  }

  /** Builds an index of all arcs of a run; returns its pointer. */
  build(run: number, arcs: number, shape: IndexShape): number {
    const slots = countSlots(shape);
    const index = this.#blocks.allocate(this.#writer, this.#blocks.classFor(slots));
    const words = this.#arcs.words;
    words.fill(0, index, index + slots);
    for (let position = 0; position < arcs; position++) {
      let slot = homeAt(words, run + position * ARC_WORDS, shape);
      while (words[index + slot] !== 0) slot = (slot + 1) & (slots - 1);
      words[index + slot] = position + 1;
    }
    return index;
  }

  free(index: number, shape: IndexShape): void {
    this.#blocks.free(this.#writer, index, this.#blocks.classFor(countSlots(shape)));
  }

  /**
   * Returns the position of an arc to `other` whose word 1, masked with `keyMask`, is `key`; -1 if
   * there is none.
   */
  find(
    run: number,
    index: number,
    shape: IndexShape,
    other: number,
    key: number,
    keyMask: number,
  ): number {
    const slot = this.findSlot(run, index, shape, other, key, keyMask);
    return slot < 0 ? -1 : this.#arcs.words[index + slot]! - 1;
  }

  /** Variant of `find` that returns the slot of the arc. */
  findSlot(
    run: number,
    index: number,
    shape: IndexShape,
    other: number,
    key: number,
    keyMask: number,
  ): number {
    const words = this.#arcs.words;
    const mask = countSlots(shape) - 1;
    const isNamed = keyMask >>> NAME_SHIFT === NAME_MASK;
    let slot = isNamed ? homeSlot(other, key, shape) : firstHomeSlot(other, shape);
    // An empty slot ends the search, except within the window of possible home slots.
    const window = isNamed ? 0 : spreadMask(shape);
    // Bounded, because a reader may see a table that is being changed and has no free slot.
    for (let probes = 0; probes <= mask; probes++) {
      const entry = words[index + slot]!;
      if (entry !== 0) {
        const at = run + (entry - 1) * ARC_WORDS;
        if (words[at] === other && (words[at + 1]! & keyMask) === (key | 0)) return slot;
      } else if (probes >= window) return -1;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /**
   * Prefetches what the removal of an arc to `other` reads; the arc at word `last` moves into its
   * position. Returns a number that depends on the words, so that the reads are not eliminated.
   */
  prefetch(run: number, index: number, shape: IndexShape, other: number, last: number): number {
    const words = this.#arcs.words;
    const entry = words[index + firstHomeSlot(other, shape)]!;
    const moved = words[index + homeAt(words, last, shape)]!;
    return (entry === 0 ? 0 : words[run + (entry - 1) * ARC_WORDS]!) ^ moved;
  }

  /** Returns the positions of all arcs to a vertex, or of one relationship if `name` is not 0. */
  findAll(run: number, index: number, shape: IndexShape, other: number, name: number): number[] {
    const words = this.#arcs.words;
    const mask = countSlots(shape) - 1;
    let slot =
      name === 0 ? firstHomeSlot(other, shape) : homeSlot(other, name << NAME_SHIFT, shape);
    const window = name === 0 ? spreadMask(shape) : 0;
    const found: number[] = [];
    for (let probes = 0; probes <= mask; probes++) {
      const entry = words[index + slot]!;
      if (entry !== 0) {
        const at = run + (entry - 1) * ARC_WORDS;
        const isNamed = name === 0 || words[at + 1]! >>> NAME_SHIFT === name;
        if (words[at] === other && isNamed) found.push(entry - 1);
      } else if (probes >= window) break;
      slot = (slot + 1) & mask;
    }
    return found;
  }

  /** Adds the arc at a position; false if too many arcs to the same terminal precede it. */
  add(run: number, index: number, shape: IndexShape, position: number): boolean {
    const words = this.#arcs.words;
    const mask = countSlots(shape) - 1;
    const at = run + position * ARC_WORDS;
    const other = words[at]!;
    let slot = homeAt(words, at, shape);
    let alike = 0;
    for (let entry = words[index + slot]!; entry !== 0; entry = words[index + slot]!) {
      if (words[run + (entry - 1) * ARC_WORDS] === other) alike++;
      slot = (slot + 1) & mask;
    }
    if (alike > MAX_SAME_TERMINAL && growIndex(shape) !== shape) return false;
    this.#writer.put(this.#arcs, index + slot, position + 1);
    return true;
  }

  /** Updates the entry of an arc that moves within the run. */
  move(run: number, index: number, shape: IndexShape, from: number, to: number): void {
    this.#writer.put(this.#arcs, index + this.#slotOf(run, index, shape, from), to + 1);
  }

  /** Removes the entry of the arc at a position, while the run still contains it. */
  remove(run: number, index: number, shape: IndexShape, position: number): void {
    this.removeSlot(run, index, shape, this.#slotOf(run, index, shape, position));
  }

  /** Removes the entry in a slot, while the run still contains its arc. */
  removeSlot(run: number, index: number, shape: IndexShape, removed: number): void {
    const words = this.#arcs.words;
    const mask = countSlots(shape) - 1;
    let gap = removed;
    for (let slot = gap; ; ) {
      slot = (slot + 1) & mask;
      const entry = words[index + slot]!;
      if (entry === 0) break;
      const home = homeAt(words, run + (entry - 1) * ARC_WORDS, shape);
      // An entry moves to the gap unless its home slot is behind the gap.
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue;
      this.#writer.put(this.#arcs, index + gap, entry);
      gap = slot;
    }
    this.#writer.put(this.#arcs, index + gap, 0);
  }

  #slotOf(run: number, index: number, shape: IndexShape, position: number): number {
    const words = this.#arcs.words;
    const mask = countSlots(shape) - 1;
    let slot = homeAt(words, run + position * ARC_WORDS, shape);
    while (words[index + slot] !== position + 1) {
      assert(words[index + slot] !== 0, "the index has every arc of its run");
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}

function homeAt(words: Uint32Array, at: number, shape: IndexShape): number {
  return homeSlot(words[at]!, words[at + 1]!, shape);
}

function homeSlot(other: number, key: number, shape: IndexShape): number {
  const first = firstHomeSlot(other, shape);
  // The common case: spread 0.
  if (shape <= BITS_MASK) return first;
  const hash = Math.imul(key >>> NAME_SHIFT, NAME_MULTIPLIER);
  return (first + ((hash ^ (hash >>> 15)) & spreadMask(shape))) & (countSlots(shape) - 1);
}

function firstHomeSlot(other: number, shape: IndexShape): number {
  return Math.imul(other, MULTIPLIER) >>> (32 - (shape & BITS_MASK));
}

function spreadMask(shape: IndexShape): number {
  return (1 << (shape >>> SPREAD_SHIFT)) - 1;
}
