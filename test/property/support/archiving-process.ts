// Backs up a data folder again and again, or restores a backup again and again, until it is killed.
//
//   node archiving.cjs backup <root> <place>
//   node archiving.cjs restore <place> <prefix of roots>

import { writeSync } from "node:fs";
import { ArchiveWriter } from "../../../runtime/interconnect/archive/archive-writer.js";
import { openStore } from "../../../runtime/interconnect/archive/open-store.js";
import { planRestore } from "../../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../../runtime/interconnect/archive/restore-root.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";

const [, , mode, from = "", to = ""] = process.argv;

async function backUp(): Promise<void> {
  const source = {
    ...{ root: from, disk: realDisk, safe: () => Number.POSITIVE_INFINITY, isReplica: false },
    ...{ settle: () => Promise.resolve(), checkpoints: () => [] },
  };
  const writer = new ArchiveWriter(await openStore(to), source, { fullMs: 0, keepMs: 1 });
  for (;;) {
    writeSync(1, "begins\n");
    await writer.step();
  }
}

async function restore(): Promise<void> {
  const store = await openStore(from);
  const plan = await planRestore(store, { kind: "end" });
  for (let number = 0; ; number++) {
    writeSync(1, `begins ${number}\n`);
    await restoreRoot(store, plan, `${to}${number}`);
  }
}

void (mode === "backup" ? backUp() : restore());
