// Removes expired parts of a backup: manifests first, then the objects that no manifest refers to.
// Runs only after a complete full backup.

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

/** Younger objects are retained: their manifest may not be written yet. */
const YOUNG_MS = 86_400_000;

/** Returns the full backups that are necessary to restore any moment of the last `keepMs`. */
export function retained(
  fulls: readonly FullBackup[],
  time: number,
  keepMs: number,
): readonly FullBackup[] {
  const first = fulls.findLastIndex((full) => full.time <= time - keepMs);
  return fulls.slice(Math.max(0, first));
}

/**
 * @param current the full backup just written
 * @param before the full backup before it
 */
export async function removeUnnamed(
  store: ObjectStore,
  current: Manifest,
  before: Manifest | null,
  time: number,
): Promise<void> {
  const first = current.fulls[0]?.number ?? current.number;
  const formerFirst = before?.fulls[0]?.number ?? before?.number ?? first;
  if (formerFirst >= first) return;
  for await (const { name } of store.list(MANIFESTS)) {
    if (name < manifestName(first)) await store.remove(name);
  }
  const named = new Set<string>();
  const chain = new BackupChain(store);
  for (let number = first; number <= current.number; number++) {
    const { manifest } = await chain.require(number);
    for (const { object } of manifest.pieces) named.add(objectName(object));
  }
  for await (const { name, modifiedAt } of store.list(OBJECTS)) {
    if (!named.has(name) && modifiedAt < time - YOUNG_MS) await store.remove(name);
  }
}
