// Arcs: all arcs of a graph whose tail meets a condition.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { ArcsResult } from "./typed-results.js";
import type { GlobalOptions } from "./vertices.js";

/** @throws QueryError, SearchError, UnsupportedError, TypeError */
export function arcs<const O extends GlobalOptions>(
  _store: GraphStore,
  _options?: O,
): ArcsResult<O> {
  throw new InternalError("not written");
}
