// Position of a graph: operation count and digest, which peers exchange to detect divergence.

import { graphDigest } from "../graph/api/status/graph-totals.js";
import type { GraphManager } from "../graph/manager/graph-manager.js";
import type { GraphStore } from "../graph/manager/logging-entry-points.js";
import {
  digestCheckpoint,
  requireIdentity,
  verifyDigest,
} from "../graph/manager/logging-entry-points.js";
import type { Position } from "./wire/positions.js";

/** Returns the position of a graph. */
export function replicationPosition(store: GraphStore): Position {
  const identity = requireIdentity(store);
  const { count, digest } = digestCheckpoint(store) ?? {
    count: store.operationCount,
    digest: null,
  };
  return { identity, count, digest };
}

/** Returns the operation counts of all replicated graphs, by identity. */
export function operationCounts(manager: GraphManager): Readonly<Record<string, number>> {
  const stores = [...manager.replicated().values()];
  return Object.fromEntries(stores.map((store) => [requireIdentity(store), store.operationCount]));
}

/** Returns the positions of all graphs with a digest. */
export function knownPositions(manager: GraphManager): (Position & { readonly digest: string })[] {
  return [...manager.replicated().values()].flatMap((store) => {
    const { digest, ...position } = replicationPosition(store);
    return digest === null ? [] : [{ ...position, digest }];
  });
}

/** Returns the message for a diverged graph, with its remedy. */
export function divergedMessage(name: string, count: number): string {
  return (
    `replication: graph "${name}" has diverged from the provider after ${count} ` +
    "operations; resend it with `svc admin sync` or ADMIN_Sync on the provider"
  );
}

/** Returns the digest over all replicated graphs. */
export function digestGraphs(manager: GraphManager): string {
  return graphDigest([...manager.replicated().values()].map((store) => ({ store })));
}

/** Returns the graphs whose digest does not match their contents. */
export function mismatchedDigests(manager: GraphManager): string[] {
  const stores = [...manager.replicated().values()];
  return stores.filter((store) => !verifyDigest(store)).map(({ name }) => name);
}
