// Walks from one vertex along the arcs that a plan lets through, and gives what is collected to a
// sink. A plan is made once and may be executed any number of times.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { ArcTest, DirectionNumber } from "./arc-test.js";
import type { Deadline } from "./deadline.js";
import type { HitSink } from "./hit-sink.js";
import type { ArcFilter, CollectRule, VertexCondition } from "./query-options.js";
import type { VertexTest } from "./vertex-condition.js";

export interface WalkPlan {
  readonly store: GraphStore;
  /** Filter of the first level. */
  readonly arc: ArcTest;
  /** Condition on the heads of the first level, null for any. */
  readonly neighbor: VertexTest | null;
}

/**
 * Reads the part of a query that says where to go.
 * @throws QueryError what is malformed
 * @throws UnsupportedError expressions and similarity
 */
export function planWalk(
  store: GraphStore,
  options: {
    readonly arc?: ArcFilter | undefined;
    readonly neighbor?: VertexCondition | undefined;
    readonly collect?: CollectRule | undefined;
  },
  defaultDirection: DirectionNumber,
): WalkPlan {
  throw new InternalError(`not written: ${store.name} ${options} ${defaultDirection}`);
}

/**
 * Gives all arcs that the plan collects to the sink, deeper ones before those that led to them.
 * @throws SearchError after the deadline
 */
export function walkNeighborhood(
  plan: WalkPlan,
  anchor: number,
  sink: HitSink,
  deadline: Deadline,
): void {
  throw new InternalError(`not written: ${plan} ${anchor} ${sink} ${deadline}`);
}

/**
 * Whether the plan finds an arc at all.
 * @throws SearchError after the deadline
 */
export function isAdjacent(plan: WalkPlan, anchor: number, deadline: Deadline): boolean {
  throw new InternalError(`not written: ${plan} ${anchor} ${deadline}`);
}

/** Arcs of a vertex that pass a filter, in its direction. */
export function countArcs(store: GraphStore, vertex: number, test: ArcTest): number {
  throw new InternalError(`not written: ${store.name} ${vertex} ${test}`);
}
