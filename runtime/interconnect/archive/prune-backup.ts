// Removes the expired part of a backup: first manifests, then objects that no manifest refers to.
// Runs only after a full backup is complete.

import { BackupChain } from "./backup-chain.js";
import {
  type FullBackup,
  MANIFESTS,
  type Manifest,
  manifestName,
  OBJECTS,
  objectName,
} from "./manifest.js";
import type { ObjectStore } from "./object-store.js";

/** Age below which objects are never removed: their manifest may not be written yet. */
const YOUNG_MS = 86_400_000;

/**
 * Returns the full backups needed to restore any moment of the last `keepMs`, counted from the last
 * full backup at the latest: a clock that was set forward for a moment must not expire all of them.
 */
export function selectRetainedFulls(
  fulls: readonly FullBackup[],
  time: number,
  keepMs: number,
): readonly FullBackup[] {
  const until = Math.min(time, fulls.at(-1)?.time ?? time);
  const first = fulls.findLastIndex((full) => full.time <= until - keepMs);
  return fulls.slice(Math.max(0, first));
}

/**
 * Removes expired manifests and objects.
 * @param current manifest of the full backup just written
 * @param previous manifest of the full backup before it
 */
export async function removeExpired(
  store: ObjectStore,
  current: Manifest,
  previous: Manifest | null,
  time: number,
): Promise<void> {
  const first = current.fulls[0]?.number ?? current.number;
  const previousFirst = previous?.fulls[0]?.number ?? previous?.number ?? first;
  if (previousFirst >= first) return;
  for await (const { name } of store.list(MANIFESTS)) {
    if (name < manifestName(first)) await store.remove(name);
  }
  const referenced = new Set<string>();
  const chain = new BackupChain(store);
  for (let number = first; number <= current.number; number++) {
    const { manifest } = await chain.require(number);
    for (const { object } of manifest.pieces) referenced.add(objectName(object));
  }
  for await (const { name, modifiedAt } of store.list(OBJECTS)) {
    if (!referenced.has(name) && modifiedAt < time - YOUNG_MS) await store.remove(name);
  }
}
