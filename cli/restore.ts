// `svc restore`: writes a data folder from a backup, as it was at some moment.

import { defineCommand } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";

export const restore = defineCommand({
  name: "restore",
  summary: "Restores a data folder from a backup.",
  arguments: [
    { name: "<location>", required: true, help: "folder of the backup, or s3://bucket/prefix" },
    { name: "<root>", required: true, help: "data folder to write (new or empty)" },
  ],
  options: {
    "to-time": {
      kind: stringSetting("<time>"),
      help: "last second to restore, in ISO 8601 (default: all)",
    },
    "to-position": {
      kind: stringSetting("<log:number>"),
      help: "last transaction to restore, as printed by `svc backup`",
    },
  },
  environment: false,
  async run([location, root], values) {
    const { runRestore } = await import("./backup/run-restore.js");
    return runRestore(location!, root!, values["to-time"], values["to-position"]);
  },
});
