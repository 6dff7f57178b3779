// Lineage of a promoted provider: the epochs and log positions at which each former provider was
// superseded. A replica at or before such a position is behind and can follow; a provider with a
// lower epoch is fenced. The data folder stores it, beside the marker of a replica and the fence.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fsyncDirectory } from "../base/durable-files.js";
import { SvcError } from "../base/errors.js";
import { readState, readStateOrNull, writeState } from "../base/state-file.js";
import {
  type Ancestor,
  isAncestor,
  MAX_ANCESTORS,
  type Positions,
  parsePositions,
} from "./wire/positions.js";

export const LINEAGE_FILE = "_lineage.json";
const FENCE_FILE = "_fenced.json";

export interface Lineage {
  readonly epoch: number;
  readonly ancestors: readonly Ancestor[];
}

const NONE: Lineage = { epoch: 1, ancestors: [] };

/** @throws SvcError SVC2506 for a file of a later release */
export function readLineage(root: string): Lineage {
  const stored: Partial<Lineage> = readStateOrNull(join(root, LINEAGE_FILE)) ?? {};
  const { epoch, ancestors } = stored;
  const isLineage = Number.isSafeInteger(epoch) && Array.isArray(ancestors);
  // Safe for a corrupt file: replicas of the former provider must start with an empty data folder.
  return isLineage && ancestors.every(isAncestor) ? { epoch: epoch!, ancestors } : NONE;
}

/**
 * Promotes a replica to provider and makes its graphs writable.
 * @param isExplicit true for a requested promotion: also if it is fenced or never received anything
 * @param claimed epoch that it has claimed; 0: the next one
 * @param counts operation counts of its graphs, by identity
 * @returns its new lineage
 */
export function promote(
  root: string,
  isExplicit: boolean,
  claimed = 0,
  counts?: Ancestor["counts"],
): Lineage {
  const lineage = readLineage(root);
  const mark = readMarkOrNone(root);
  const fence = isExplicit ? fencedBy(root) : null;
  const followed = mark?.log ?? null;
  const isReplica = mark !== undefined && (followed !== null || isExplicit);
  if (!isReplica && fence === null) {
    removeReplicaMarker(root);
    return lineage;
  }
  const end = followed && { ...followed, ...(counts !== undefined && { counts }) };
  const epoch = Math.max(lineage.epoch + 1, (mark?.epoch ?? 0) + 1, (fence ?? 0) + 1, claimed);
  const ancestors = endOfEachLog([...lineage.ancestors, ...(mark?.ancestors ?? [])], end);
  const next = { epoch, ancestors };
  writeState(join(root, LINEAGE_FILE), next);
  removeReplicaMarker(root);
  if (fence !== null) rmSync(join(root, FENCE_FILE), { recursive: true });
  return next;
}

/**
 * Makes a provider a replica. It can follow a provider that has everything up to `end` of its log.
 * Its graphs must be read-only.
 */
export function demote(root: string, end: Ancestor | null, epoch: number): void {
  const { ancestors } = readLineage(root);
  const origin = end?.id ?? null;
  const state = { isCaughtUp: false, isFetching: false };
  writeReplicaMarker(root, { log: end, origin, epoch, ancestors, ...state });
}

/**
 * Returns the end of each log that the graphs of a replica descend from.
 * @param known ends from earlier promotions, then ends that its last provider has reported
 * @param end position in the log that it followed, with the operation counts of its graphs
 */
function endOfEachLog(known: readonly Ancestor[], end: Ancestor | null): Ancestor[] {
  const ends = new Map<string, Ancestor>();
  const put = (ancestor: Ancestor): void => {
    ends.delete(ancestor.id);
    ends.set(ancestor.id, ancestor);
  };
  for (const ancestor of known) put(ancestor);
  if (end !== null) {
    const previous = ends.get(end.id);
    // Several instances can continue one log. The latest end that the graphs have reached counts.
    const isLater = previous !== undefined && previous.sn >= end.sn && isReached(previous, end);
    put(isLater ? previous : end);
  }
  const ancestors = [...ends.values()].slice(-MAX_ANCESTORS);
  return end === null ? ancestors : ancestors.map((ancestor) => limit(ancestor, end));
}

/**
 * Returns whether the graphs of a replica have reached an end. The provider reports ends in
 * advance, and the replica can be promoted before that.
 */
function isReached({ counts = {} }: Ancestor, { counts: replicaCounts }: Ancestor): boolean {
  if (replicaCounts === undefined) return true;
  return Object.entries(counts).every(
    ([identity, count]) => count <= (replicaCounts[identity] ?? 0),
  );
}

/** Limits the operation counts of an end to those of the replica, and omits graphs it lacks. */
function limit(ancestor: Ancestor, { counts: replicaCounts }: Ancestor): Ancestor {
  if (ancestor.counts === undefined || replicaCounts === undefined) return ancestor;
  const limited = Object.entries(ancestor.counts)
    .filter(([identity]) => replicaCounts[identity] !== undefined)
    .map(([identity, count]) => [identity, Math.min(count, replicaCounts[identity]!)]);
  return { ...ancestor, counts: Object.fromEntries(limited) };
}

/**
 * Makes a restored data folder a provider. Replicas at or before `end` can follow it; all others
 * have changes that it lacks.
 * @param logEpoch epoch of the restored log
 */
export function beginLineage(root: string, end: Ancestor, logEpoch: number): void {
  const lineage = readLineage(root);
  const { id, sn, chain } = end;
  const ancestors = [...lineage.ancestors, { id, sn, chain }].slice(-MAX_ANCESTORS);
  const epoch = Math.max(lineage.epoch, logEpoch) + 1;
  writeState(join(root, LINEAGE_FILE), { epoch, ancestors });
}

/** Fences this instance durably, because another one provides in its place. */
export function writeFence(root: string, epoch: number): void {
  writeState(join(root, FENCE_FILE), { epoch });
}

/** Returns the epoch of the provider that superseded this data folder's instance, or null. */
export function fencedBy(root: string): number | null {
  const fence: { readonly epoch?: unknown } | null | undefined = readStateOrNull(
    join(root, FENCE_FILE),
  );
  if (fence === undefined) return null;
  // An invalid fence is still a fence: no other instance would receive changes made here.
  const epoch = Number.isSafeInteger(fence?.epoch) ? (fence!.epoch as number) : 0;
  return Math.max(epoch, readLineage(root).epoch + 1);
}

/**
 * Returns whether a data folder was a replica's, and its graphs may have changed since. Such an
 * instance cannot follow a provider, whatever its configuration says.
 */
export function hasBeenPromoted(root: string): boolean {
  return readLineage(root).epoch > NONE.epoch && !isReplicaRoot(root);
}

function readMarkOrNone(root: string): ReturnType<typeof readReplicaMarker> {
  try {
    return readReplicaMarker(root);
  } catch (error) {
    if ((error as SvcError).code === "SVC2506") throw error;
    return undefined;
  }
}

// Replica marker: shows that all graphs of the data folder came from a provider, with its epoch and
// the position reached in its log. A promotion removes it, before the graphs can change.

const MARKER_FILE = "_replica.json";
/** Files that describe the graphs of a data folder. */
export const DATA_FILES: readonly string[] = [LINEAGE_FILE, FENCE_FILE, MARKER_FILE];

export interface ReplicaMarker extends Omit<Positions, "graphs" | "diverged" | "member"> {
  /** Ends of the logs that the followed log descends from. */
  readonly ancestors: readonly Ancestor[];
  /** True if the graphs are a complete state of the provider. */
  readonly isCaughtUp: boolean;
  /** True if snapshots have replaced some graphs, and the others have not reached that state. */
  readonly isFetching: boolean;
}

/**
 * Returns undefined if the data folder is not a replica's.
 * @throws SvcError SVC2534 or SVC2506
 */
export function readReplicaMarker(root: string): ReplicaMarker | undefined {
  const file = join(root, MARKER_FILE);
  try {
    const mark: Partial<ReplicaMarker> | undefined = readState(file);
    if (mark === undefined) return undefined;
    const positions = parsePositions({ epoch: 1, ...mark, graphs: [], diverged: [] });
    const { log, origin, epoch } = positions;
    const ancestors = Array.isArray(mark.ancestors) ? mark.ancestors.filter(isAncestor) : [];
    const isCaughtUp = mark.isCaughtUp === true;
    return { log, origin, epoch, ancestors, isCaughtUp, isFetching: mark.isFetching === true };
  } catch (error) {
    if ((error as SvcError).code === "SVC2506") throw error;
    const text = `replication: ${file} cannot be read: ${(error as Error).message}`;
    throw new SvcError("SVC2534", text, { cause: error });
  }
}

/** Returns whether the graphs of a data folder come from a provider. */
export function isReplicaRoot(root: string): boolean {
  return existsSync(join(root, MARKER_FILE));
}

export function writeReplicaMarker(root: string, mark: ReplicaMarker): void {
  writeState(join(root, MARKER_FILE), mark);
}

/** Removes the marker durably, before graphs become writable. */
function removeReplicaMarker(root: string): void {
  if (!isReplicaRoot(root)) return;
  rmSync(join(root, MARKER_FILE));
  fsyncDirectory(root);
}

/** Returns the error for a provider that another one has replaced. */
export function staleEpochError(epoch: number, known: number): SvcError {
  const text = `provider is at stale epoch ${epoch}; this instance is at epoch ${known}`;
  return new SvcError("SVC2535", text);
}

/** Returns the error for a graph that did not come from a provider. */
export function notAReplicaError(root: string, name: string): SvcError {
  const text = `replication: graph "${name}" in ${root} did not come from a provider`;
  return new SvcError("SVC2534", text);
}
