// How far a graph has come and what it contains there, as both ends tell each other, and what they
// say where that is not the same.

import { contentAt, identityOfStore } from "../graph/log/logged-store.js";
import type { GraphStore } from "../graph/store/graph-store.js";
import type { Position } from "./wire/positions.js";

/** What there is of a graph. */
export function positionOf(store: GraphStore): Position {
  const identity = identityOfStore(store);
  const { count, digest } = contentAt(store) ?? { count: store.operationCount, digest: null };
  return { identity, count, digest };
}

/** What both ends say, and what can be done. */
export function differs(name: string, count: number): string {
  return (
    `replication: graph "${name}" differs from the provider's after ${count} operations: ` +
    "`svc admin sync` there, or ADMIN_Sync, sends it again"
  );
}
