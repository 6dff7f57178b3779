// `svc build`: checks and compiles the plugins of a project into `.svc/`.

import { SvcError } from "../runtime/base/errors.js";
import { defineCommand, PROJECT_ARGUMENT } from "./frame/command.js";
import { flag } from "./frame/option.js";
import { projectFolder } from "./frame/project-folder.js";
import { EXIT_FAILURE } from "./frame/report-error.js";

export const build = defineCommand({
  name: "build",
  summary: "Checks and compiles the plugins of a project into .svc/.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    check: { kind: flag, help: "write nothing, fail when .svc/ is not what a build would write" },
    json: { kind: flag, help: "print the findings as JSON" },
  },
  environment: false,
  async run([argument], { check = false, json = false }) {
    const [{ buildProject }, { printFindings, printJson, summary }] = await Promise.all([
      import("../compiler/build.js"),
      import("./frame/report-build.js"),
    ]);
    const folder = projectFolder(argument);
    const result = await buildProject(folder, { check });
    if (json) printJson(result.diagnostics);
    else printFindings(folder, result.diagnostics);
    if (result.differing.length > 0) {
      throw new SvcError(
        "SVC3007",
        `a build would change .svc/${result.differing.join(", .svc/")}`,
      );
    }
    if (!result.ok) return EXIT_FAILURE;
    const done = check || result.unchanged ? "current" : "built";
    if (!json) console.log(`svc: ${done}, ${summary(result)}`);
    return 0;
  },
});
