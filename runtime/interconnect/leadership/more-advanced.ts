// Tells whether another member of a group has more of the log of its silent leader. That one claims
// first: it could not follow a leader with less, and would copy all graphs while changes wait.

import type { Positions } from "../wire/positions.js";

/**
 * The operation counts decide: after a crash, a position is older than the graphs. A graph that is
 * missing here was created later or erased, which only the positions tell.
 */
export function hasMore({ log, graphs }: Positions, own: Positions): boolean {
  if (log === null || own.log === null || log.id !== own.log.id) return false;
  const isLater = log.sn > own.log.sn;
  const counts = new Map(own.graphs.map(({ identity, count }) => [identity, count]));
  return graphs.some(({ identity, count }) => {
    const known = counts.get(identity);
    return known === undefined ? isLater : count > known;
  });
}
