// A backup of the instance `a`, in the folder `backup` beside it.

import { join } from "node:path";
import { ArchiveWriter } from "../../../../runtime/interconnect/archive/archive-writer.js";
import { FolderStore } from "../../../../runtime/interconnect/archive/folder-store.js";
import type { Manifest } from "../../../../runtime/interconnect/archive/manifest.js";
import type { ObjectStore } from "../../../../runtime/interconnect/archive/object-store.js";
import {
  planRestore,
  type RestoreTarget,
  requireSettledSlots,
} from "../../../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../../../runtime/interconnect/archive/restore-root.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import type { Instance } from "../support/instance.js";
import type { InstancesContext } from "../support/instances.js";

export const DAY = 86_400_000;
/** A full backup once, and one with each step. */
export const ONCE = { fullMs: DAY, keepMs: DAY };
export const ALWAYS = { fullMs: 0, keepMs: DAY };

export function folderStore({ folder }: InstancesContext): FolderStore {
  return new FolderStore(join(folder, "backup"));
}

export function createWriter(
  context: InstancesContext,
  periods = ONCE,
  store: ObjectStore = folderStore(context),
  instance = "a",
): ArchiveWriter {
  const source = {
    ...{
      root: join(context.folder, instance),
      disk: realDisk,
      safe: () => Number.POSITIVE_INFINITY,
    },
    ...{ settle: () => Promise.resolve(), checkpoints: () => [], isReplica: false },
  };
  return new ArchiveWriter(store, source, periods);
}

/** Backs up everything that the instance has changed so far. */
export async function step(instance: Instance, writer: ArchiveWriter): Promise<Manifest | null> {
  await instance.isFlushed();
  return writer.step();
}

/** Restores into a new data folder of that name. */
export async function restore(
  context: InstancesContext,
  name: string,
  target: RestoreTarget = { kind: "end" },
): Promise<void> {
  const store = folderStore(context);
  const plan = await planRestore(store, target);
  await restoreRoot(store, plan, join(context.folder, name), requireSettledSlots(plan));
}
