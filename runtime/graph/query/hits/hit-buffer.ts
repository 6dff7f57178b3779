// The hits of one execution, in the memory of one thread: five words each, no objects.
//
//   level << 2 | side   tail   head   word 1   value           and a key where they are sorted

import { ARC_WORDS } from "../../memory/layout.js";
import type { HitSideNumber } from "./hit-sink.js";

const HIT_WORDS = 5;
const FIRST_CAPACITY = 64;
/** What a thread keeps between queries, so that a large one does not hold its memory for ever. */
const MAX_KEPT_HITS = 65_536;

export class HitBuffer {
  #words = new Uint32Array(FIRST_CAPACITY * HIT_WORDS);
  /** By slot: what the hit is sorted by, smaller ones first. */
  keys = new Float64Array(FIRST_CAPACITY);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.keys.length > MAX_KEPT_HITS) {
      this.#words = new Uint32Array(FIRST_CAPACITY * HIT_WORDS);
      this.keys = new Float64Array(FIRST_CAPACITY);
    }
  }

  /** Appends a hit. */
  push(
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): void {
    const slot = this.length++;
    if (slot === this.keys.length) this.#grow();
    this.put(slot, level, tail, head, word1, value, side);
  }

  /** Appends the hits of some arcs of one tail, three words each. */
  pushRun(
    level: number,
    tail: number,
    arcs: Uint32Array,
    from: number,
    count: number,
    side: HitSideNumber,
  ): void {
    while (this.length + count > this.keys.length) this.#grow();
    const words = this.#words;
    const first = (level << 2) | side;
    let at = this.length * HIT_WORDS;
    for (let arc = from; arc < from + count * ARC_WORDS; arc += ARC_WORDS) {
      words[at] = first;
      words[at + 1] = tail;
      words[at + 2] = arcs[arc]!;
      words[at + 3] = arcs[arc + 1]!;
      words[at + 4] = arcs[arc + 2]!;
      at += HIT_WORDS;
    }
    this.length += count;
  }

  /** Replaces the hit of a slot. */
  put(
    slot: number,
    level: number,
    tail: number,
    head: number,
    word1: number,
    value: number,
    side: HitSideNumber,
  ): void {
    const at = slot * HIT_WORDS;
    const words = this.#words;
    words[at] = (level << 2) | side;
    words[at + 1] = tail;
    words[at + 2] = head;
    words[at + 3] = word1;
    words[at + 4] = value;
  }

  levelOf(slot: number): number {
    return this.#words[slot * HIT_WORDS]! >>> 2;
  }

  sideOf(slot: number): HitSideNumber {
    return (this.#words[slot * HIT_WORDS]! & 3) as HitSideNumber;
  }

  tailOf(slot: number): number {
    return this.#words[slot * HIT_WORDS + 1]!;
  }

  headOf(slot: number): number {
    return this.#words[slot * HIT_WORDS + 2]!;
  }

  word1Of(slot: number): number {
    return this.#words[slot * HIT_WORDS + 3]!;
  }

  valueOf(slot: number): number {
    return this.#words[slot * HIT_WORDS + 4]!;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    const keys = new Float64Array(this.keys.length * 2);
    keys.set(this.keys);
    this.#words = words;
    this.keys = keys;
  }
}
