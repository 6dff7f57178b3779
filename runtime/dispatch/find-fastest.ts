// The fastest replica of a partition, which the costs of the others relate to.

import type { BackEnd } from "./back-end.js";

/**
 * Returns the relative time of a request in the fastest replica that is up; 0 while it is unknown.
 */
export function findFastest(replicas: readonly BackEnd[]): number {
  let fastest = 0;
  if (replicas.length === 1) return fastest;
  for (const { isDown, speed } of replicas) {
    const { perRequest } = speed;
    if (isDown || perRequest === 0) continue;
    if (fastest === 0 || perRequest < fastest) fastest = perRequest;
  }
  return fastest;
}
