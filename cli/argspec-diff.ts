// `svc argspec diff`: lists what a release changes for clients, and fails on breaking changes.

import { defineCommand } from "./framework/command.js";
import { flag } from "./framework/option.js";
import { EXIT_FAILURE, reportError } from "./framework/report-error.js";

/** Exit code of diff programs when there is nothing to compare. */
const EXIT_TROUBLE = 2;
const SOURCE = "URL of a server, argspec file or project folder";

export const argspecDiff = defineCommand({
  name: "argspec diff",
  summary: "Compares two contracts and fails on breaking changes.",
  arguments: [
    { name: "<old>", required: true, help: `current contract: ${SOURCE}` },
    {
      name: "<new>",
      required: true,
      help: "new contract: server URL, argspec file or project folder",
    },
  ],
  options: {
    json: { kind: flag, help: "print changes as JSON" },
  },
  environment: false,
  async run([before = "", after = ""], { json = false }) {
    const [{ loadArgspec }, { diffArgspecs }, { diffReport }] = await Promise.all([
      import("./contract/load-argspec.js"),
      import("../argspec/diff/diff-argspecs.js"),
      import("./contract/diff-report.js"),
    ]);
    const load = () => Promise.all([loadArgspec(before), loadArgspec(after)]);
    const contracts = await load().catch(reportError);
    if (typeof contracts === "number") return EXIT_TROUBLE;
    const changes = diffArgspecs(...contracts);
    const color = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
    process.stdout.write(json ? `${JSON.stringify(changes)}\n` : diffReport(changes, { color }));
    return changes.some(({ severity }) => severity === "breaking") ? EXIT_FAILURE : 0;
  },
});
