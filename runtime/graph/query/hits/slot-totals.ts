// Totals by slot: the number of hits, and of chosen properties the sum, minimum, maximum, average
// and the number of distinct values.

import type { GraphStore } from "../../store/graph-store.js";
import { CellChunk } from "./cell-chunk.js";
import { type FacetedValue, slotOfVertex, ValueTable } from "./value-table.js";

/** Properties that are totaled for each value of a facet. */
export interface TotalsOption {
  readonly stats: readonly string[];
  readonly distinct: readonly string[];
}

/** Maximum number of distinct values that a partition lists for one property. */
export const MAX_LISTED_VALUES = 10_000;

/** Totals of the numbers of a property. */
export interface PropertyStats {
  /** Number of hits with a number. */
  readonly values: number;
  readonly sum: number;
  /** Null if there are no numbers. */
  readonly min: number | null;
  readonly max: number | null;
  readonly avg: number | null;
}

/** Totals of one value. */
export interface ValueTotals {
  readonly count: number;
  readonly stats?: { readonly [key: string]: PropertyStats };
  readonly distinct?: { readonly [key: string]: number };
}

/** Totals of one value in one partition, which can be added to those of others. */
export interface PartialTotals {
  readonly count: number;
  readonly stats?: { readonly [key: string]: PropertyStats };
  /** The values themselves; their number if they are too many to list. */
  readonly distinct?: { readonly [key: string]: readonly FacetedValue[] | number };
}

export class SlotTotals {
  readonly counts: number[] = [];
  readonly #stats: readonly NumberTotals[];
  readonly #distinct: readonly DistinctValues[];
  readonly #hasCountsOnly: boolean;

  constructor(store: GraphStore, { stats, distinct }: TotalsOption) {
    this.#stats = stats.map((key) => new NumberTotals(store, key));
    this.#distinct = distinct.map((key) => new DistinctValues(store, key));
    this.#hasCountsOnly = stats.length === 0 && distinct.length === 0;
  }

  /** Reads the properties of the vertices of a chunk. Required before their `add`. */
  read(heads: Uint32Array, from: number, end: number): void {
    for (const { chunk } of this.#stats) chunk.read(heads, from, end);
    for (const distinct of this.#distinct) distinct.read(heads, from, end);
  }

  /** Adds the vertex at an offset of the chunk to a slot. */
  add(slot: number, at: number): void {
    const { counts } = this;
    while (counts.length <= slot) counts.push(0);
    counts[slot]!++;
    if (this.#hasCountsOnly) return;
    for (const totals of this.#stats) totals.add(slot, at);
    for (const distinct of this.#distinct) distinct.add(slot, at);
  }

  /** Returns the totals of a slot. */
  of(slot: number): ValueTotals {
    return this.#totalsOf(slot, (values) => values.of(slot));
  }

  /** Returns the totals of a slot in one partition. */
  partialOf(slot: number): PartialTotals {
    return this.#totalsOf(slot, (values) => values.listOf(slot));
  }

  #totalsOf<T>(
    slot: number,
    read: (values: DistinctValues) => T,
  ): { count: number; stats?: Record<string, PropertyStats>; distinct?: Record<string, T> } {
    const stats = this.#stats.map((totals) => [totals.chunk.key, totals.of(slot)] as const);
    const distinct = this.#distinct.map((values) => [values.key, read(values)] as const);
    return {
      count: this.counts[slot] ?? 0,
      ...(stats.length > 0 && { stats: Object.fromEntries(stats) }),
      ...(distinct.length > 0 && { distinct: Object.fromEntries(distinct) }),
    };
  }
}

class NumberTotals {
  readonly chunk: CellChunk;
  /** Number, sum, minimum and maximum by slot. */
  readonly #totals: [values: number, sum: number, min: number, max: number][] = [];

  constructor(store: GraphStore, key: string) {
    this.chunk = new CellChunk(store, key);
  }

  add(slot: number, at: number): void {
    const number = this.chunk.numberAt(at);
    if (Number.isNaN(number)) return;
    const totals = this.#totals[slot];
    if (totals === undefined) {
      this.#totals[slot] = [1, number, number, number];
      return;
    }
    totals[0]++;
    totals[1] += number;
    totals[2] = Math.min(totals[2], number);
    totals[3] = Math.max(totals[3], number);
  }

  of(slot: number): PropertyStats {
    const totals = this.#totals[slot];
    if (totals === undefined) return { values: 0, sum: 0, min: null, max: null, avg: null };
    const [values, sum, min, max] = totals;
    return { values, sum, min, max, avg: sum / values };
  }
}

/** Slots and values are numbered from 0, so a pair is one number below 2^53. */
const MAX_SLOTS = 2 ** 26;

class DistinctValues {
  readonly #chunk: CellChunk;
  readonly #table: ValueTable;
  readonly #pairs = new Set<number>();
  readonly #counts: number[] = [];
  #lists: Map<number, FacetedValue[]> | null = null;
  #heads: Uint32Array = new Uint32Array(0);
  #from = 0;

  constructor(store: GraphStore, key: string) {
    this.#chunk = new CellChunk(store, key);
    this.#table = new ValueTable(store);
  }

  get key(): string {
    return this.#chunk.key;
  }

  read(heads: Uint32Array, from: number, end: number): void {
    this.#heads = heads;
    this.#from = from;
    this.#chunk.read(heads, from, end);
  }

  add(slot: number, at: number): void {
    const value = slotOfVertex(this.#table, this.#chunk, this.#heads, this.#from, at);
    if (value < 0) return;
    const before = this.#pairs.size;
    this.#pairs.add(slot * MAX_SLOTS + value);
    if (this.#pairs.size > before) this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  of(slot: number): number {
    return this.#counts[slot] ?? 0;
  }

  /** Returns the values of a slot; their number if there are too many in all. */
  listOf(slot: number): readonly FacetedValue[] | number {
    if (this.#pairs.size > MAX_LISTED_VALUES) return this.of(slot);
    this.#lists ??= this.#listValues();
    return this.#lists.get(slot) ?? [];
  }

  #listValues(): Map<number, FacetedValue[]> {
    const lists = new Map<number, FacetedValue[]>();
    for (const pair of this.#pairs) {
      const slot = Math.floor(pair / MAX_SLOTS);
      const list = lists.get(slot) ?? [];
      if (list.push(this.#table.values[pair % MAX_SLOTS]!) === 1) lists.set(slot, list);
    }
    return lists;
  }
}
