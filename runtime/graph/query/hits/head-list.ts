// The heads of all hits of a search, including hits that are not kept, for facets.

import { ARC_WORDS } from "../../memory/layout.js";
import type { ColumnCounts } from "../../texts/column-counts.js";
import type { ArcBatch } from "./hit-sink.js";

const FIRST_HEADS = 1024;

export class HeadList {
  heads: Uint32Array = new Uint32Array(FIRST_HEADS);
  count = 0;
  /** Values that were counted with the search; null if none were. */
  columns: ColumnCounts | null = null;
  /** Properties whose values are to be counted. */
  readonly counted: readonly string[];

  constructor(counted: readonly string[] = []) {
    this.counted = counted;
  }

  /** Adds the heads of a batch. */
  push({ words, from, end }: ArcBatch): void {
    this.#reserve((end - from) / ARC_WORDS);
    const { heads } = this;
    let { count } = this;
    for (let arc = from; arc < end; arc += ARC_WORDS) heads[count++] = words[arc]!;
    this.count = count;
  }

  /** Replaces the list. */
  set(heads: Uint32Array, columns: ColumnCounts | null): void {
    this.columns = columns;
    this.heads = heads;
    this.count = heads.length;
  }

  #reserve(added: number): void {
    const needed = this.count + added;
    if (needed <= this.heads.length) return;
    const larger = new Uint32Array(Math.max(needed, this.heads.length * 2));
    larger.set(this.heads.subarray(0, this.count));
    this.heads = larger;
  }
}
