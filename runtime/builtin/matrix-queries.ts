// Dispatcher-side merging of graph queries. A search with the statistics of all partitions takes
// two rounds: the first one sums the statistics, the second one searches with the sums.

import { PartialView } from "../base/partial/partial-view.js";
import {
  addTextStatistics,
  mergeHeads,
  type PartialEntry,
  selectEntries,
  showMerged,
  type TextStatisticsShare,
} from "../graph/api/merge-queries.js";
import { KeyError } from "../graph/model/errors.js";
import type { PluginResponse } from "../plugin/response/plugin-response.js";
import {
  createPartitionResponse,
  missingVector,
  type PartitionHead,
  type PartitionResultHead,
} from "./partition-response.js";

type Merged = PluginResponse<Uint8Array, unknown>;

/** First characters of the heads in a first round. */
const STATISTICS = '{"kind":"statistics"';
const PROBE = '{"kind":"probe"';

/**
 * Returns the result of all partitions; below another dispatcher, a response for it.
 * @throws KeyError if no partition contains the anchor, or the last vertex of paths
 * @throws HttpError if no partition has the vector of the anchor
 */
export function mergeQuery(merged: Merged): unknown {
  const { heads, entries } = splitEntries(merged);
  const results = heads.filter((head) => head.kind === "result");
  if (results.length === 0) return mergeOthers(heads, merged.toplevel);
  const [{ limit }] = results as [PartitionResultHead];
  const head = mergeHeads(results.map((result) => result.head));
  const lacking = missingEverywhere(heads);
  if (!merged.toplevel) {
    const selected = selectEntries(head, entries, false);
    return createPartitionResponse({ kind: "result", limit, head, ...lacking }, selected);
  }
  if (lacking.lacks !== undefined) throw missingVertex(lacking.lacks);
  if (limit === null) return showMerged(head, entries);
  const result = showMerged({ ...head, hits: limit }, entries);
  if (head.cursor !== null || selectEntries(head, entries, true).length <= limit) return result;
  const bounded = `more than ${limit} matches: page with sortby, hits and offset`;
  return { bounded, ...(Array.isArray(result) ? { [head.listName]: result } : (result as object)) };
}

/** Returns the parameter of the second round; null if this was the last. */
export function secondRound(partial: Uint8Array): string | null {
  const view = new PartialView(partial, "merged");
  if (view.count === 0 || !view.items.text(0).startsWith(STATISTICS)) return null;
  const shares: TextStatisticsShare[] = [];
  for (let at = 0; at < view.count; at++) {
    const head = JSON.parse(view.items.text(at)) as PartitionHead;
    if (head.kind === "statistics") shares.push(head.share);
  }
  const sums = mostFrequentOnly(addTextStatistics(shares));
  return `statistics=${encodeURIComponent(JSON.stringify(sums))}`;
}

/** Returns the vector of the vertex that a partition contains; null if this was the last round. */
export function probeRound(partial: Uint8Array): string | null {
  const view = new PartialView(partial, "merged");
  for (let at = 0; at < view.count; at++) {
    const text = view.items.text(at);
    if (!text.startsWith(PROBE)) continue;
    const head = JSON.parse(text) as PartitionHead;
    if (head.kind === "probe") return `vector=${encodeURIComponent(head.vector)}`;
  }
  return null;
}

function splitEntries(merged: Merged): { heads: PartitionHead[]; entries: PartialEntry[] } {
  const heads: PartitionHead[] = [];
  const entries: PartialEntry[] = [];
  for (const [key, item] of merged.entries) {
    if (key.length === 0) heads.push(item as PartitionHead);
    else entries.push({ key, item: item as PartialEntry["item"] });
  }
  return { heads, entries };
}

/** @throws KeyError if no partition contains the anchor, HttpError if none has its vector */
function mergeOthers(heads: readonly PartitionHead[], isTop: boolean): unknown {
  const shares = heads.flatMap((head) => (head.kind === "statistics" ? [head.share] : []));
  if (shares.length > 0) {
    return createPartitionResponse({ kind: "statistics", share: addTextStatistics(shares) });
  }
  const probe = heads.find(({ kind }) => kind === "probe");
  if (probe !== undefined) return createPartitionResponse(probe);
  const bare = heads.find((head) => head.kind === "bare");
  if (bare !== undefined) {
    if (isTop) throw missingVector(bare.id);
    return createPartitionResponse(bare);
  }
  const [missing] = heads as [PartitionHead & { kind: "missing" }];
  const { kind, id } = missing;
  if (!isTop) return createPartitionResponse({ kind, id, ...missingEverywhere(heads) });
  throw missingVertex(id);
}

/** Returns the last vertex of paths if it is missing in all partitions. */
function missingEverywhere(heads: readonly PartitionHead[]): { readonly lacks?: string } {
  const lists = heads.map((head) => ("lacks" in head ? head.lacks : undefined));
  const [first] = lists;
  return first === undefined || lists.includes(undefined) ? {} : { lacks: first };
}

function missingVertex(id: string): KeyError {
  return new KeyError(`Object does not exist: '${id}'`);
}

/** Keeps one term per word, which is all that the second round needs; a prefix may match many. */
function mostFrequentOnly({ typos, ...sums }: TextStatisticsShare): TextStatisticsShare {
  const reduce = (terms: TextStatisticsShare["terms"]) =>
    terms.map((counts) => {
      const maximum = Math.max(0, ...Object.values(counts));
      return { "": maximum };
    });
  return {
    ...sums,
    terms: reduce(sums.terms),
    ...(typos !== undefined && { typos: { hits: typos.hits, terms: reduce(typos.terms) } }),
  };
}
