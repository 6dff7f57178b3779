// Merges the results of one query in the partitions of a matrix. The entries are already in order:
// they were merged by their sort keys.

import { invalidArgument } from "../../model/invalid-argument.js";
import type { PartialFacet } from "../hits/facets.js";
import { encodeCursor } from "../render/cursor.js";
import type { PartialEntry, PartialGroups, PartialHead } from "../render/partial-result.js";
import type { PartialCursor } from "../render/query-cursor.js";
import { decodeSortKey } from "../render/sort-key.js";
import type { Explanation, QueryTiming } from "../render/typed-results.js";
import { isAsCheap } from "../walk/equal-cost.js";
import { identifyValue, mergeFacets, mergeValues, showFacet, showValue } from "./merge-totals.js";

/** Returns the head of all partitions. */
export function mergeHeads(heads: readonly PartialHead[]): PartialHead {
  const [first] = heads as [PartialHead];
  return {
    ...first,
    // Partitions of release 0.1.0 send neither.
    cursor: first.cursor && { ...{ last: null, equal: 0 }, ...first.cursor },
    unknownKeys: intersect(present(heads, ({ unknownKeys }) => unknownKeys)),
    found: heads.reduce((sum, { found }) => sum + found, 0),
    facets: mergeEach(present(heads, ({ facets }) => facets)),
    groups: mergeGroups(present(heads, ({ groups }) => groups)),
    bounded: heads.find(({ bounded }) => bounded !== null)?.bounded ?? null,
    counts: addCounts(present(heads, ({ counts }) => counts)),
    time: slowest(present(heads, ({ time }) => time)),
    explain: mergeExplanations(present(heads, ({ explain }) => explain)),
  };
}

/** Returns the items that all lists contain; null without lists. */
function intersect(lists: readonly (readonly string[])[]): string[] | null {
  const [first, ...others] = lists;
  return first?.filter((key) => others.every((list) => list.includes(key))) ?? null;
}

function present<T>(heads: readonly PartialHead[], read: (head: PartialHead) => T | null): T[] {
  return heads.map(read).filter((part) => part !== null);
}

/**
 * Returns the entries that a page may contain, in order; of each group only the first.
 * @param entries of all partitions, in order
 */
export function selectEntries(
  { hits, offset, cursor, groups, paths }: PartialHead,
  entries: readonly PartialEntry[],
  isTop: boolean,
): readonly PartialEntry[] {
  const candidates = paths === null ? entries : selectPaths(paths, entries);
  const kept = groups === null ? candidates : firstOfGroups(groups, candidates);
  if (hits === null) return kept;
  // Below another dispatcher, what other partitions have shown is not known yet.
  const { shown = 0, equal = 0 } = (isTop ? null : cursor) ?? {};
  return kept.slice(0, offset + hits + (groups === null ? equal : shown));
}

/**
 * Skips the entries of earlier pages that equal the last one. Partitions keep them, because they do
 * not know which ones are of other partitions.
 */
function skipShown(
  head: PartialHead,
  entries: readonly PartialEntry[],
): { readonly head: PartialHead; readonly entries: readonly PartialEntry[] } {
  const { cursor, groups, found } = head;
  if (cursor === null || cursor.last === null) return { head, entries };
  const last = Buffer.from(cursor.last, "base64");
  const equal = entries.filter(({ key }) => last.equals(key));
  const kept = groups === null ? equal : firstOfGroups(groups, equal);
  const skipped = new Set(kept.slice(0, cursor.equal));
  const values = Array.from(skipped, ({ item }) => item[1]!);
  return {
    head: {
      ...head,
      found: found - skipped.size,
      groups: groups && { ...groups, earlier: [...groups.earlier, ...values] },
    },
    entries: entries.filter((entry) => !skipped.has(entry)),
  };
}

/**
 * Returns the result of all partitions, as one graph would.
 * @param merged of all partitions, in order
 * @throws QueryError a property that no partition has
 */
export function showMerged(mergedHead: PartialHead, merged: readonly PartialEntry[]): unknown {
  const { head, entries } = skipShown(mergedHead, merged);
  const { listName, hits, offset, isPlain, isDictionary, facets, groups } = head;
  const { counts, time, explain, cursor, bounded } = head;
  const [unknown] = head.unknownKeys ?? [];
  if (unknown !== undefined) {
    const text = `unknown property: '${unknown}'`;
    throw invalidArgument(text, unknown, "a property that a partition has");
  }
  const kept = selectEntries(head, entries, true);
  const page = kept.slice(offset, hits === null ? undefined : offset + hits);
  const shownEntries = page.map(({ item }) => item[0]);
  if (isPlain) return shownEntries;
  const byLabel = new Map(groups?.values.map((value) => [identifyValue(value), value]));
  const pageGroups = page.map(({ item }) => {
    return showValue(
      byLabel.get(identifyValue({ value: item[1]! })) ?? { value: item[1]!, count: 1 },
    );
  });
  if (groups !== null && isDictionary) {
    for (const [at, entry] of shownEntries.entries()) {
      (entry as { grouped: number }).grouped = pageGroups[at]!.count;
    }
  }
  const shownFacets = Object.entries(facets ?? {}).map(([name, facet]) => [name, showFacet(facet)]);
  return {
    [listName]: shownEntries,
    ...(groups !== null && { groups: pageGroups }),
    ...(facets !== null && { facets: Object.fromEntries(shownFacets) }),
    ...(cursor !== null && { cursor: nextCursor(head, kept) }),
    ...(counts !== null && { counts }),
    ...(time !== null && { time }),
    ...(explain !== null && { explain }),
    ...(bounded !== null && { bounded }),
  };
}

function nextCursor(
  { cursor, hits, offset, found, groups }: PartialHead,
  kept: readonly PartialEntry[],
): string | null {
  if (hits === null || hits === 0) return null;
  const end = offset + hits;
  const last = kept[Math.min(end, kept.length) - 1];
  const total = groups === null ? found : unshownGroups(groups);
  if (last === undefined || end >= total) return null;
  const { digest, anchor, state, shown } = cursor!;
  const equalShown = countEqual(kept, Math.min(end, kept.length), cursor!);
  const contents = { last: decodeSortKey(last.key), equalShown, anchor, state, shown: shown + end };
  return encodeCursor(digest, contents);
}

/**
 * Returns the number of entries up to the end of the page that equal its last one: ways to one arc,
 * or entries of several partitions.
 */
function countEqual(
  kept: readonly PartialEntry[],
  end: number,
  { last, equal }: PartialCursor,
): number {
  const { key } = kept[end - 1]!;
  let from = end - 1;
  while (from > 0 && Buffer.compare(kept[from - 1]!.key, key) === 0) from--;
  const isContinued = from === 0 && last !== null && Buffer.from(last, "base64").equals(key);
  return end - from + (isContinued ? equal : 0);
}

function unshownGroups({ values, earlier }: PartialGroups): number {
  const shown = new Set(earlier.map((value) => identifyValue({ value })));
  return values.filter((value) => !shown.has(identifyValue(value))).length;
}

/** @param entries cheapest first */
function selectPaths(
  kind: "ends" | "cheapest",
  entries: readonly PartialEntry[],
): readonly PartialEntry[] {
  if (kind === "ends") {
    const byEnd = new Map<unknown, PartialEntry>();
    for (const entry of entries) {
      const end = (entry.item[0] as readonly string[]).at(-1);
      if (!byEnd.has(end)) byEnd.set(end, entry);
    }
    return [...byEnd.values()];
  }
  const costs = entries.map(({ key }) => decodeSortKey(key).key);
  const end = costs.findIndex((cost) => !isAsCheap(cost, costs[0]!));
  return end < 0 ? entries : entries.slice(0, end);
}

function firstOfGroups(
  { earlier }: PartialGroups,
  entries: readonly PartialEntry[],
): PartialEntry[] {
  const seen = new Set(earlier.map((value) => identifyValue({ value })));
  return entries.filter(({ item }) => {
    const label = identifyValue({ value: item[1]! });
    if (seen.has(label)) return false;
    seen.add(label);
    return true;
  });
}

function mergeEach(
  facets: readonly Readonly<Record<string, PartialFacet>>[],
): Record<string, PartialFacet> | null {
  if (facets.length === 0) return null;
  const names = Object.keys(facets[0]!);
  const merged = names.map((name) => [name, mergeFacets(facets.map((each) => each[name]!))]);
  return Object.fromEntries(merged);
}

function mergeGroups(groups: readonly PartialGroups[]): PartialGroups | null {
  if (groups.length === 0) return null;
  return {
    values: mergeValues(groups.map(({ values }) => ({ values, beyond: 0 }))),
    earlier: groups.flatMap(({ earlier }) => earlier),
    isCut: groups.some(({ isCut }) => isCut),
  };
}

function addCounts(
  counts: readonly Readonly<Record<string, number>>[],
): Record<string, number> | null {
  if (counts.length === 0) return null;
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((each) => Object.entries(each))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** Returns the longest times, because partitions work concurrently. */
function slowest(times: readonly QueryTiming[]): QueryTiming | null {
  return times.reduce<QueryTiming | null>(
    (slowest, time) => (slowest === null || time.total > slowest.total ? time : slowest),
    null,
  );
}

function mergeExplanations(parts: readonly Explanation[]): Explanation | null {
  if (parts.length === 0) return null;
  const isOne = parts.length === 1;
  return {
    plan: parts.flatMap(({ plan }, at) =>
      plan.map((step) => (isOne ? step : `partition ${at}: ${step}`)),
    ),
    looked: parts.reduce((sum, { looked }) => sum + looked, 0),
    matched: parts.reduce((sum, { matched }) => sum + matched, 0),
    time: slowest(parts.map(({ time }) => time))!,
  };
}
