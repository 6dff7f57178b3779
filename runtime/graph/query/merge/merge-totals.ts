// Adds the facets and groups of partitions. Counts, sums and distinct values are exact as long as
// the partitions list all of their values.

import { compareValues } from "../hits/facet-counters.js";
import type { FacetRange, FacetValue, PartialFacet, PartialFacetValue } from "../hits/facets.js";
import { MAX_LISTED_VALUES, type PartialTotals, type PropertyStats } from "../hits/slot-totals.js";
import type { FacetedValue } from "../hits/value-table.js";

/** Returns the sum of facets with one name. */
export function mergeFacets(facets: readonly PartialFacet[]): PartialFacet {
  const [{ top }] = facets as [PartialFacet];
  const beyond = facets.reduce((sum, facet) => sum + facet.beyond, 0);
  return { top, values: mergeValues(facets), beyond };
}

/** Returns a merged facet as it is shown. */
export function showFacet({ top, values }: PartialFacet): (FacetValue | FacetRange)[] {
  if (top === null) return values.map(showValue);
  return [...values]
    .sort((a, b) => b.count - a.count || compareValues(a.value!, b.value!))
    .slice(0, top)
    .map(showValue);
}

/** Adds the totals of equal values, in the order of their first occurrence. */
export function mergeValues(
  lists: readonly Pick<PartialFacet, "values" | "beyond">[],
): PartialFacetValue[] {
  const merged = new Map<string, PartialFacetValue[]>();
  const missed = new Map<string, number>();
  const total = lists.reduce((sum, { beyond }) => sum + beyond, 0);
  for (const { values, beyond } of lists) {
    for (const value of values) {
      const label = identifyValue(value);
      const same = merged.get(label);
      if (same === undefined) merged.set(label, [value]);
      else same.push(value);
      missed.set(label, (missed.get(label) ?? total) - beyond);
    }
  }
  return Array.from(merged, ([label, same]) => {
    const error = same.reduce((sum, value) => sum + (value.error ?? 0), missed.get(label)!);
    const [first] = same as [PartialFacetValue];
    return { ...first, ...addTotals(same), ...(error > 0 && { error }) };
  });
}

/** Returns a value with its totals as it is shown. */
export function showValue({ distinct, ...value }: PartialFacetValue): FacetValue {
  const counts = Object.entries(distinct ?? {}).map(([key, values]) => [key, sizeOf(values)]);
  return {
    ...(value as FacetValue),
    ...(distinct !== undefined && { distinct: Object.fromEntries(counts) }),
  };
}

/** Names a value: equal texts and numbers are different values. */
export function identifyValue({ value, from, to }: Omit<PartialFacetValue, "count">): string {
  return value === undefined ? `${from} ${to}` : JSON.stringify(value);
}

function addTotals(totals: readonly PartialTotals[]): PartialTotals {
  const [{ stats, distinct }] = totals as [PartialTotals];
  const keys = (record: object | undefined) => Object.keys(record ?? {});
  const addStats = keys(stats).map((key) => [key, sumStats(totals.map((t) => t.stats![key]!))]);
  const addValues = keys(distinct).map((key) => [
    key,
    joinValues(totals.map((t) => t.distinct![key]!)),
  ]);
  return {
    count: totals.reduce((sum, { count }) => sum + count, 0),
    ...(stats !== undefined && { stats: Object.fromEntries(addStats) }),
    ...(distinct !== undefined && { distinct: Object.fromEntries(addValues) }),
  };
}

function sumStats(stats: readonly PropertyStats[]): PropertyStats {
  const counted = stats.filter(({ values }) => values > 0);
  if (counted.length === 0) return { values: 0, sum: 0, min: null, max: null, avg: null };
  const values = counted.reduce((sum, part) => sum + part.values, 0);
  const sum = counted.reduce((total, part) => total + part.sum, 0);
  const min = Math.min(...counted.map((part) => part.min!));
  const max = Math.max(...counted.map((part) => part.max!));
  return { values, sum, min, max, avg: sum / values };
}

type Values = readonly FacetedValue[] | number;

/** Unites lists of values; their number at most if not all are listed. */
function joinValues(lists: readonly Values[]): Values {
  if (lists.every((list) => typeof list !== "number")) {
    const all = [...new Set(lists.flat())];
    return all.length > MAX_LISTED_VALUES ? all.length : all;
  }
  return lists.reduce<number>((sum, list) => sum + sizeOf(list), 0);
}

function sizeOf(values: Values): number {
  return typeof values === "number" ? values : values.length;
}
