// `svc replay`: sends recorded requests to another server and compares its responses.

import { defineCommand } from "./framework/command.js";
import { flag, integer, integerOr, stringSetting } from "./framework/option.js";
import { EXIT_FAILURE, reportError } from "./framework/report-error.js";

/** As of other programs that compare: there is nothing to compare. */
const EXIT_TROUBLE = 2;
const MAX_SPEED = 1000;
const MAX_CONNECTIONS = 1000;
const DEFAULT_CONNECTIONS = 32;

export const replay = defineCommand({
  name: "replay",
  summary: "Sends recorded requests to a server again, and compares answers and latencies.",
  arguments: [{ name: "<file>", required: true, help: "what `svc serve --record <file>` wrote" }],
  options: {
    against: { kind: stringSetting("<url>"), help: "server that is to answer them; required" },
    speed: {
      kind: integerOr("max" as const, 1, MAX_SPEED),
      help: "so many times as fast as they came, or one after the other; default: 1",
    },
    connections: {
      kind: integer(1, MAX_CONNECTIONS),
      help: `requests that may run at once, default: ${DEFAULT_CONNECTIONS}`,
    },
    "include-writes": {
      kind: flag,
      help: "send POST and other methods that may change something, too",
    },
    "headers-file": {
      kind: stringSetting("<file>"),
      help: "file with header lines for each request, for a token",
    },
    json: { kind: flag, help: "print the figures as JSON" },
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
    return outcome.differing > 0 ? EXIT_FAILURE : 0;
  },
});
