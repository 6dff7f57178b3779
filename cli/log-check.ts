// `svc log check`: reports the contents of a root's transaction log, and any corruption.

import { defineCommand } from "./framework/command.js";

export const logCheck = defineCommand({
  name: "log check",
  summary: "Verifies the transaction log of a data folder.",
  arguments: [{ name: "<root>", required: true, help: "data folder" }],
  options: {},
  environment: false,
  async run([root]) {
    const { checkLogs, describeLog } = await import("./log/log-folders.js");
    const logs = checkLogs(root!);
    for (const log of logs) process.stdout.write(`${describeLog(log)}\n`);
    return logs.some(({ report }) => report.damage !== null) ? 1 : 0;
  },
});
