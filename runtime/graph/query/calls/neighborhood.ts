// Neighborhood: the arcs of one vertex and, if conditions traverse further, of its neighbors.

import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { parseNestOption } from "../parse/nest-option.js";
import type { ExecuteOptions, NeighborhoodQueryOptions } from "../parse/query-options.js";
import { EntryQuery } from "../render/entry-query.js";
import type { NeighborhoodResult } from "../render/typed-results.js";
import { NeighborhoodSource } from "./neighborhood-source.js";
import { NestedQuery } from "./nested.js";
import type { EntryPlan } from "./plan.js";
import { planCache } from "./plan-cache.js";

/** Options of `neighborhood`. */
export type NeighborhoodOptions = NeighborhoodQueryOptions & ExecuteOptions;

/** @throws QueryError, SearchError, UnsupportedError */
export function planNeighborhood(store: GraphStore, options: NeighborhoodQueryOptions): EntryPlan {
  const levels = parseNestOption(options);
  if (levels > 0) return new NestedQuery(store, options, levels);
  return new EntryQuery(new NeighborhoodSource(store, options), options);
}

/**
 * Returns entries for the matching arcs of `anchor` (queries, "neighborhood").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighborhood<const O extends NeighborhoodOptions = object>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): NeighborhoodResult<O> {
  const { plan, limits } = planKnown(store, options);
  return plan.execute(findAnchor(store, anchor), limits) as NeighborhoodResult<O>;
}

const planKnown = planCache<NeighborhoodOptions, EntryPlan>(
  "neighborhood",
  planNeighborhood,
  // Groups of arcs can take much memory, so such plans are not cached.
  ({ aggregate }) => !aggregate,
);
