// Position behind which a page continues: the last hit of the previous page. It consists of names
// and values, not of handles, so another replica can continue, even after the hit was removed.

import { ARC_WORDS } from "../../memory/layout.js";
import type { GraphStore } from "../../store/graph-store.js";
import { moveArc } from "../match/arc-stack.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { ArcBatch } from "./hit-sink.js";

/** Order of hits by keys, and by names where keys are equal. */
interface NamedOrder {
  /** Returns the string that a hit is sorted by; empty in other orders. */
  nameOf(head: number, tail: number): string;
  compareName(head: number, tail: number, name: string): number;
}

/** The values by which a hit is sorted. */
export interface LastHit {
  /** Sort key, ascending. */
  readonly key: number;
  /** String compared after the key; empty for other orders. */
  readonly name: string;
  readonly head: string;
  readonly tail: string;
  readonly level: number;
  readonly side: number;
  readonly word1: number;
  readonly bits: number;
}

/** Returns the hit in a slot, for a later page. */
export function describeHit(
  store: GraphStore,
  order: NamedOrder,
  hits: HitBuffer,
  slot: number,
): LastHit {
  const { ids } = store;
  const [head, tail] = [hits.headOf(slot), hits.tailOf(slot)];
  return {
    key: hits.keys[slot]!,
    name: order.nameOf(head, tail),
    head: ids.idOf(head),
    tail: tail === 0 ? "" : ids.idOf(tail),
    level: hits.levelOf(slot),
    side: hits.sideOf(slot),
    word1: hits.word1Of(slot),
    bits: hits.valueOf(slot),
  };
}

export class PagePosition {
  readonly #store: GraphStore;
  readonly #order: NamedOrder;
  readonly #last: LastHit;
  readonly #head: Buffer;
  readonly #tail: Buffer;
  /** Hits equal to the last one that earlier pages contain and that `filter` did not meet yet. */
  #equalLeft: number;

  /**
   * @param order a total one
   * @param equal hits equal to the last one on earlier pages, itself included: ways to an arc
   */
  constructor(store: GraphStore, order: NamedOrder, last: LastHit, equal: number) {
    this.#equalLeft = equal;
    this.#store = store;
    this.#order = order;
    this.#last = last;
    this.#head = Buffer.from(last.head);
    this.#tail = Buffer.from(last.tail);
  }

  /** Keeps the arcs behind the position and their keys; returns the smallest key. */
  filter(batch: ArcBatch, keys: Float64Array): number {
    const { words, from, end, tail, level, side } = batch;
    let [minKey, top, kept] = [Number.POSITIVE_INFINITY, from, 0];
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const key = keys[index]!;
      const [head, word1, bits] = [words[arc]!, words[arc + 1]!, words[arc + 2]!];
      const compared = this.#compare(key, head, tail, level, side, word1, bits);
      if (compared < 0 || (compared === 0 && this.#equalLeft-- > 0)) continue;
      keys[kept++] = key;
      if (key < minKey) minKey = key;
      top = moveArc(words, arc, top);
    }
    batch.end = top;
    return minKey;
  }

  /** Compares a hit with the last one: more than 0 if it is behind the position. */
  compare(hits: HitBuffer, slot: number): number {
    const [word1, bits] = [hits.word1Of(slot), hits.valueOf(slot)];
    const [level, side] = [hits.levelOf(slot), hits.sideOf(slot)];
    const [head, tail] = [hits.headOf(slot), hits.tailOf(slot)];
    return this.#compare(hits.keys[slot]!, head, tail, level, side, word1, bits);
  }

  #compare(
    key: number,
    head: number,
    tail: number,
    level: number,
    side: number,
    word1: number,
    bits: number,
  ): number {
    const last = this.#last;
    if (key !== last.key) return key < last.key ? -1 : 1;
    const named = this.#order.compareName(head, tail, last.name);
    if (named !== 0) return named;
    return (
      this.#compareId(head, this.#head) ||
      this.#compareId(tail, this.#tail) ||
      level - last.level ||
      side - last.side ||
      word1 - last.word1 ||
      bits - last.bits
    );
  }

  #compareId(vertex: number, id: Buffer): number {
    return Buffer.compare(Buffer.from(vertex === 0 ? "" : this.#store.ids.idOf(vertex)), id);
  }
}

/** Compares hits with equal keys and names, as positions do. */
export function compareEqualHits(
  { ids }: GraphStore,
  hits: HitBuffer,
  a: number,
  b: number,
): number {
  const compareIds = (first: number, second: number): number =>
    first === second ? 0 : ids.compare(first, second);
  return (
    compareIds(hits.headOf(a), hits.headOf(b)) ||
    compareIds(hits.tailOf(a), hits.tailOf(b)) ||
    hits.levelOf(a) - hits.levelOf(b) ||
    hits.sideOf(a) - hits.sideOf(b) ||
    hits.word1Of(a) - hits.word1Of(b) ||
    hits.valueOf(a) - hits.valueOf(b)
  );
}
