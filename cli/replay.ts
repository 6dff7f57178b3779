// `svc replay`: sends recorded requests to another server and compares its responses.

import { defineCommand } from "./framework/command.js";
import { flag, integer, integerOr, stringSetting } from "./framework/option.js";
import { EXIT_FAILURE, reportError } from "./framework/report-error.js";

/** Exit code of diff programs when there is nothing to compare. */
const EXIT_TROUBLE = 2;
const MAX_SPEED = 1000;
const MAX_CONNECTIONS = 1000;
const DEFAULT_CONNECTIONS = 32;

export const replay = defineCommand({
  name: "replay",
  summary: "Replays recorded requests and compares responses and latency.",
  arguments: [
    { name: "<file>", required: true, help: "recording written by `svc serve --record`" },
  ],
  options: {
    against: { kind: stringSetting("<url>"), help: "target server URL (required)" },
    speed: {
      kind: integerOr("max" as const, 1, MAX_SPEED),
      help: "replay speed factor; max: one after another (default: 1)",
    },
    connections: {
      kind: integer(1, MAX_CONNECTIONS),
      help: `maximum concurrent requests (default: ${DEFAULT_CONNECTIONS})`,
    },
    "include-writes": {
      kind: flag,
      help: "also replay POST and other unsafe methods",
    },
    "headers-file": {
      kind: stringSetting("<file>"),
      help: "file of header lines to add to every request",
    },
    json: { kind: flag, help: "print the results as JSON" },
  },
  environment: false,
  async run([file], { against, json = false, ...values }) {
    const [{ replayFile }, { replayReport }] = await Promise.all([
      import("./replay/replay-file.js"),
      import("./replay/report.js"),
    ]);
    const changes = values["include-writes"] ?? false;
    const { speed = 1, connections = DEFAULT_CONNECTIONS, "headers-file": fieldsFile } = values;
    const options = { against, speed, connections, changes, fieldsFile };
    const outcome = await replayFile(file!, options).catch(reportError);
    if (typeof outcome === "number") return EXIT_TROUBLE;
    process.stdout.write(json ? `${JSON.stringify(outcome)}\n` : replayReport(outcome));
    if (outcome.sent === 0) return EXIT_TROUBLE;
    return outcome.differing > 0 ? EXIT_FAILURE : 0;
  },
});
