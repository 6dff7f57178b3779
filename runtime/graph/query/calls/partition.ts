// Queries in one partition of a matrix: their results can be merged with those of the others.

import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { parseVector, type VectorLike } from "../../vectors/vector.js";
import { type Anchor, tryAnchor } from "../match/anchor.js";
import { parseNestOption } from "../parse/nest-option.js";
import { checkedArguments, type QueryCall } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import { EntryQuery } from "../render/entry-query.js";
import { isExplained } from "../render/explained.js";
import { type PartialEntry, type PartialResult, PLAIN_HEAD } from "../render/partial-result.js";
import { encodeSortKey } from "../render/sort-key.js";
import { planArcs } from "./arcs.js";
import { DEFAULT_NEAREST, type NearestOptions, nearest } from "./nearest.js";
import type { NeighborhoodOptions } from "./neighborhood.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import { type PathsQuery, queryPaths, type ShortestPathsQuery } from "./partition-paths.js";
import { planSearch, type SearchOptions } from "./search.js";
import { planVertices, type VerticesOptions } from "./vertices.js";

/** Probe vectors by name; an empty name stands for the vectors without one. */
type Probes = { readonly [name: string]: VectorLike };

/** A query of one partition. */
export type PartitionQuery =
  | { readonly call: "search"; readonly text: string; readonly options: SearchOptions }
  | { readonly call: "vertices" | "arcs"; readonly options: VerticesOptions }
  | { readonly call: "nearest"; readonly probes: Probes; readonly options: NearestOptions }
  | {
      readonly call: "neighborhood";
      readonly anchor: Anchor;
      readonly options: NeighborhoodOptions;
    }
  | PathsQuery
  | ShortestPathsQuery;

/**
 * Returns the result of this partition; null if it does not contain the anchor.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function queryPartition(store: GraphStore, query: PartitionQuery): PartialResult | null {
  checkedArguments(ARGUMENTS[query.call], query.options);
  switch (query.call) {
    case "search":
      return execute(planSearch(store, query.text, query.options, true), query.options);
    case "vertices":
      return execute(planVertices(store, query.options, true), query.options);
    case "arcs":
      return execute(planArcs(store, query.options, true), query.options);
    case "nearest":
      return queryNearest(store, query.probes, query.options);
    case "neighborhood":
      return queryNeighborhood(store, query.anchor, query.options);
    case "paths":
    case "shortestPaths":
      return tryAnchor(store, query.anchor) === 0 ? null : queryPaths(store, query);
  }
}

const ARGUMENTS = {
  ...{ search: "search", vertices: "global", arcs: "global", nearest: "nearest" },
  ...{ neighborhood: "neighborhood", paths: "paths", shortestPaths: "shortestPaths" },
} as const satisfies Record<PartitionQuery["call"], QueryCall>;

/** Equally similar vertices are in the order of their ids. */
function queryNearest(store: GraphStore, probes: Probes, options: NearestOptions): PartialResult {
  const isExplaining = isExplained(options);
  const targets = Object.entries(probes).map(([name, probe]) => {
    return { name, parts: parseVector(probe, "probe") };
  });
  const explainedOptions = { ...options, explain: true } as const;
  const { nearest: found, explain } = nearest(store, targets, explainedOptions);
  const entries = found.map((entry): PartialEntry => {
    const { id, similarity } = entry;
    const hit = { key: -similarity, name: id, head: "", tail: "" };
    const key = encodeSortKey({ ...hit, level: 0, side: 0, word1: 0, bits: 0 }, false);
    return { key, item: [entry] };
  });
  const { hits = DEFAULT_NEAREST } = options;
  const head = {
    ...{ ...PLAIN_HEAD, listName: "nearest", hits: hits < 0 ? null : hits, isPlain: !isExplaining },
    ...{ found: found.length, explain: isExplaining ? explain : null },
  };
  return { head, entries: entries.sort((a, b) => Buffer.compare(a.key, b.key)) };
}

function queryNeighborhood(
  store: GraphStore,
  anchor: Anchor,
  options: NeighborhoodOptions,
): PartialResult | null {
  if (parseNestOption(options) > 0) {
    const text = "nested results cannot be merged over partitions";
    throw invalidArgument(text, options.nest, "0", ".nest");
  }
  const query = new EntryQuery(new NeighborhoodSource(store, options), options, true);
  const handle = tryAnchor(store, anchor);
  return handle === 0 ? null : execute(query, options, handle);
}

function execute(query: EntryQuery, options: ExecuteOptions, anchor = 0): PartialResult {
  return query.execute(anchor, options) as PartialResult;
}
