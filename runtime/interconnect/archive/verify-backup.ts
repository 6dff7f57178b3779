// Verifies a backup: every object is there and intact, and the last state restores to graphs with
// the recorded digests.

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
  const known = new Set<string>();
  for (const [index, { number, hash }] of fulls.entries()) {
    const after = fulls[index + 1]?.log ?? null;
    let before = fulls[index - 1]?.log ?? null;
    for await (const { manifest: one } of chain.since(end, number, hash)) {
      // The next full backup begins its own turn.
      if (one.number !== number && one.full === one.number) break;
      for (const piece of one.pieces) {
        if (!known.has(piece.object)) await readPiece(store, { after }, { ...piece, before });
        known.add(piece.object);
      }
      before = one.log;
    }
  }
  return { objects: known.size, fulls: fulls.length };
}
