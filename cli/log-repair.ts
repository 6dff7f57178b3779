// `svc log repair`: salvages a data folder whose transaction log is corrupt.

import { defineCommand } from "./framework/command.js";

export const logRepair = defineCommand({
  name: "log repair",
  summary: "Copies a data folder up to the first corrupt log frame.",
  arguments: [
    { name: "<root>", required: true, help: "data folder to repair (not modified)" },
    { name: "<folder>", required: true, help: "folder for the repaired copy (new)" },
  ],
  options: {},
  environment: false,
  async run([root, folder]) {
    const { repairRoot } = await import("./log/repair-root.js");
    const { describeLog } = await import("./log/log-folders.js");
    const logs = repairRoot(root!, folder!);
    for (const log of logs) process.stdout.write(`${describeLog(log)}\n`);
    process.stdout.write(`recovered data is in ${folder}\n`);
    return 0;
  },
});
