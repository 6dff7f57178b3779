// Catch-up plan of a subscriber, computed from its positions: a snapshot of each graph whose
// missing transactions the log no longer contains. Refuses subscribers whose graphs do not descend
// from this log.

import type { RepairAction } from "../graph/manager/graph-source.js";
import { requireIdentity } from "../graph/manager/logging-entry-points.js";
import type { LogChannel } from "./log/log-channel.js";
import { divergedMessage, replicationPosition } from "./replication-position.js";
import type { Ancestor, Offer, OfferedGraph, Position, Positions } from "./wire/positions.js";

export interface CatchUpPlan {
  readonly offer: Offer;
  readonly snapshots: readonly OfferedGraph[];
  /** Operation counts of the subscriber, by graph number. */
  readonly counts: Map<number, number>;
}

/** Provider state outside its log. */
export interface StartingPoint {
  /** True if this instance follows no other provider. */
  readonly isRoot: boolean;
  /** Id of the root provider's log, across any chain of replicas; null: no provider yet. */
  readonly log: string | null;
  readonly ancestors: readonly Ancestor[];
  /** False if this instance is a replica whose graphs are not complete yet. */
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
    // The state of a closed graph is unknown, and it does not change.
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
    if (isDifferent && repair === null) return divergedMessage(name, count);
    const needsRepair = isDifferent || repair === "all";
    // `before` is set, because an open graph has an entry in the log.
    if (needsRepair || count < before!) snapshots.push(graph);
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

/** Returns whether two positions have the same operation count and different digests. */
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
    // Both followed the same provider, so operation counts are comparable.
    if (origin === ownOrigin) return null;
    const ancestor = ancestors.find((candidate) => candidate.id === id);
    if (ancestor === undefined) return "replica was copied from another instance";
    if (!isPast(positions, ancestor, channel)) return null;
    const position = `the point ${ancestor.sn} where its former provider was superseded`;
    return `replica has changes past ${position}`;
  }
  if (sn > log.last) return describeAhead(`replica is at ${sn}, ahead of the log end ${log.last}`);
  if (sn < log.first) return null;
  for (const { header } of log.read(sn)) {
    const isSame = header.sn + header.transactions - 1 === sn && header.headerCrc === chain;
    return isSame ? null : `transaction ${sn} differs between replica and provider`;
  }
  return null;
}

/**
 * Returns whether a subscriber has changes of a former leader that this log does not contain. They
 * come after the leader was superseded, or no other member followed it. Logs of epoch 1 may come
 * from instances without a group: only an operator may discard their changes.
 */
export function isSuperseded(
  positions: Positions,
  { log: ownOrigin, ancestors }: StartingPoint,
  provider: OwnLog,
): boolean {
  const { log, origin, epoch } = positions;
  if (log === null || log.id === provider.log.logId) return false;
  const ancestor = ancestors.find(({ id }) => id === log.id);
  if (ancestor !== undefined) return isPast(positions, ancestor, provider);
  return origin !== ownOrigin && epoch > 1 && epoch < provider.log.epoch;
}

/** Log of a provider and the graphs in it. */
export interface OwnLog {
  readonly log: Pick<LogChannel["log"], "logId" | "epoch">;
  readonly graphs: Pick<LogChannel["graphs"], "byIdentity">;
}

/**
 * Returns whether a subscriber has changes of a log after the transaction at which another instance
 * took over. Compares operation counts, because after a crash a position is older than the graphs.
 */
function isPast({ log, graphs }: Positions, { sn, counts }: Ancestor, provider: OwnLog): boolean {
  if (counts === undefined) return log!.sn > sn;
  return graphs.some(({ identity, count }) => {
    const endCount = counts[identity];
    if (endCount !== undefined) return count > endCount;
    const graph = provider.graphs.byIdentity(identity);
    // The graph was created later, or was closed there: only the position can decide.
    return graph === undefined || (!graph.isErased && log!.sn > sn);
  });
}

/** A log cannot roll back, so an operator must decide between provider and replica. */
function describeAhead(lead: string): string {
  return (
    `${lead}: the provider was restored to an earlier state. Promote the replica to keep ` +
    "its data (`svc admin promote`), or start it with an empty root"
  );
}
