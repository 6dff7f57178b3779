// Verifies a backup: all objects exist and are intact, and restoring the last state yields graphs
// with the recorded digests.

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BackupChain } from "./backup-chain.js";
import { checkReplay, type ReplayReport } from "./check-replay.js";
import type { LogPoint } from "./manifest.js";
import type { ObjectStore } from "./object-store.js";
import { planRestore } from "./restore-plan.js";
import { readPiece, restoreRoot } from "./restore-root.js";

export interface VerifyReport extends ReplayReport {
  readonly fulls: number;
  readonly objects: number;
  readonly end: LogPoint;
}

/**
 * @param folder for a temporary data folder
 * @throws SvcError SVC3420, SVC3422, SVC3423
 */
export async function verifyBackup(store: ObjectStore, folder: string): Promise<VerifyReport> {
  const plan = await planRestore(store, { kind: "end" });
  const { objects, fulls } = await checkObjects(store);
  const scratch = mkdtempSync(join(folder, "svc-verify-"));
  try {
    const root = join(scratch, "root");
    const { end } = await restoreRoot(store, plan, root);
    const expected = plan.manifests.flatMap(({ graphs }) => graphs);
    return { ...checkReplay(root, expected), fulls, objects, end };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function checkObjects(store: ObjectStore): Promise<{ objects: number; fulls: number }> {
  const chain = new BackupChain(store);
  const end = (await chain.end())!;
  const current = await chain.require(end.manifest.full);
  const fulls = [...current.manifest.fulls, { ...current.manifest, hash: current.hash }];
  const checked = new Set<string>();
  for (const [index, { number, hash }] of fulls.entries()) {
    const after = fulls[index + 1]?.log ?? null;
    let before = fulls[index - 1]?.log ?? null;
    for await (const { manifest } of chain.since(end, number, hash)) {
      // The next iteration of the outer loop checks the next full backup.
      if (manifest.number !== number && manifest.full === manifest.number) break;
      for (const piece of manifest.pieces) {
        if (!checked.has(piece.object)) await readPiece(store, { after }, { ...piece, before });
        checked.add(piece.object);
      }
      before = manifest.log;
    }
  }
  return { objects: checked.size, fulls: fulls.length };
}
