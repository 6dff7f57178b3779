// The back-end matrix in the status services; an engine has none.

import type { Dispatcher } from "../../dispatch/dispatcher.js";
import { decimals } from "../format.js";

/** Returns the common part: size of the matrix and its channels. */
export function matrixStats(dispatcher: Dispatcher | null) {
  const matrix = dispatcher?.matrix;
  return {
    width: matrix?.width ?? 0,
    height: matrix?.height ?? 0,
    "active-channels": matrix?.openChannels ?? 0,
    "total-channels": matrix?.totalChannels ?? 0,
    "allow-incomplete": matrix?.config.allowIncomplete ?? false,
  };
}

/** Returns whether there is a single partition (http-interface, "Request Engine modes"). */
export function isProxy(dispatcher: Dispatcher | null): boolean {
  return dispatcher?.matrix.width === 1;
}

/** Lists back-ends by partition, then replica; `hostKey` is the key of the host. */
export function backEnds<K extends string>(dispatcher: Dispatcher | null, hostKey: K) {
  return (dispatcher?.matrix.backEnds ?? []).map((replicas) =>
    replicas.map(({ address, row, position, state, running, metrics }) => ({
      ...({ [hostKey]: address.host } as Record<K, string>),
      port: address.port,
      channels: row.channels,
      priority: row.priority,
      ...(position.isPrimary && { primary: true }),
      state,
      running,
      answered: metrics.latency.count,
      "p95-ms": metrics.slowMs === null ? null : decimals(metrics.slowMs, 3),
      failures: metrics.failures,
      retries: metrics.retries,
    })),
  );
}
