// Reads arc filters as queries write them. Everything may come from outside, so nothing is
// believed: whatever is not a filter is refused with a QueryError.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { ArcTest, DirectionNumber } from "./arc-test.js";
import type { ArcFilter } from "./query-options.js";

/**
 * A filter ready for use: `bind` it before each execution, it is bound once here.
 * @throws QueryError what is not an arc filter
 * @throws SearchError a name that no relationship can have
 */
export function compileArcFilter(
  store: GraphStore,
  filter: ArcFilter | undefined,
  defaultDirection: DirectionNumber,
): ArcTest {
  throw new InternalError(`not written: ${store.name} ${filter} ${defaultDirection}`);
}
