// Scans of the whole graph, or of all vertices of one type, in slices of handles. No lock is held:
// each vertex is read consistently, the graph as a whole may change meanwhile.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Deadline } from "./deadline.js";
import type { HitSink } from "./hit-sink.js";
import type { VertexCondition } from "./query-options.js";
import type { VertexTest } from "./vertex-condition.js";

export interface VertexScan {
  readonly store: GraphStore;
  readonly test: VertexTest | null;
}

export interface ArcScan {
  readonly store: GraphStore;
}

/**
 * @throws QueryError what is malformed
 * @throws UnsupportedError expressions and similarity
 */
export function planVertexScan(
  store: GraphStore,
  condition: VertexCondition | undefined,
): VertexScan {
  throw new InternalError(`not written: ${store.name} ${condition}`);
}

/**
 * Gives all vertices that pass to the sink, as heads.
 * @throws SearchError after the deadline
 */
export function scanVertices(plan: VertexScan, sink: HitSink, deadline: Deadline): void {
  throw new InternalError(`not written: ${plan} ${sink} ${deadline}`);
}

/**
 * The condition is one on tails; its `traverse` says which of their arcs.
 * @throws QueryError what is malformed
 * @throws UnsupportedError expressions and similarity
 */
export function planArcScan(store: GraphStore, condition: VertexCondition | undefined): ArcScan {
  throw new InternalError(`not written: ${store.name} ${condition}`);
}

/**
 * Gives all arcs that pass to the sink.
 * @throws SearchError after the deadline
 */
export function scanArcs(plan: ArcScan, sink: HitSink, deadline: Deadline): void {
  throw new InternalError(`not written: ${plan} ${sink} ${deadline}`);
}
