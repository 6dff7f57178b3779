// Neighborhood: the arcs of one vertex and, where conditions say so, of its neighbors.

import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { readNest } from "../parse/nest-option.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, NeighborhoodQueryOptions } from "../parse/query-options.js";
import { EntryQuery } from "../show/entry-query.js";
import type { NeighborhoodResult } from "../show/typed-results.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import { NestedQuery } from "./nested.js";
import type { EntryPlan } from "./plan.js";

/** Options of `neighborhood`. */
export type NeighborhoodOptions = NeighborhoodQueryOptions & ExecuteOptions;

/** @throws QueryError, SearchError, UnsupportedError */
export function planNeighborhood(store: GraphStore, options: NeighborhoodQueryOptions): EntryPlan {
  const levels = readNest(options);
  if (levels > 0) return new NestedQuery(store, options, levels);
  return new EntryQuery(new NeighborhoodSource(store, options), options);
}

/**
 * Entries for the arcs of `anchor` that match (queries, "neighborhood").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighborhood<const O extends NeighborhoodOptions = object>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): NeighborhoodResult<O> {
  const given: NeighborhoodOptions = checkedArguments("neighborhood", options);
  const query = options === undefined ? plainQuery(store) : planNeighborhood(store, given);
  return query.execute(findAnchor(store, anchor), given) as NeighborhoodResult<O>;
}

/** The query without options, made once a store. */
function plainQuery(store: GraphStore): EntryPlan {
  let query = plainQueries.get(store);
  if (query === undefined) {
    query = planNeighborhood(store, {});
    plainQueries.set(store, query);
  }
  return query;
}

const plainQueries = new WeakMap<GraphStore, EntryPlan>();
