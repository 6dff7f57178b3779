// The hits of one execution, local to a thread: five words each and no objects.
//
//   level << 2 | side   tail   head   word 1   value           and a sort key if hits are sorted

import type { OwnedDoubles } from "../../../base/owned-arrays.js";
import { ARC_WORDS } from "../../memory/layout.js";
import type { ArcBatch, HitSideNumber } from "./hit-sink.js";

const HIT_WORDS = 5;
const FIRST_CAPACITY = 64;
/** Maximum capacity that a thread retains between queries, in hits. */
const MAX_KEPT_HITS = 65_536;

export class HitBuffer {
  #words = new Uint32Array(FIRST_CAPACITY * HIT_WORDS);
  /** Sort key by slot, ascending. */
  keys: OwnedDoubles = new Float64Array(FIRST_CAPACITY);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.keys.length > MAX_KEPT_HITS) {
      this.#words = new Uint32Array(FIRST_CAPACITY * HIT_WORDS);
      this.keys = new Float64Array(FIRST_CAPACITY);
    }
  }

  /** Appends the arcs of a batch up to a word. */
  push(batch: ArcBatch, end: number): void {
    const { words: arcs, from, tail } = batch;
    while (this.length * ARC_WORDS + end - from > this.keys.length * ARC_WORDS) this.#grow();
    const words = this.#words;
    const first = (batch.level << 2) | batch.side;
    let at = this.length * HIT_WORDS;
    let { length } = this;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      words[at] = first;
      words[at + 1] = tail;
      words[at + 2] = arcs[arc]!;
      words[at + 3] = arcs[arc + 1]!;
      words[at + 4] = arcs[arc + 2]!;
      at += HIT_WORDS;
      length++;
    }
    this.length = length;
  }

  /** Appends an empty slot. */
  addSlot(): number {
    if (this.length === this.keys.length) this.#grow();
    return this.length++;
  }

  /** Overwrites a slot with one arc of a batch. */
  put(slot: number, batch: ArcBatch, arc: number): void {
    const at = slot * HIT_WORDS;
    const words = this.#words;
    words[at] = (batch.level << 2) | batch.side;
    words[at + 1] = batch.tail;
    words[at + 2] = batch.words[arc]!;
    words[at + 3] = batch.words[arc + 1]!;
    words[at + 4] = batch.words[arc + 2]!;
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
