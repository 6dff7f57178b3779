// What a subscriber is to get first, by how far it has come: nothing of a graph that the log
// reaches back to, else a snapshot; and whether what it has came from here at all.

import { identityOfStore } from "../graph/log/logging-entry-points.js";
import type { RepairAction } from "../graph/manager/graph-source.js";
import type { Ancestor } from "./lineage.js";
import type { LogChannel } from "./log/log-channel.js";
import type { SegmentLog } from "./log/segment-log.js";
import { isDiverged, replicationPosition } from "./replication-position.js";
import type { Offer, OfferedGraph, Position, Positions } from "./wire/positions.js";

export interface CatchUpPlan {
  readonly offer: Offer;
  readonly snapshots: readonly OfferedGraph[];
  /** By number of a graph: operations that the subscriber has. */
  readonly counts: Map<number, number>;
}

/** What a provider is beside its log. */
export interface StartingPoint {
  /** No other instance provides what this one has. */
  readonly isRoot: boolean;
  /** Log of the first provider, through whomever it came; null: none was met yet. */
  readonly log: string | null;
  readonly ancestors: readonly Ancestor[];
}

/** @returns text: why this subscriber can get nothing from here */
export function planCatchUp(
  channel: LogChannel,
  positions: Positions,
  origin: StartingPoint,
  repair: RepairAction | null = null,
): CatchUpPlan | string {
  const strange = strangeness(channel.log, positions, origin);
  if (strange !== null) return strange;
  const there = new Map(positions.graphs.map((position) => [position.identity, position]));
  const counts = new Map<number, number>();
  const snapshots: OfferedGraph[] = [];
  const graphs: OfferedGraph[] = [];
  const open = new Map(channel.stores().map((store) => [identityOfStore(store), store]));
  for (const { number, identity, name, path, before } of channel.graphs.all()) {
    const store = open.get(identity);
    const graph = { number, identity, name, path };
    const position = there.get(identity);
    const count = position?.count ?? 0;
    there.delete(identity);
    graphs.push(graph);
    counts.set(number, count);
    // It is closed: nothing is known of it, and nothing happens to it.
    if (store === undefined) continue;
    if (count > store.operationCount) {
      const here = store.operationCount;
      return isAhead(`it has ${count} changes of graph "${name}", of which there are ${here}`);
    }
    const isDifferent =
      positions.diverged.includes(identity) ||
      (position !== undefined && isOther(position, replicationPosition(store)));
    if (isDifferent && repair === null) return isDiverged(name, count);
    const isWanted = isDifferent || repair === "all";
    if (isWanted || before === null || count < before) snapshots.push(graph);
  }
  const left = [...there.keys()];
  const unknown = left.find((identity) => channel.graphs.byIdentity(identity)?.isErased !== true);
  if (unknown !== undefined) return `it has a graph that is not here (identity ${unknown})`;
  const { lastNumber } = channel.graphs;
  const { logId, epoch } = channel.log;
  const { isRoot, log } = origin;
  const offer = { logId, isRoot, origin: log ?? logId, epoch, graphs, lastNumber, erased: left };
  return { offer, snapshots, counts };
}

/** Both are known, of the same moment, and not the same. */
function isOther(there: Position, here: Position): boolean {
  const areKnown = there.digest !== null && here.digest !== null;
  return areKnown && there.count === here.count && there.digest !== here.digest;
}

/** Why what a subscriber has did not come from this log as it is now; null: it did. */
function strangeness(
  log: SegmentLog,
  { log: position, origin, graphs }: Positions,
  { log: ownOrigin, ancestors }: StartingPoint,
): string | null {
  // A log that nothing was written to has another identity after each start.
  if (position === null || graphs.length === 0) return null;
  const { id, sn, chain } = position;
  if (id !== log.logId) {
    // Both have followed the same provider: operations of its graphs tell who is behind.
    if (origin === ownOrigin) return null;
    const ancestor = ancestors.find((one) => one.id === id);
    if (ancestor === undefined) return "what it has came from another instance";
    if (sn <= ancestor.sn) return null;
    return `it has changes up to ${sn} of a provider that was followed here up to ${ancestor.sn}`;
  }
  if (sn > log.last) return isAhead(`it has changes up to ${sn}, the log ends at ${log.last}`);
  if (sn < log.first) return null;
  for (const { header } of log.read(sn)) {
    const isSame = header.sn + header.units - 1 === sn && header.headerCrc === chain;
    return isSame ? null : `change ${sn} there and here are not the same`;
  }
  return null;
}

/** Only an operator knows which of both is right; the replica's own log lets nothing go back. */
function isAhead(what: string): string {
  return (
    `${what}: this provider was put back to an earlier state. To keep what the replica has, ` +
    "promote it (`svc admin promote`); else start it with an empty root"
  );
}
