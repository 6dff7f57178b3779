// Neighborhood: the arcs of one vertex and, where conditions say so, of its neighbors.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { ExecuteOptions, NeighborhoodQueryOptions } from "./query-options.js";
import type { NeighborhoodResult } from "./typed-results.js";

export type NeighborhoodOptions = NeighborhoodQueryOptions & ExecuteOptions;

/**
 * Entries for the arcs of `anchor` that match (query.md 2.1).
 * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighborhood<const O extends NeighborhoodOptions>(
  _store: GraphStore,
  _anchor: Anchor,
  _options?: O,
): NeighborhoodResult<O> {
  throw new InternalError("not written");
}
