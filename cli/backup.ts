// `svc backup`: adds the state of a data folder to a backup, once or continuously.

import { defineCommand } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";

const PERIOD = stringSetting("<period>");

export const backup = defineCommand({
  name: "backup",
  summary: "Backs up a data folder, also of a running instance.",
  arguments: [{ name: "<root>", required: true, help: "data folder" }],
  options: {
    to: { kind: stringSetting("<location>"), help: "folder of the backup, or s3://bucket/prefix" },
    every: { kind: PERIOD, help: "continue, and add new changes after each period, such as 10s" },
    full: { kind: PERIOD, help: "time between full backups (default: 1d)" },
    keep: { kind: PERIOD, help: "period that a restore can reach back (default: 30d)" },
  },
  environment: false,
  async run([root], values) {
    const { runBackup } = await import("./backup/run-backup.js");
    return runBackup(root!, values);
  },
});
