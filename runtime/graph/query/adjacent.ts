// Adjacent: whether a vertex has an arc that matches.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { AdjacencyQueryOptions, ExecuteOptions } from "./query-options.js";

export type AdjacentOptions = AdjacencyQueryOptions & Omit<ExecuteOptions, "hits" | "offset">;

/** @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError */
export function adjacent(_store: GraphStore, _anchor: Anchor, _options?: AdjacentOptions): boolean {
  throw new InternalError("not written");
}
