// How far a graph has come and what it contains there, as both ends tell each other, and what they
// say where that is not the same.

import {
  digestCheckpoint,
  identityOfStore,
  verifyDigest,
} from "../graph/log/logging-entry-points.js";
import type { GraphManager } from "../graph/manager/graph-manager.js";
import { graphDigest } from "../graph/status/graph-totals.js";
import type { GraphStore } from "../graph/store/graph-store.js";
import type { Position } from "./wire/positions.js";

/** What there is of a graph. */
export function replicationPosition(store: GraphStore): Position {
  const identity = identityOfStore(store);
  const { count, digest } = digestCheckpoint(store) ?? {
    count: store.operationCount,
    digest: null,
  };
  return { identity, count, digest };
}

/** What both ends say, and what can be done. */
export function isDiverged(name: string, count: number): string {
  return (
    `replication: graph "${name}" differs from the provider's after ${count} operations: ` +
    "`svc admin sync` there, or ADMIN_Sync, sends it again"
  );
}

/** Of all graphs that are replicated. */
export function digestOf(keeper: GraphManager): string {
  return graphDigest([...keeper.replicated().values()].map((store) => ({ store })));
}

/** Those whose digest is not that of what they contain. */
export function mismatchedDigests(keeper: GraphManager): string[] {
  const stores = [...keeper.replicated().values()];
  return stores.filter((store) => !verifyDigest(store)).map(({ name }) => name);
}
