// Queries in one partition of a matrix: their results can be merged with those of the others.

import { KeyError } from "../../model/errors.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { parseNestOption } from "../parse/nest-option.js";
import { checkedArguments, type QueryCall } from "../parse/query-arguments.js";
import type { ExecuteOptions } from "../parse/query-options.js";
import { EntryQuery } from "../render/entry-query.js";
import type { PartialResult } from "../render/partial-result.js";
import { planArcs } from "./arcs.js";
import type { NeighborhoodOptions } from "./neighborhood.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import { planSearch, type SearchOptions } from "./search.js";
import { planVertices, type VerticesOptions } from "./vertices.js";

/** A query of one partition. */
export type PartitionQuery =
  | { readonly call: "search"; readonly text: string; readonly options: SearchOptions }
  | { readonly call: "vertices" | "arcs"; readonly options: VerticesOptions }
  | {
      readonly call: "neighborhood";
      readonly anchor: Anchor;
      readonly options: NeighborhoodOptions;
    };

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
    case "neighborhood":
      return queryNeighborhood(store, query.anchor, query.options);
  }
}

const ARGUMENTS = {
  ...{ search: "search", vertices: "global", arcs: "global", neighborhood: "neighborhood" },
} as const satisfies Record<PartitionQuery["call"], QueryCall>;

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
  const handle = findAnchorHere(store, anchor);
  return handle === 0 ? null : execute(query, options, handle);
}

/** Returns the handle of the anchor; 0 if another partition contains it. */
function findAnchorHere(store: GraphStore, anchor: Anchor): number {
  try {
    return findAnchor(store, anchor);
  } catch (error) {
    if (error instanceof KeyError) return 0;
    throw error;
  }
}

function execute(query: EntryQuery, options: ExecuteOptions, anchor = 0): PartialResult {
  return query.execute(anchor, options) as PartialResult;
}
