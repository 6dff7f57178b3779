// Counts the hits of a search by the values of a property, by ranges of its numbers, by type, or by
// the vertices at the other ends of arcs. Facets are counted after the search, one after another.

import { MAX_FACET_VALUES } from "../../../base/limits.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ValueCounts } from "../../texts/column-counts.js";
import type { Deadline } from "../match/deadline.js";
import { CHUNK } from "./cell-chunk.js";
import { createCounter, type Facet, type FacetCounter } from "./facet-counters.js";
import type { HeadList } from "./head-list.js";
import { type PartialTotals, SlotTotals, type ValueTotals } from "./slot-totals.js";
import type { FacetedValue } from "./value-table.js";

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
  /** Maximum hits of a value that is not listed. */
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
  list: HeadList,
  deadline: Deadline,
): { readonly counter: FacetCounter; readonly totals: SlotTotals } {
  const totals = new SlotTotals(store, facet);
  const counted = findCounts(facet, list);
  const counter = createCounter(store, facet, totals, counted);
  const heads = counted === null ? list.heads : list.columns!.others;
  const count = counted === null ? list.count : heads.length;
  for (let from = 0; from < count; from += CHUNK) {
    const end = Math.min(from + CHUNK, count);
    counter.count(heads, from, end);
    deadline.spendTime(end - from);
  }
  return { counter, totals };
}

/** Returns the properties of the facets that need only numbers of hits. */
export function countedKeys(facets: readonly Facet[]): string[] {
  return facets.flatMap((facet) => {
    const hasCountsOnly = facet.stats.length === 0 && facet.distinct.length === 0;
    return hasCountsOnly && (facet.kind === "values" || facet.kind === "ranges") ? facet.key : [];
  });
}

/** Returns the counts of a facet from its column; null if there is no column. */
function findCounts(facet: Facet, { columns }: HeadList): ValueCounts | null {
  const [key] = countedKeys([facet]);
  return key === undefined ? null : (columns?.counts.get(key) ?? null);
}

/** Returns the names of the facets that columns have counted. */
export function namesOfCounted(facets: readonly Facet[], list: HeadList): string[] {
  return facets.flatMap((facet) => (findCounts(facet, list) === null ? [] : facet.name));
}
