// Counters of one facet each: of values, ranges of numbers, types, and the ends of arcs.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_IN, D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ValueCounts } from "../../texts/column-counts.js";
import { ArcStack } from "../match/arc-stack.js";
import type { ArcTest } from "../match/arc-test.js";
import { HandleSet } from "../match/handle-set.js";
import { ALL_ARCS, getScanners } from "../match/run-scanner.js";
import { CellChunk } from "./cell-chunk.js";
import type { SlotTotals, TotalsOption } from "./slot-totals.js";
import { type FacetedValue, slotOfVertex, ValueTable } from "./value-table.js";

/** A parsed facet. */
export type Facet = TotalsOption & { readonly name: string } & (
    | { readonly kind: "values"; readonly key: string; readonly top: number }
    | { readonly kind: "type"; readonly top: number }
    | { readonly kind: "arcs"; readonly arc: ArcTest; readonly top: number }
    /** Ascending limits. */
    | { readonly kind: "ranges"; readonly key: string; readonly limits: readonly number[] }
  );

/** Counts the hits of one facet, chunk by chunk. */
export interface FacetCounter {
  count(heads: Uint32Array, from: number, end: number): void;
  /** Returns the slots in the order of the result. */
  slots(): readonly number[];
  /** Names what a slot counts. */
  labelOf(slot: number): { readonly value: FacetedValue } | { from?: number; to?: number };
}

/** @param counted hits that a column has counted; null if the counter receives all hits */
export function createCounter(
  store: GraphStore,
  facet: Facet,
  totals: SlotTotals,
  counted: ValueCounts | null,
): FacetCounter {
  if (facet.kind === "values" && counted !== null) {
    return new CountedValueCounter(store, facet.key, totals, counted);
  }
  if (facet.kind === "values") return new ValueCounter(store, facet.key, totals);
  if (facet.kind === "ranges") {
    return new RangeCounter(store, facet.key, facet.limits, totals, counted);
  }
  if (facet.kind === "type") return new TypeCounter(store, totals);
  return new ArcCounter(store, facet.arc, totals);
}

class ValueCounter implements FacetCounter {
  readonly #chunk: CellChunk;
  readonly #table: ValueTable;
  readonly #totals: SlotTotals;

  constructor(store: GraphStore, key: string, totals: SlotTotals) {
    this.#chunk = new CellChunk(store, key);
    this.#table = new ValueTable(store);
    this.#totals = totals;
  }

  count(heads: Uint32Array, from: number, end: number): void {
    this.#chunk.read(heads, from, end);
    this.#totals.read(heads, from, end);
    for (let at = 0; at < end - from; at++) {
      const slot = slotOfVertex(this.#table, this.#chunk, heads, from, at);
      if (slot >= 0) this.#totals.add(slot, at);
    }
  }

  slots(): number[] {
    return sortSlots(this.#totals, (slot) => this.#table.values[slot]!);
  }

  labelOf(slot: number): { readonly value: FacetedValue } {
    return { value: this.#table.values[slot]! };
  }
}

/** Continues the counts of a column with hits that the column lacks, read from their vertices. */
class CountedValueCounter implements FacetCounter {
  readonly #chunk: CellChunk;
  readonly #table: ValueTable;
  readonly #totals: SlotTotals;
  readonly #values: FacetedValue[];
  readonly #slots = new Map<FacetedValue, number>();

  constructor(store: GraphStore, key: string, totals: SlotTotals, counted: ValueCounts) {
    this.#chunk = new CellChunk(store, key);
    this.#table = new ValueTable(store);
    this.#totals = totals;
    this.#values = [...counted.keys()];
    for (const [slot, value] of this.#values.entries()) this.#slots.set(value, slot);
    for (const count of counted.values()) totals.counts.push(count);
  }

  count(heads: Uint32Array, from: number, end: number): void {
    this.#chunk.read(heads, from, end);
    for (let at = 0; at < end - from; at++) {
      const slot = slotOfVertex(this.#table, this.#chunk, heads, from, at);
      if (slot >= 0) this.#totals.add(this.#slotOf(this.#table.values[slot]!), at);
    }
  }

  #slotOf(value: FacetedValue): number {
    let slot = this.#slots.get(value);
    if (slot === undefined) {
      slot = this.#values.push(value) - 1;
      this.#slots.set(value, slot);
    }
    return slot;
  }

  slots(): number[] {
    return sortSlots(this.#totals, (slot) => this.#values[slot]!);
  }

  labelOf(slot: number): { readonly value: FacetedValue } {
    return { value: this.#values[slot]! };
  }
}

class RangeCounter implements FacetCounter {
  readonly #chunk: CellChunk;
  readonly #limits: readonly number[];
  readonly #totals: SlotTotals;

  constructor(
    store: GraphStore,
    key: string,
    limits: readonly number[],
    totals: SlotTotals,
    counted: ValueCounts | null,
  ) {
    this.#chunk = new CellChunk(store, key);
    this.#limits = limits;
    this.#totals = totals;
    for (let range = 0; range <= limits.length; range++) totals.counts.push(0);
    for (const [value, count] of counted ?? []) {
      if (typeof value === "number") totals.counts[this.#rangeOf(value)]! += count;
    }
  }

  count(heads: Uint32Array, from: number, end: number): void {
    this.#chunk.read(heads, from, end);
    this.#totals.read(heads, from, end);
    for (let at = 0; at < end - from; at++) {
      const number = this.#chunk.numberAt(at);
      if (!Number.isNaN(number)) this.#totals.add(this.#rangeOf(number), at);
    }
  }

  #rangeOf(number: number): number {
    const limits = this.#limits;
    let range = 0;
    while (range < limits.length && number >= limits[range]!) range++;
    return range;
  }

  slots(): number[] {
    return Array.from({ length: this.#limits.length + 1 }, (_, range) => range);
  }

  labelOf(range: number): { from?: number; to?: number } {
    const limits = this.#limits;
    return {
      ...(range > 0 && { from: limits[range - 1]! }),
      ...(range < limits.length && { to: limits[range]! }),
    };
  }
}

class TypeCounter implements FacetCounter {
  readonly #store: GraphStore;
  readonly #totals: SlotTotals;

  constructor(store: GraphStore, totals: SlotTotals) {
    this.#store = store;
    this.#totals = totals;
  }

  count(heads: Uint32Array, from: number, end: number): void {
    const { vertices } = this.#store;
    this.#totals.read(heads, from, end);
    for (let at = from; at < end; at++) this.#totals.add(vertices.typeOf(heads[at]!), at - from);
  }

  slots(): number[] {
    return sortSlots(this.#totals, (code) => this.#store.types.nameOf(code));
  }

  labelOf(code: number): { readonly value: FacetedValue } {
    return { value: this.#store.types.nameOf(code) };
  }
}

/** A hit counts once for each vertex that its arcs lead to. */
class ArcCounter implements FacetCounter {
  readonly #store: GraphStore;
  readonly #arc: ArcTest;
  readonly #totals: SlotTotals;
  readonly #stack = new ArcStack();
  readonly #ends = new HandleSet();
  readonly #slots = new Map<number, number>();
  readonly #vertices: number[] = [];

  constructor(store: GraphStore, arc: ArcTest, totals: SlotTotals) {
    this.#store = store;
    this.#arc = arc;
    this.#totals = totals;
    arc.bind(store.relationships);
  }

  count(heads: Uint32Array, from: number, end: number): void {
    this.#totals.read(heads, from, end);
    for (let at = from; at < end; at++) this.#countEnds(heads[at]!, at - from);
  }

  #countEnds(head: number, at: number): void {
    const { outArcs, inArcs } = getScanners(this.#store);
    const arc = this.#arc;
    const stack = this.#stack;
    stack.clear();
    this.#ends.clear();
    if (arc.direction !== D_IN) outArcs.select(head, arc, stack, ALL_ARCS);
    if (arc.direction !== D_OUT) inArcs.select(head, arc, stack, ALL_ARCS);
    for (let word = 0; word < stack.top; word += ARC_WORDS) {
      const other = stack.words[word]!;
      if (this.#ends.add(other)) this.#totals.add(this.#slotOf(other), at);
    }
  }

  #slotOf(vertex: number): number {
    let slot = this.#slots.get(vertex);
    if (slot === undefined) {
      slot = this.#vertices.push(vertex) - 1;
      this.#slots.set(vertex, slot);
    }
    return slot;
  }

  slots(): number[] {
    return sortSlots(this.#totals, (slot) => this.labelOf(slot).value);
  }

  labelOf(slot: number): { readonly value: FacetedValue } {
    return { value: this.#store.ids.idOf(this.#vertices[slot]!) };
  }
}

/** Returns the slots by descending hits; equally frequent ones in the order of their values. */
function sortSlots({ counts }: SlotTotals, readValue: (slot: number) => FacetedValue): number[] {
  const slots = [...counts.keys()].filter((slot) => counts[slot]! > 0);
  const values = new Map(slots.map((slot) => [slot, readValue(slot)]));
  return slots.sort((a, b) => {
    const difference = counts[b]! - counts[a]!;
    return difference !== 0 ? difference : compareValues(values.get(a)!, values.get(b)!);
  });
}

/** Numbers come before strings. */
export function compareValues(a: FacetedValue, b: FacetedValue): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a === b ? 0 : a! < b! ? -1 : 1;
}
