// Catch-up plan of a subscriber, computed from its positions: nothing for a graph whose missing
// transactions the log still holds, a snapshot otherwise. Refuses subscribers whose graphs do not
// descend from this log.

import type { RepairAction } from "../graph/manager/graph-source.js";
import { requireIdentity } from "../graph/manager/logging-entry-points.js";
import type { LogChannel } from "./log/log-channel.js";
import { isDiverged, replicationPosition } from "./replication-position.js";
import type { Ancestor, Offer, OfferedGraph, Position, Positions } from "./wire/positions.js";

export interface CatchUpPlan {
  readonly offer: Offer;
  readonly snapshots: readonly OfferedGraph[];
  /** Operations that the subscriber already has, by graph number. */
  readonly counts: Map<number, number>;
}

/** Provider state outside its log. */
export interface StartingPoint {
  /** True if this instance follows no other provider. */
  readonly isRoot: boolean;
  /** Id of the root provider's log, across any chain of replicas; null: no provider met yet. */
  readonly log: string | null;
  readonly ancestors: readonly Ancestor[];
  /** False: its own graphs are not complete. */
  readonly isCaughtUp: boolean;
}

/** @returns the plan, or the reason why this subscriber cannot catch up from here */
export function planCatchUp(
  channel: LogChannel,
  positions: Positions,
  origin: StartingPoint,
  repair: RepairAction | null = null,
): CatchUpPlan | string {
  const mismatch = findMismatch(channel, positions, origin);
  if (mismatch !== null) return mismatch;
  const theirs = new Map(positions.graphs.map((position) => [position.identity, position]));
  const counts = new Map<number, number>();
  const snapshots: OfferedGraph[] = [];
  const graphs: OfferedGraph[] = [];
  const open = new Map(channel.stores().map((store) => [requireIdentity(store), store]));
  for (const { number, identity, name, path, before } of channel.graphs.all()) {
    const store = open.get(identity);
    const graph = { number, identity, name, path };
    const position = theirs.get(identity);
    const count = position?.count ?? 0;
    theirs.delete(identity);
    graphs.push(graph);
    counts.set(number, count);
    // A closed graph does not change, and its state is unknown.
    if (store === undefined) continue;
    if (count > store.operationCount) {
      const here = store.operationCount;
      return describeAhead(
        `it has ${count} changes of graph "${name}", of which there are ${here}`,
      );
    }
    const isDifferent =
      positions.diverged.includes(identity) ||
      (position !== undefined && hasOtherDigest(position, replicationPosition(store)));
    if (isDifferent && repair === null) return isDiverged(name, count);
    const isWanted = isDifferent || repair === "all";
    // The log of an open graph begins somewhere.
    if (isWanted || count < before!) snapshots.push(graph);
  }
  const remaining = [...theirs.keys()];
  const unknown = remaining.find(
    (identity) => channel.graphs.byIdentity(identity)?.isErased !== true,
  );
  if (unknown !== undefined) return `it has a graph that is not here (identity ${unknown})`;
  const { lastNumber } = channel.graphs;
  const { logId, epoch, last } = channel.log;
  const { isRoot, log, isCaughtUp } = origin;
  const offer = {
    logId,
    isRoot,
    origin: log ?? logId,
    epoch,
    graphs,
    lastNumber,
    erased: remaining,
    goal: isCaughtUp ? last : null,
    ancestors: origin.ancestors,
  };
  return { offer, snapshots, counts };
}

/** Returns whether two digests of the same operation count differ. */
function hasOtherDigest(theirs: Position, ours: Position): boolean {
  const areKnown = theirs.digest !== null && ours.digest !== null;
  return areKnown && theirs.count === ours.count && theirs.digest !== ours.digest;
}

/** Returns why the subscriber's data does not descend from this log, or null if it does. */
function findMismatch(
  channel: LogChannel,
  positions: Positions,
  { log: ownOrigin, ancestors }: StartingPoint,
): string | null {
  const { log } = channel;
  const { log: position, origin, graphs } = positions;
  // An empty log gets a new id at each start.
  if (position === null || graphs.length === 0) return null;
  const { id, sn, chain } = position;
  if (id !== log.logId) {
    // Both followed the same provider: the operation counts decide who is behind.
    if (origin === ownOrigin) return null;
    const ancestor = ancestors.find((one) => one.id === id);
    if (ancestor === undefined) return "replica was copied from another instance";
    if (!isPast(positions, ancestor, channel)) return null;
    const place = `the point ${ancestor.sn} where its former provider was superseded`;
    return `replica has changes past ${place}`;
  }
  if (sn > log.last) return describeAhead(`replica is at ${sn}, ahead of the log end ${log.last}`);
  if (sn < log.first) return null;
  for (const { header } of log.read(sn)) {
    const isSame = header.sn + header.units - 1 === sn && header.headerCrc === chain;
    return isSame ? null : `transaction ${sn} differs between replica and provider`;
  }
  return null;
}

/**
 * Returns whether a subscriber has changes of a former leader that this log does not descend from:
 * they are past the point at which the leader was superseded, or no other member followed it. Logs
 * of epoch 1 may come from instances without a group, whose changes only an operator can discard.
 */
export function isSuperseded(
  positions: Positions,
  { log: ownOrigin, ancestors }: StartingPoint,
  own: Own,
): boolean {
  const { log, origin, epoch } = positions;
  if (log === null || log.id === own.log.logId) return false;
  const ancestor = ancestors.find(({ id }) => id === log.id);
  if (ancestor !== undefined) return isPast(positions, ancestor, own);
  return origin !== ownOrigin && epoch > 1 && epoch < own.log.epoch;
}

/** Log of a provider and the graphs in it. */
export interface Own {
  readonly log: Pick<LogChannel["log"], "logId" | "epoch">;
  readonly graphs: Pick<LogChannel["graphs"], "byIdentity">;
}

/**
 * Returns whether a subscriber has changes of a log from after the end that another instance
 * continued. The operation counts decide: its position is older than its graphs after a crash.
 */
function isPast({ log, graphs }: Positions, { sn, counts }: Ancestor, own: Own): boolean {
  if (counts === undefined) return log!.sn > sn;
  return graphs.some(({ identity, count }) => {
    const known = counts[identity];
    if (known !== undefined) return count > known;
    const graph = own.graphs.byIdentity(identity);
    // It was created later, or was closed there: then nothing but the position tells.
    return graph === undefined || (!graph.isErased && log!.sn > sn);
  });
}

/** Only an operator can decide which side is right: a replica's log cannot roll back. */
function describeAhead(what: string): string {
  return (
    `${what}: the provider was restored to an earlier state. Promote the replica to keep ` +
    "its data (`svc admin promote`), or start it with an empty root"
  );
}
