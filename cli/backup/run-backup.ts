// Runs the steps of a backup from the command line.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  PERIOD_FORM,
  PERIODS,
  parsePeriod,
  pauseAfter,
} from "../../runtime/base/archive-config.js";
import { SvcError } from "../../runtime/base/errors.js";
import { LOG_FOLDER } from "../../runtime/base/graph-names.js";
import { isRootLocked, refuseIncompleteRestore } from "../../runtime/graph/manager/data-folder.js";
import { ArchiveWriter } from "../../runtime/interconnect/archive/archive-writer.js";
import type { Manifest } from "../../runtime/interconnect/archive/manifest.js";
import { openStore } from "../../runtime/interconnect/archive/open-store.js";
import { describePoint } from "../../runtime/interconnect/archive/restore-plan.js";
import { isReplicaRoot } from "../../runtime/interconnect/lineage.js";
import { realDisk } from "../../runtime/interconnect/log/disk.js";

export interface BackupOptions {
  readonly to?: string | undefined;
  readonly every?: string | undefined;
  readonly full?: string | undefined;
  readonly keep?: string | undefined;
}

const URL_START = /^\w+:\/\//;
/** Maximum delay before a running instance writes a change to its transaction log. */
const SETTLE_MS = 1000;

/** @throws SvcError SVC3003, SVC3050, SVC3420, SVC3421, SVC3422 */
export async function runBackup(root: string, options: BackupOptions): Promise<number> {
  const { to, every, full = PERIODS.full, keep = PERIODS.keep } = options;
  const everyMs = every === undefined ? null : periodOption("every", every);
  const periods = { fullMs: periodOption("full", full), keepMs: periodOption("keep", keep) };
  if (to === undefined) throw new SvcError("SVC3003", "pass the location of the backup with --to");
  if (URL_START.test(root)) {
    const text = `${root} is not a data folder: run \`svc backup\` on its machine, or let the`;
    throw new SvcError("SVC3003", `${text} instance or a replica of it use --archive`);
  }
  refuseIncompleteRestore(root);
  if (!existsSync(join(root, LOG_FOLDER))) {
    throw new SvcError("SVC3050", `no transaction log in ${root}`);
  }
  const source = {
    ...{
      root,
      disk: realDisk,
      safe: () => Number.POSITIVE_INFINITY,
      checkpoints: () => [],
      isReplica: isReplicaRoot(root),
    },
    settle: () => (isRootLocked(root) ? sleep(SETTLE_MS) : Promise.resolve()),
  };
  const writer = new ArchiveWriter(await openStore(to, root), source, periods);
  for (;;) {
    const sinceMs = performance.now();
    report(await writer.step(), writer);
    if (everyMs === null) return 0;
    await sleep(pauseAfter(sinceMs, everyMs));
  }
}

/** Returns milliseconds of `10s`, `5m`, `2h` or `30d`. @throws SvcError SVC3003 */
export function periodOption(option: string, text: string): number {
  const ms = parsePeriod(text);
  if (!Number.isNaN(ms)) return ms;
  throw new SvcError("SVC3003", `--${option} must be ${PERIOD_FORM}: ${text}`);
}

function report(manifest: Manifest | null, { tail, removalError }: ArchiveWriter): void {
  const at = describePoint(tail!);
  if (manifest === null) process.stdout.write(`nothing new after ${at}\n`);
  else {
    const kind = manifest.full === manifest.number ? "full backup" : "backup";
    process.stdout.write(`${kind} ${manifest.number} up to ${at}\n`);
  }
  if (removalError === null) return;
  const text = `expired parts of the backup were not removed: ${removalError.message}`;
  process.stderr.write(`svc: warning: ${text}\n`);
}
