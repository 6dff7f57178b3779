// Paths within one partition of a matrix. No arc leads to another partition.

import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, tryAnchor } from "../match/anchor.js";
import { isExplained } from "../render/explained.js";
import {
  type PartialEntry,
  type PartialHead,
  type PartialResult,
  PLAIN_HEAD,
} from "../render/partial-result.js";
import { encodeSortKey } from "../render/sort-key.js";
import type { Explanation } from "../render/typed-results.js";
import {
  type FoundPath,
  MAX_PATHS,
  type PathsOptions,
  paths,
  type ShortestPathsOptions,
  shortestPaths,
} from "./paths.js";

export interface PathsQuery {
  readonly call: "paths";
  readonly anchor: Anchor;
  readonly options: PathsOptions;
}

export interface ShortestPathsQuery {
  readonly call: "shortestPaths";
  readonly anchor: Anchor;
  readonly goal: Anchor;
  readonly options: ShortestPathsOptions;
}

interface Found {
  readonly entries: PartialEntry[];
  readonly explain: Explanation | null;
  /** Limit that ended the search. */
  readonly bounded?: string;
}

/**
 * Returns the paths; paths of equal length are in the order of their ids.
 * @throws QueryError, SearchError, TypeError; ValueError for negative weights
 */
export function queryPaths(
  store: GraphStore,
  query: PathsQuery | ShortestPathsQuery,
): PartialResult {
  const { call, options } = query;
  const found = call === "paths" ? findPaths(store, query) : findShortest(store, query);
  const { entries, explain, bounded = null } = found;
  const { k, hits } = options as ShortestPathsOptions;
  const maxCount = k ?? hits ?? MAX_PATHS;
  const isExplaining = isExplained(options);
  const head: PartialHead = {
    ...{ ...PLAIN_HEAD, listName: call, hits: maxCount < 0 ? null : maxCount, bounded },
    isPlain: !isExplaining && options.incomplete !== true,
    ...{ found: entries.length, explain: isExplaining ? explain : null },
    paths: call === "paths" ? "ends" : (k ?? null) === null ? "cheapest" : null,
  };
  return { head, entries: entries.sort((a, b) => Buffer.compare(a.key, b.key)) };
}

function findPaths(store: GraphStore, { anchor, options }: PathsQuery): Found {
  const { paths: found, ...rest } = paths(store, anchor, { ...options, explain: true } as const);
  return { ...rest, entries: found.map((ids) => entryOf(ids, ids.length, ids)) };
}

function findShortest(store: GraphStore, { anchor, goal, options }: ShortestPathsQuery): Found {
  // A goal in another partition cannot be reached.
  if (tryAnchor(store, goal) === 0) return { entries: [], explain: null };
  const explainedOptions = { ...options, explain: true } as const;
  const { shortestPaths: found, ...rest } = shortestPaths(store, anchor, [goal], explainedOptions);
  return {
    ...rest,
    entries: found.map((shortest) => entryOf(shortest, shortest.cost, shortest.path)),
  };
}

function entryOf(entry: string[] | FoundPath, key: number, ids: readonly string[]): PartialEntry {
  const hit = { key, name: ids.join("\0"), head: "", tail: "", level: 0, side: 0 };
  return { key: encodeSortKey({ ...hit, word1: 0, bits: 0 }, false), item: [entry] };
}
