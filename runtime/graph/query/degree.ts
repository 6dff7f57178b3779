// Degree: how many arcs a vertex has that a filter lets through.

import { D_ANY } from "../constants.js";
import type { GraphStore } from "../store/graph-store.js";
import type { LimitOptions } from "./adjacent.js";
import { type Anchor, findAnchor } from "./anchor.js";
import { compileArcFilter } from "./arc-filter.js";
import { deadlineOf } from "./deadline.js";
import { checkedArguments } from "./query-arguments.js";
import type { ArcFilter } from "./query-options.js";
import { countArcs } from "./walk.js";

/** Options of `degree`. */
export interface DegreeOptions extends LimitOptions {
  readonly arc?: ArcFilter;
  readonly filter?: string;
}

/**
 * Number of arcs, in both directions unless the filter names one (interface, "Degree").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError after the time limit, UnsupportedError, TypeError
 */
export function degree(store: GraphStore, anchor: Anchor, options?: DegreeOptions): number {
  const given = checkedArguments("degree", options);
  const test = compileArcFilter(store, given.arc, D_ANY);
  return countArcs(store, findAnchor(store, anchor), test, deadlineOf("aggregation", given));
}
