// Groups the sorted hits of a search by a property or the type. The first hit of a group represents
// it; vertices without a value are one group.

import { MAX_FACET_VALUES } from "../../../base/limits.js";
import type { GraphStore } from "../../store/graph-store.js";
import { CellChunk, CHUNK } from "./cell-chunk.js";
import type { FacetValue, PartialFacetValue } from "./facets.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { PagePosition } from "./page-position.js";
import { SlotTotals, type TotalsOption } from "./slot-totals.js";
import { type FacetedValue, slotOfVertex, ValueTable } from "./value-table.js";

/** A parsed `groupBy`. */
export interface Grouping extends TotalsOption {
  /** Property; null for the type. */
  readonly key: string | null;
}

export class HitGroups {
  /** Slot in the buffer of the first hit of each group, in sort order. */
  firsts: Uint32Array;
  /** Values of the groups that begin on an earlier page. */
  earlier: readonly FacetedValue[] = [];
  /** Number of the group of each of them. */
  #groups: readonly number[];
  readonly #valueOf: (group: number) => FacetedValue;
  readonly #totals: SlotTotals;

  /** @param slots of all hits in sort order; null if that is their order */
  constructor(store: GraphStore, grouping: Grouping, hits: HitBuffer, slots: Uint32Array | null) {
    const order = slots ?? Uint32Array.from({ length: hits.length }, (_, slot) => slot);
    const heads = order.map((slot) => hits.headOf(slot));
    const totals = new SlotTotals(store, grouping);
    const groupAt = new GroupReader(store, grouping.key);
    const groups: number[] = [];
    const firsts: number[] = [];
    for (let from = 0; from < heads.length; from += CHUNK) {
      const end = Math.min(from + CHUNK, heads.length);
      groupAt.read(heads, from, end);
      totals.read(heads, from, end);
      for (let at = from; at < end; at++) {
        const group = groupAt.groupAt(at);
        if ((totals.counts[group] ?? 0) === 0) {
          groups.push(group);
          firsts.push(order[at]!);
        }
        totals.add(group, at - from);
      }
    }
    this.firsts = Uint32Array.from(firsts);
    this.#groups = groups;
    this.#totals = totals;
    this.#valueOf = (group) => groupAt.valueOf(group);
  }

  /**
   * Drops the groups that begin on an earlier page.
   * @param isPartial true to keep groups that begin at the position: the dispatcher skips them
   */
  keepBehind(position: PagePosition, hits: HitBuffer, isPartial: boolean): void {
    const { firsts } = this;
    const minimum = isPartial ? 0 : 1;
    const isBehind = (slot: number): boolean => position.compare(hits, slot) >= minimum;
    const dropped = this.#groups.filter((_, place) => !isBehind(firsts[place]!));
    this.#groups = this.#groups.filter((_, place) => isBehind(firsts[place]!));
    this.firsts = firsts.filter(isBehind);
    this.earlier = dropped.map((group) => this.#valueOf(group));
  }

  /** Returns the value of the group at a place in sort order. */
  valueAt(place: number): FacetedValue {
    return this.#valueOf(this.#groups[place]!);
  }

  /** Returns the groups of one partition in sort order, to be merged. */
  partials(): PartialFacetValue[] {
    return this.#groups.slice(0, MAX_FACET_VALUES).map((group) => ({
      value: this.#valueOf(group),
      ...this.#totals.partialOf(group),
    }));
  }

  /** Returns the value and the totals of the group at a place in sort order. */
  at(place: number): FacetValue {
    const group = this.#groups[place]!;
    return { value: this.#valueOf(group), ...this.#totals.of(group) };
  }
}

class GroupReader {
  readonly #store: GraphStore;
  readonly #chunk: CellChunk | null;
  readonly #table: ValueTable;
  #heads: Uint32Array = new Uint32Array(0);
  #from = 0;

  constructor(store: GraphStore, key: string | null) {
    this.#store = store;
    this.#chunk = key === null ? null : new CellChunk(store, key);
    this.#table = new ValueTable(store);
  }

  read(heads: Uint32Array, from: number, end: number): void {
    this.#heads = heads;
    this.#from = from;
    this.#chunk?.read(heads, from, end);
  }

  groupAt(place: number): number {
    if (this.#chunk === null) return this.#store.vertices.typeOf(this.#heads[place]!);
    const at = place - this.#from;
    const slot = slotOfVertex(this.#table, this.#chunk, this.#heads, this.#from, at);
    return slot < 0 ? this.#table.missingSlot : slot;
  }

  valueOf(group: number): FacetedValue {
    return this.#chunk === null ? this.#store.types.nameOf(group) : this.#table.values[group]!;
  }
}
