// What a provider that was a replica once tells of that time: up to where it had the log of the one
// before it. Whoever has no more of that log than this is behind, and can follow on; and whoever
// has the lower epoch has been replaced.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeJsonAtomically } from "../base/durable-files.js";
import { hasReplicaMarker, readReplicaMarker, removeReplicaMarker } from "./replica-marker.js";
import { isLogPosition } from "./wire/positions.js";

const LINEAGE_FILE = "_lineage.json";
const FENCE_FILE = "_fenced.json";
/** Who was away for longer gets snapshots into an empty root. */
const MOST_ANCESTORS = 16;

export interface Ancestor {
  readonly id: string;
  readonly sn: number;
  readonly chain: number;
}

export interface Lineage {
  readonly epoch: number;
  readonly ancestors: readonly Ancestor[];
}

const NONE: Lineage = { epoch: 1, ancestors: [] };

export function readLineage(root: string): Lineage {
  try {
    const text = readFileSync(join(root, LINEAGE_FILE), "utf8");
    const { epoch, ancestors } = JSON.parse(text) as Partial<Lineage>;
    const isLineage = Number.isSafeInteger(epoch) && Array.isArray(ancestors);
    return isLineage && ancestors.every(isLogPosition) ? { epoch: epoch!, ancestors } : NONE;
  } catch {
    // Without it replicas of the one before have to start empty, which is safe.
    return NONE;
  }
}

/**
 * A replica takes over from its provider: its graphs may be changed from now on.
 * @param isAsked also one that has got nothing yet, and is not to follow anybody any more
 * @returns what it tells others from now on
 */
export function promote(root: string, isAsked: boolean): Lineage {
  const lineage = readLineage(root);
  const mark = readMarkOrNone(root);
  const fence = isAsked ? fencedBy(root) : null;
  const followed = mark?.log ?? null;
  const isReplica = mark !== undefined && (followed !== null || isAsked);
  if (!isReplica && fence === null) {
    removeReplicaMarker(root);
    return lineage;
  }
  const all = followed === null ? lineage.ancestors : [...lineage.ancestors, followed];
  const ancestors = all.slice(-MOST_ANCESTORS);
  const epoch = Math.max(lineage.epoch, mark?.epoch ?? 0, fence ?? 0) + 1;
  const next = { epoch, ancestors };
  writeJsonAtomically(join(root, LINEAGE_FILE), next);
  removeReplicaMarker(root);
  if (fence !== null) rmSync(join(root, FENCE_FILE), { force: true });
  return next;
}

/** Another instance provides in place of this one, also after a restart. */
export function writeFence(root: string, epoch: number): void {
  writeJsonAtomically(join(root, FENCE_FILE), { epoch });
}

/** Epoch of whoever provides in place of the instance of a root; null: nobody does. */
export function fencedBy(root: string): number | null {
  const file = join(root, FENCE_FILE);
  if (!existsSync(file)) return null;
  const least = readLineage(root).epoch + 1;
  try {
    const { epoch } = JSON.parse(readFileSync(file, "utf8")) as { epoch?: unknown };
    return Number.isSafeInteger(epoch) ? Math.max(epoch as number, least) : least;
  } catch {
    // That it is there says enough: changes that nobody else will have must not be taken.
    return least;
  }
}

/**
 * The graphs of a root were a replica's, and may have been changed since: they can follow nobody,
 * whatever the configuration says.
 */
export function hasBeenPromoted(root: string): boolean {
  return readLineage(root).epoch > NONE.epoch && !hasReplicaMarker(root);
}

function readMarkOrNone(root: string): ReturnType<typeof readReplicaMarker> {
  try {
    return readReplicaMarker(root);
  } catch {
    return undefined;
  }
}
