// Aggregate: sums over the arcs that a neighborhood query would collect.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { AggregateQueryOptions, ExecuteOptions } from "./query-options.js";
import type { AggregateResult } from "./typed-results.js";

export type AggregateOptions = AggregateQueryOptions & Omit<ExecuteOptions, "hits" | "offset">;

/** @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError */
export function aggregate<const O extends AggregateOptions>(
  _store: GraphStore,
  _anchor: Anchor,
  _options?: O,
): AggregateResult<O> {
  throw new InternalError("not written");
}
