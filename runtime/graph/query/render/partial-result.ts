// The result of a query in one partition of a matrix: entries with their sort keys, and a head with
// the remaining parts. A dispatcher merges it with the results of the other partitions.

import type { PartialFacet, PartialFacetValue } from "../hits/facets.js";
import type { FacetedValue } from "../hits/value-table.js";
import type { PartialCursor } from "./query-cursor.js";
import type { Explanation, QueryTiming } from "./typed-results.js";

export interface PartialResult {
  readonly head: PartialHead;
  /** In sort order. */
  readonly entries: readonly PartialEntry[];
}

export interface PartialEntry {
  /** See `sort-key.ts`; empty in queries without an order. */
  readonly key: Uint8Array;
  readonly item: PartialItem;
}

/** An entry, with the value of its group if hits are grouped. */
export type PartialItem = readonly [entry: unknown, group?: FacetedValue];

export interface PartialHead {
  readonly listName: string;
  /** Entries of the merged page; null for all. */
  readonly hits: number | null;
  readonly offset: number;
  /** True if the result is a list of entries, without an envelope. */
  readonly isPlain: boolean;
  /** True if entries are dictionaries. */
  readonly isDictionary: boolean;
  /** Hits from the beginning of the first page after the cursor on. */
  readonly found: number;
  /** Properties of facets and groups that the partition lacks; null if it is empty. */
  readonly unknownKeys: readonly string[] | null;
  readonly cursor: PartialCursor | null;
  readonly facets: Readonly<Record<string, PartialFacet>> | null;
  readonly groups: PartialGroups | null;
  /** Reason why the search left hits out; null if it is complete. */
  readonly bounded: string | null;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly time: QueryTiming | null;
  readonly explain: Explanation | null;
  /** Which paths the result contains: the first to each end, or all as cheap as the first. */
  readonly paths: "ends" | "cheapest" | null;
}

/** Head of a result without the features of `vertices`. */
export const PLAIN_HEAD = {
  ...{ offset: 0, isDictionary: true, unknownKeys: null, counts: null, cursor: null, facets: null },
  ...{ groups: null, bounded: null, time: null, paths: null },
};

/** The groups of one partition. */
export interface PartialGroups {
  /** In sort order. */
  readonly values: readonly PartialFacetValue[];
  /** Values of the groups that begin on an earlier page. */
  readonly earlier: readonly FacetedValue[];
  /** True if there are groups that are not listed. */
  readonly isCut: boolean;
}
