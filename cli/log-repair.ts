// `svc log repair`: saves what can be saved of a root whose log is damaged.

import { defineCommand } from "./framework/command.js";

export const logRepair = defineCommand({
  name: "log repair",
  summary: "Copies a root to a new folder, and of its log what comes before the damage.",
  arguments: [
    { name: "<root>", required: true, help: "data folder, which stays as it is" },
    { name: "<folder>", required: true, help: "new data folder" },
  ],
  options: {},
  environment: false,
  async run([root, folder]) {
    const { repairRoot } = await import("./log/repair-root.js");
    const { describeLog } = await import("./log/log-folders.js");
    const logs = repairRoot(root!, folder!);
    for (const log of logs) process.stdout.write(`${describeLog(log)}\n`);
    process.stdout.write(`what could be saved is in ${folder}\n`);
    return 0;
  },
});
