// Verifies a backup from the command line.

import { tmpdir } from "node:os";
import { openStore } from "../../runtime/interconnect/archive/open-store.js";
import { describePoint } from "../../runtime/interconnect/archive/restore-plan.js";
import { verifyBackup } from "../../runtime/interconnect/archive/verify-backup.js";

/** @throws SvcError SVC3420, SVC3422, SVC3423 */
export async function runVerify(location: string, scratch: string | null): Promise<number> {
  const result = await verifyBackup(await openStore(location), scratch ?? tmpdir());
  const { graphs, compared, fulls, objects, end } = result;
  const digests = compared === 0 ? "without digests to compare" : `${compared} digests are equal`;
  process.stdout.write(
    `${objects} objects of ${fulls} full backups are intact\n` +
      `${graphs} graphs restored up to ${describePoint(end)}, ${digests}\n`,
  );
  return 0;
}
