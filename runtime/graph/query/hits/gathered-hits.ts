// Hits of several tails, to compute the keys of many at once: vectors are read faster in large
// batches, as cache misses then overlap.

import { ARC_WORDS } from "../../memory/layout.js";
import { ArcBatch, type HitSideNumber } from "./hit-sink.js";

const PART_WORDS = 3;

export class GatheredHits {
  /** All hits; its path is that of the current part. */
  readonly batch: ArcBatch;
  /** {end, tail, level << 2 | side} of each part: hits that came together. */
  readonly #parts: Uint32Array;
  #partsEnd = 0;
  #top = 0;

  /** @param maxHits maximum number of hits */
  constructor(maxHits: number) {
    this.batch = new ArcBatch(new Uint32Array(maxHits * ARC_WORDS));
    this.#parts = new Uint32Array(maxHits * PART_WORDS);
  }

  get isEmpty(): boolean {
    return this.#top === 0;
  }

  hasRoom(words: number): boolean {
    return this.#top + words <= this.batch.words.length;
  }

  clear(): void {
    this.#top = 0;
    this.#partsEnd = 0;
  }

  /** Adds the hits of a batch, which has one at least. Requires room. */
  push({ words, from, end, tail, level, side }: ArcBatch): void {
    const hitWords = this.batch.words;
    let top = this.#top;
    for (let at = from; at < end; at++) hitWords[top++] = words[at]!;
    this.#top = top;
    const part = this.#partsEnd;
    this.#parts[part] = top;
    this.#parts[part + 1] = tail;
    this.#parts[part + 2] = (level << 2) | side;
    this.#partsEnd = part + PART_WORDS;
  }

  /** Makes the batch that of all hits. */
  selectAll(): void {
    this.batch.from = 0;
    this.batch.end = this.#top;
  }

  /** Passes the batch of each part to a function. */
  eachPart(take: (part: ArcBatch) => void): void {
    const { batch } = this;
    const parts = this.#parts;
    batch.end = 0;
    for (let part = 0; part < this.#partsEnd; part += PART_WORDS) {
      batch.from = batch.end;
      batch.end = parts[part]!;
      batch.tail = parts[part + 1]!;
      batch.level = parts[part + 2]! >>> 2;
      batch.side = (parts[part + 2]! & 3) as HitSideNumber;
      take(batch);
    }
  }
}
