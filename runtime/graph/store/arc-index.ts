// Where in a long run the arcs to a terminal are: one hash table per vertex side, in the arena of
// its run. Runs are never in any order; without this, looking for one arc of a hub reads all.
//
//   slot  position of an arc in the run + 1, or 0        2^bits slots, no header
//
// Linear probing from the hash of the terminal, at most 3/4 full, deletion by moving back. All arcs
// to one terminal are in one cluster: n of them cost n probes, which only a pair of vertices with
// thousands of arcs feels, and a cluster is never longer than the run that would be scanned
// instead.

import type { Arena } from "../memory/arena.js";
import type { Blocks } from "../memory/blocks.js";
import { ARC_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";

/** Runs of more arcs have an index; those that shrink to half of that lose it. */
export const INDEX_ABOVE = 64;

/** 2^32 divided by the golden ratio: spreads handles, which are consecutive, best of all. */
const MULTIPLIER = 0x9e37_79b1;

/** Number of slots, as a power of 2, that an index of so many arcs needs. */
export function indexBitsFor(arcs: number): number {
  return 32 - Math.clz32(Math.floor((arcs * 4) / 3));
}

export class ArcIndex {
  readonly #writer: Writer;
  readonly #blocks: Blocks;
  readonly #arcs: Arena;

  constructor(writer: Writer, blocks: Blocks) {
    this.#writer = writer;
    this.#blocks = blocks;
    this.#arcs = blocks.arena;
  }

  /** True if another arc would make an index too full. */
  isFull(bits: number, arcs: number): boolean {
    return (arcs + 1) * 4 > 3 * (1 << bits);
  }

  /** Pointer to an index of all arcs of a run. */
  build(run: number, arcs: number, bits: number): number {
    const slots = 1 << bits;
    const index = this.#blocks.allocate(this.#writer, this.#blocks.classFor(slots));
    const words = this.#arcs.words;
    words.fill(0, index, index + slots);
    for (let position = 0; position < arcs; position++) {
      let slot = homeOf(words[run + position * ARC_WORDS]!, bits);
      while (words[index + slot] !== 0) slot = (slot + 1) & (slots - 1);
      words[index + slot] = position + 1;
    }
    return index;
  }

  free(index: number, bits: number): void {
    this.#blocks.free(this.#writer, index, this.#blocks.classFor(1 << bits));
  }

  /** Position of an arc whose word 1, as far as `mask` goes, is `key`; -1 if there is none. */
  find(
    run: number,
    index: number,
    bits: number,
    other: number,
    key: number,
    keyMask: number,
  ): number {
    const words = this.#arcs.words;
    const mask = (1 << bits) - 1;
    let slot = homeOf(other, bits);
    // A reader may see a table that changes under it: then there may be no end to its cluster.
    for (let probes = 0; probes <= mask; probes++) {
      const entry = words[index + slot]!;
      if (entry === 0) return -1;
      const at = run + (entry - 1) * ARC_WORDS;
      if (words[at] === other && (words[at + 1]! & keyMask) === (key | 0)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  /** Positions of all arcs to a vertex. */
  findAll(run: number, index: number, bits: number, other: number): number[] {
    const words = this.#arcs.words;
    const mask = (1 << bits) - 1;
    const found: number[] = [];
    let slot = homeOf(other, bits);
    for (let probes = 0; probes <= mask; probes++) {
      const entry = words[index + slot]!;
      if (entry === 0) break;
      if (words[run + (entry - 1) * ARC_WORDS] === other) found.push(entry - 1);
      slot = (slot + 1) & mask;
    }
    return found;
  }

  /** Enters the arc at a position. */
  add(index: number, bits: number, other: number, position: number): void {
    const words = this.#arcs.words;
    const mask = (1 << bits) - 1;
    let slot = homeOf(other, bits);
    while (words[index + slot] !== 0) slot = (slot + 1) & mask;
    this.#writer.put(this.#arcs, index + slot, position + 1);
  }

  /** Lets the entry of an arc that is at `from` say that it is at `to`. */
  move(index: number, bits: number, other: number, from: number, to: number): void {
    this.#writer.put(this.#arcs, index + this.#slotOf(index, bits, other, from), to + 1);
  }

  /** Takes out the entry of the arc at a position, while the run still has it. */
  remove(run: number, index: number, bits: number, other: number, position: number): void {
    const words = this.#arcs.words;
    const mask = (1 << bits) - 1;
    let gap = this.#slotOf(index, bits, other, position);
    for (let slot = gap; ; ) {
      slot = (slot + 1) & mask;
      const entry = words[index + slot]!;
      if (entry === 0) break;
      const home = homeOf(words[run + (entry - 1) * ARC_WORDS]!, bits);
      // An entry may move to the gap unless that lies before its home.
      if (((slot - home) & mask) < ((slot - gap) & mask)) continue;
      this.#writer.put(this.#arcs, index + gap, entry);
      gap = slot;
    }
    this.#writer.put(this.#arcs, index + gap, 0);
  }

  #slotOf(index: number, bits: number, other: number, position: number): number {
    const words = this.#arcs.words;
    const mask = (1 << bits) - 1;
    let slot = homeOf(other, bits);
    while (words[index + slot] !== position + 1) slot = (slot + 1) & mask;
    return slot;
  }
}

function homeOf(other: number, bits: number): number {
  return Math.imul(other, MULTIPLIER) >>> (32 - bits);
}
