// Degree: the number of arcs of a vertex that pass a filter.

import { D_ANY } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { NO_DEADLINE, readDeadline } from "../match/deadline.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ArcFilter } from "../parse/query-options.js";
import { countArcs, countNeighborhood, planWalk } from "../walk/walk.js";
import type { LimitOptions } from "./adjacent.js";

/** Test that passes every arc, independent of the graph; most calls have no filter. */
let anyArc: ArcTest | null = null;

/** Options of `degree`. */
export interface DegreeOptions extends LimitOptions {
  readonly arc?: ArcFilter;
  readonly filter?: string;
}

/**
 * Returns the number of arcs, in both directions unless the filter names one (queries, "degree and
 * arcValue").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError after the time limit, UnsupportedError, TypeError
 */
export function degree(store: GraphStore, anchor: Anchor, options?: DegreeOptions): number {
  store.enlargeIfRequested();
  if (options === undefined) {
    anyArc ??= compileArcFilter(store, undefined, D_ANY);
    return countArcs(store, findAnchor(store, anchor), anyArc, NO_DEADLINE);
  }
  const given = checkedArguments("degree", options);
  const { arc, filter } = given;
  if (filter !== undefined && filter !== null) {
    const plan = planWalk(store, { arc, filter }, D_ANY);
    return countNeighborhood(plan, findAnchor(store, anchor), readDeadline("aggregation", given));
  }
  const test = compileArcFilter(store, arc, D_ANY);
  return countArcs(store, findAnchor(store, anchor), test, readDeadline("aggregation", given));
}
