// `svc doctor`: reports what this machine and a project support, and what would prevent serving it.

import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { projectFolder } from "./framework/project-folder.js";
import { EXIT_FAILURE } from "./framework/report-error.js";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Checks this machine and the project for problems.",
  arguments: [PROJECT_ARGUMENT],
  options: {},
  environment: false,
  async run([argument]) {
    const folder = projectFolder(argument);
    const { runChecks } = await import("./doctor/run-checks.js");
    let failures = 0;
    for (const { name, state, text } of await runChecks(folder)) {
      console.log(`${state.padEnd(6)}${name.padEnd(12)}${text}`);
      if (state === "fail") failures++;
    }
    return failures === 0 ? 0 : EXIT_FAILURE;
  },
});
