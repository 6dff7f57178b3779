// Vertices: all vertices of a graph that meet a condition.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { ExecuteOptions, GlobalQueryOptions } from "./query-options.js";
import type { VerticesResult } from "./typed-results.js";

export type GlobalOptions = GlobalQueryOptions & ExecuteOptions;

/** @throws QueryError, SearchError, UnsupportedError, TypeError */
export function vertices<const O extends GlobalOptions>(
  _store: GraphStore,
  _options?: O,
): VerticesResult<O> {
  throw new InternalError("not written");
}
