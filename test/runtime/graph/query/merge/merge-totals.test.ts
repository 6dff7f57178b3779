// Facets of partitions that do not list all of their values: sums with the hits that may be
// missing, and upper limits of distinct values.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PartialFacet } from "../../../../../runtime/graph/query/hits/facets.js";
import { mergeFacets, showFacet } from "../../../../../runtime/graph/query/merge/merge-totals.js";

const test = suite("merged totals");

function facet(counts: Record<string, number>, beyond = 0): PartialFacet {
  const values = Object.entries(counts).map(([value, count]) => ({ value, count }));
  return { top: 3, values, beyond };
}

test("report how many hits of a value partitions may have left out", () => {
  const merged = mergeFacets([facet({ a: 9, b: 5 }, 4), facet({ a: 7, c: 6 }, 2), facet({ b: 1 })]);
  assert.is(merged.beyond, 6);
  assert.equal(showFacet(merged), [
    { value: "a", count: 16 },
    { value: "b", count: 6, error: 2 },
    { value: "c", count: 6, error: 4 },
  ]);
  // A dispatcher above adds what is missing on its own level.
  const above = mergeFacets([merged, facet({ a: 1, b: 1, d: 8 }, 1)]);
  assert.equal(showFacet(above), [
    { value: "a", count: 17 },
    { value: "d", count: 8, error: 6 },
    { value: "b", count: 7, error: 2 },
  ]);
});

test("keep numbers and texts apart, and order equal counts by value", () => {
  const values = (value: string | number): PartialFacet => {
    return { top: 4, values: [{ value, count: 1 }], beyond: 0 };
  };
  const merged = mergeFacets([values("7"), values(7), values("a"), values(2)]);
  assert.equal(
    showFacet(merged).map((each) => (each as { value: unknown }).value),
    [2, 7, "7", "a"],
  );
});

test("add totals, and unite distinct values as far as they are listed", () => {
  const share = (list: readonly number[] | number, price: number): PartialFacet => {
    const stats = { price: { values: 1, sum: price, min: price, max: price, avg: price } };
    return { top: 1, values: [{ value: "a", count: 1, stats, distinct: { n: list } }], beyond: 0 };
  };
  const emptyTotals = { values: 0, sum: 0, min: null, max: null, avg: null };
  const empty: PartialFacet = {
    ...{ top: 1, beyond: 0 },
    values: [{ value: "a", count: 1, stats: { price: emptyTotals }, distinct: { n: [] } }],
  };
  assert.equal(showFacet(mergeFacets([share([1, 2], 4), share([2, 3], 8), empty])), [
    {
      ...{ value: "a", count: 3, distinct: { n: 3 } },
      stats: { price: { values: 2, sum: 12, min: 4, max: 8, avg: 6 } },
    },
  ]);
  const [limit] = showFacet(mergeFacets([share([1, 2], 4), share(20_000, 8)]));
  assert.equal(limit!.distinct, { n: 20_002 });
});

test.run();
