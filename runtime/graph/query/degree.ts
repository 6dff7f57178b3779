// Degree: how many arcs a vertex has that a filter lets through.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { ArcFilter, ExecuteOptions } from "./query-options.js";

export interface DegreeOptions extends Omit<ExecuteOptions, "hits" | "offset"> {
  readonly arc?: ArcFilter;
  readonly filter?: string;
}

/** @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError */
export function degree(_store: GraphStore, _anchor: Anchor, _options?: DegreeOptions): number {
  throw new InternalError("not written");
}
