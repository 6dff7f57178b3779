// Degree: how many arcs a vertex has that a filter lets through.

import { D_ANY } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ArcFilter } from "../parse/query-options.js";
import { deadlineOf } from "../walk/deadline.js";
import { countArcs, countNeighborhood, planWalk } from "../walk/walk.js";
import type { LimitOptions } from "./adjacent.js";

/** Options of `degree`. */
export interface DegreeOptions extends LimitOptions {
  readonly arc?: ArcFilter;
  readonly filter?: string;
}

/**
 * Number of arcs, in both directions unless the filter names one (queries, "degree and arcValue").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError after the time limit, UnsupportedError, TypeError
 */
export function degree(store: GraphStore, anchor: Anchor, options?: DegreeOptions): number {
  const given = checkedArguments("degree", options);
  const { arc, filter } = given;
  if (filter !== undefined && filter !== null) {
    const plan = planWalk(store, { arc, filter }, D_ANY);
    return countNeighborhood(plan, findAnchor(store, anchor), deadlineOf("aggregation", given));
  }
  const test = compileArcFilter(store, arc, D_ANY);
  return countArcs(store, findAnchor(store, anchor), test, deadlineOf("aggregation", given));
}
