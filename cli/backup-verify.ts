// `svc backup verify`: restores a backup in a temporary folder and compares digests.

import { defineCommand } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";

export const backupVerify = defineCommand({
  name: "backup verify",
  summary: "Verifies a backup by restoring it temporarily.",
  arguments: [
    { name: "<location>", required: true, help: "folder of the backup, or s3://bucket/prefix" },
  ],
  options: {
    scratch: {
      kind: stringSetting("<folder>"),
      help: "folder for the temporary data folder (default: that of the system)",
    },
  },
  environment: false,
  async run([location], { scratch }) {
    const { runVerify } = await import("./backup/run-verify.js");
    return runVerify(location!, scratch ?? null);
  },
});
