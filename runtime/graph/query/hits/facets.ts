// Counts the hits of a search by the values of a property, by ranges of its numbers, by type, or by
// the vertices at the other ends of arcs. Facets are counted after the search, one after another.

import { MAX_FACET_VALUES } from "../../../base/limits.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { D_IN, D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { ArcStack } from "../match/arc-stack.js";
import type { ArcTest } from "../match/arc-test.js";
import type { Deadline } from "../match/deadline.js";
import { HandleSet } from "../match/handle-set.js";
import { ALL_ARCS, getScanners } from "../match/run-scanner.js";
import { CellChunk, CHUNK } from "./cell-chunk.js";
import type { HeadList } from "./head-list.js";
import {
  type PartialTotals,
  SlotTotals,
  type TotalsOption,
  type ValueTotals,
} from "./slot-totals.js";
import { type FacetedValue, slotOfVertex, ValueTable } from "./value-table.js";

/** A parsed facet. */
export type Facet = TotalsOption & { readonly name: string } & (
    | { readonly kind: "values"; readonly key: string; readonly top: number }
    | { readonly kind: "type"; readonly top: number }
    | { readonly kind: "arcs"; readonly arc: ArcTest; readonly top: number }
    /** Ascending limits. */
    | { readonly kind: "ranges"; readonly key: string; readonly limits: readonly number[] }
  );

/** A value with its hits. */
export type FacetValue = { readonly value: FacetedValue } & ValueTotals;
/** Numbers from one limit to below another; the first and last range have one limit. */
export type FacetRange = { readonly from?: number; readonly to?: number } & ValueTotals;

/** Facets by name. */
export type Facets = Readonly<Record<string, readonly (FacetValue | FacetRange)[]>>;

/** A facet as one partition counts it. */
export interface PartialFacet {
  /** Number of values in the merged facet; null for ranges, of which all are listed. */
  readonly top: number | null;
  readonly values: readonly PartialFacetValue[];
  /** The most hits that a value has which is not listed. */
  readonly beyond: number;
}

export type PartialFacetValue = PartialTotals & {
  /** Undefined for ranges. */
  readonly value?: FacetedValue;
  readonly from?: number;
  readonly to?: number;
  /** Hits of the value that may be missing; 0 if undefined. */
  readonly error?: number;
};

/** Counts the hits of one facet, chunk by chunk. */
interface FacetCounter {
  count(heads: Uint32Array, from: number, end: number): void;
  /** Returns the slots in the order of the result. */
  slots(): readonly number[];
  /** Names what a slot counts. */
  labelOf(slot: number): { readonly value: FacetedValue } | { from?: number; to?: number };
}

/**
 * Returns the facets of all hits by name.
 * @throws SearchError after the time limit
 */
export function countFacets(
  store: GraphStore,
  facets: readonly Facet[],
  heads: HeadList,
  deadline: Deadline,
): Facets {
  const counted = facets.map((facet) => {
    const { counter, totals } = countFacet(store, facet, heads, deadline);
    const slots = facet.kind === "ranges" ? counter.slots() : counter.slots().slice(0, facet.top);
    const values = slots.map((slot) => ({ ...counter.labelOf(slot), ...totals.of(slot) }));
    return [facet.name, values] as const;
  });
  return Object.fromEntries(counted) as Facets;
}

/**
 * Returns the facets of the hits of one partition, to be merged.
 * @throws SearchError after the time limit
 */
export function countPartialFacets(
  store: GraphStore,
  facets: readonly Facet[],
  heads: HeadList,
  deadline: Deadline,
): Record<string, PartialFacet> {
  const counted = facets.map((facet) => {
    const { counter, totals } = countFacet(store, facet, heads, deadline);
    const slots = counter.slots();
    const first = slots[MAX_FACET_VALUES];
    const values = slots
      .slice(0, MAX_FACET_VALUES)
      .map((slot) => ({ ...counter.labelOf(slot), ...totals.partialOf(slot) }));
    const beyond = first === undefined ? 0 : totals.counts[first]!;
    const top = facet.kind === "ranges" ? null : facet.top;
    return [facet.name, { top, values, beyond }] as const;
  });
  return Object.fromEntries(counted);
}

function countFacet(
  store: GraphStore,
  facet: Facet,
  { heads, count }: HeadList,
  deadline: Deadline,
): { readonly counter: FacetCounter; readonly totals: SlotTotals } {
  const totals = new SlotTotals(store, facet);
  const counter = createCounter(store, facet, totals);
  for (let from = 0; from < count; from += CHUNK) {
    const end = Math.min(from + CHUNK, count);
    counter.count(heads, from, end);
    deadline.spendTime(end - from);
  }
  return { counter, totals };
}

function createCounter(store: GraphStore, facet: Facet, totals: SlotTotals): FacetCounter {
  if (facet.kind === "values") return new ValueCounter(store, facet.key, totals);
  if (facet.kind === "ranges") return new RangeCounter(store, facet.key, facet.limits, totals);
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

class RangeCounter implements FacetCounter {
  readonly #chunk: CellChunk;
  readonly #limits: readonly number[];
  readonly #totals: SlotTotals;

  constructor(store: GraphStore, key: string, limits: readonly number[], totals: SlotTotals) {
    this.#chunk = new CellChunk(store, key);
    this.#limits = limits;
    this.#totals = totals;
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
