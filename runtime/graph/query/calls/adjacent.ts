// Adjacent: whether a vertex has an arc that matches, to a neighbor that matches.

import { D_OUT } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { AdjacencyQueryOptions, ExecuteOptions } from "../parse/query-options.js";
import { deadlineOf } from "../walk/deadline.js";
import { QueryMeter } from "../walk/query-meter.js";
import { isAdjacent, planWalk, type WalkPlan } from "../walk/walk.js";

/** Options of queries that have no page. */
export type LimitOptions = Omit<ExecuteOptions, "hits" | "offset">;
/** Options of `adjacent`. */
export type AdjacentOptions = AdjacencyQueryOptions & LimitOptions;

export function planAdjacent(
  store: GraphStore,
  { arc, neighbor }: AdjacencyQueryOptions,
): WalkPlan {
  return planWalk(store, { arc, neighbor }, D_OUT);
}

/** @throws SearchError after the time limit */
export function executeAdjacent(plan: WalkPlan, anchor: number, options: LimitOptions): boolean {
  const meter = QueryMeter.of(plan.store);
  const begun = meter.begin();
  const isFound = isAdjacent(plan, anchor, deadlineOf("adjacency", options));
  meter.end(begun);
  return isFound;
}

/**
 * Whether there is such an arc (interface, "Adjacent").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function adjacent(store: GraphStore, anchor: Anchor, options?: AdjacentOptions): boolean {
  const given = checkedArguments("adjacent", options);
  return executeAdjacent(planAdjacent(store, given), findAnchor(store, anchor), given);
}
