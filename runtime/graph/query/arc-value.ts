// ArcValue: the value of the arc between two vertices.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { ArcFilter } from "./query-options.js";

/**
 * Value of an arc; null for M_STAT.
 * @throws SearchError "no arc", KeyError, QueryError
 */
export function arcValue(
  _store: GraphStore,
  _initial: Anchor,
  _arc: ArcFilter,
  _terminal: Anchor,
): number | null {
  throw new InternalError("not written");
}
