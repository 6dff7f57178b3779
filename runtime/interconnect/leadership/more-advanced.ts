// Decides whether another member of a group has more of the log of their silent leader. The most
// advanced member claims first: it could not follow a leader that has less, and would have to copy
// all graphs while changes wait.

import type { Positions } from "../wire/positions.js";

/**
 * Compares operation counts, because after a crash the position in the log is older than the
 * graphs. Only for a graph that is missing here, the positions decide: it was created later, or it
 * was erased here.
 */
export function hasMore({ log, graphs }: Positions, ownPositions: Positions): boolean {
  if (log === null || ownPositions.log === null || log.id !== ownPositions.log.id) return false;
  const isLater = log.sn > ownPositions.log.sn;
  const counts = new Map(ownPositions.graphs.map(({ identity, count }) => [identity, count]));
  return graphs.some(({ identity, count }) => {
    const ownCount = counts.get(identity);
    return ownCount === undefined ? isLater : count > ownCount;
  });
}
