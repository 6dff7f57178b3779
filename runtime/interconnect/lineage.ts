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

/** @throws SvcError SVC2506 for one of a later release */
export function readLineage(root: string): Lineage {
  const stored: Partial<Lineage> = readStateOrNull(join(root, LINEAGE_FILE)) ?? {};
  const { epoch, ancestors } = stored;
  const isLineage = Number.isSafeInteger(epoch) && Array.isArray(ancestors);
  // Safe: replicas of the former provider must then start from an empty data folder.
  return isLineage && ancestors.every(isAncestor) ? { epoch: epoch!, ancestors } : NONE;
}

/**
 * Promotes a replica to provider and makes its graphs writable.
 * @param isAsked promote even if it never received anything
 * @param claimed epoch that it has claimed; 0: the next one
 * @param counts operations of its graphs, by identity
 * @returns its new lineage
 */
export function promote(
  root: string,
  isAsked: boolean,
  claimed = 0,
  counts?: Ancestor["counts"],
): Lineage {
  const lineage = readLineage(root);
  const mark = readMarkOrNone(root);
  const fence = isAsked ? fencedBy(root) : null;
  const followed = mark?.log ?? null;
  const isReplica = mark !== undefined && (followed !== null || isAsked);
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
 * Makes a provider a replica, which can follow a provider that has everything up to the end of its
 * log. Its graphs must be read-only.
 */
export function demote(root: string, end: Ancestor | null, epoch: number): void {
  const { ancestors } = readLineage(root);
  const origin = end?.id ?? null;
  const state = { isCaughtUp: false, isFetching: false };
  writeReplicaMarker(root, { log: end, origin, epoch, ancestors, ...state });
}

/**
 * Returns where each log ends that the graphs of a replica descend from.
 * @param told known ends; the later ones are of its last provider, and hold for its graphs
 * @param end its position in the log that it followed, and its graphs
 */
function endOfEachLog(told: readonly Ancestor[], end: Ancestor | null): Ancestor[] {
  const ends = new Map<string, Ancestor>();
  const put = (one: Ancestor): void => {
    ends.delete(one.id);
    ends.set(one.id, one);
  };
  for (const one of told) put(one);
  if (end !== null) {
    const known = ends.get(end.id);
    // A log can be continued more than once: the last end counts, as it was found first.
    const isFound = known !== undefined && known.sn >= end.sn && isReached(known, end);
    put(isFound ? known : end);
  }
  const all = [...ends.values()].slice(-MAX_ANCESTORS);
  return end === null ? all : all.map((one) => limit(one, end));
}

/** A replica knows the ends from its provider at once, and can lead before it is as far. */
function isReached({ counts = {} }: Ancestor, { counts: here }: Ancestor): boolean {
  if (here === undefined) return true;
  return Object.entries(counts).every(([identity, count]) => count <= (here[identity] ?? 0));
}

/** Only what is here is taken over from a log; a graph that is not has no known end. */
function limit(one: Ancestor, { counts: here }: Ancestor): Ancestor {
  if (one.counts === undefined || here === undefined) return one;
  const limited = Object.entries(one.counts)
    .filter(([identity]) => here[identity] !== undefined)
    .map(([identity, count]) => [identity, Math.min(count, here[identity]!)]);
  return { ...one, counts: Object.fromEntries(limited) };
}

/**
 * Makes a restored data folder the provider: replicas at or before `end` can follow it, all others
 * have changes that it lacks.
 * @param logEpoch of the restored log
 */
export function beginLineage(root: string, end: Ancestor, logEpoch: number): void {
  const lineage = readLineage(root);
  const { id, sn, chain } = end;
  const ancestors = [...lineage.ancestors, { id, sn, chain }].slice(-MAX_ANCESTORS);
  const epoch = Math.max(lineage.epoch, logEpoch) + 1;
  writeState(join(root, LINEAGE_FILE), { epoch, ancestors });
}

/** Fences this instance: another one provides in its place, also after a restart. */
export function writeFence(root: string, epoch: number): void {
  writeState(join(root, FENCE_FILE), { epoch });
}

/** Returns the epoch of the provider that superseded this data folder's instance, or null. */
export function fencedBy(root: string): number | null {
  const fence: { readonly epoch?: unknown } | null | undefined = readStateOrNull(
    join(root, FENCE_FILE),
  );
  if (fence === undefined) return null;
  // Any other fence still fences: changes that no other instance gets must be refused.
  const epoch = Number.isSafeInteger(fence?.epoch) ? (fence!.epoch as number) : 0;
  return Math.max(epoch, readLineage(root).epoch + 1);
}

/**
 * Returns whether the graphs of a data folder were a replica's and may have changed since. Such
 * graphs cannot follow a provider, whatever the configuration says.
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

// Replica marker: states that all graphs of the data folder came from a provider, with its epoch
// and the log position reached. Removed when an instance starts that may change them: from then on
// they can differ from the provider's.

const MARKER_FILE = "_replica.json";
/** Files that describe the graphs of a data folder. */
export const DATA_FILES: readonly string[] = [LINEAGE_FILE, FENCE_FILE, MARKER_FILE];

export interface ReplicaMarker extends Omit<Positions, "graphs" | "diverged" | "member"> {
  /** Ends of the logs that the followed log descends from. */
  readonly ancestors: readonly Ancestor[];
  /** The graphs are a complete state of the provider. */
  readonly isCaughtUp: boolean;
  /** Snapshots have replaced graphs since, so that it lacks what it had before. */
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

/** Returns the error of a provider that another one has replaced. */
export function staleEpoch(epoch: number, known: number): SvcError {
  const text = `provider is at stale epoch ${epoch}; this instance is at epoch ${known}`;
  return new SvcError("SVC2535", text);
}

/** Returns the error of graphs that no provider sent. */
export function notAReplica(root: string, name: string): SvcError {
  const text = `replication: graph "${name}" in ${root} did not come from a provider`;
  return new SvcError("SVC2534", text);
}
