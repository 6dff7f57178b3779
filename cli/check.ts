// `svc check`: reports errors in the plugins of a project without writing anything.

import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { delayOptimization } from "./framework/delay-optimization.js";
import { flag } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";
import { EXIT_FAILURE } from "./framework/report-error.js";
import { resolveTsconfig, TSCONFIG_OPTION } from "./framework/tsconfig-option.js";

export const check = defineCommand({
  name: "check",
  summary: "Reports plugin errors without writing a build.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    tsconfig: TSCONFIG_OPTION,
    json: { kind: flag, help: "print diagnostics as JSON" },
  },
  environment: false,
  async run([argument], { json = false, tsconfig }) {
    delayOptimization();
    const [{ checkProject }, { printDiagnostics, printJson, summary }] = await Promise.all([
      import("../compiler/build.js"),
      import("./framework/report-build.js"),
    ]);
    const folder = projectFolder(argument);
    const result = await checkProject(folder, resolveTsconfig(tsconfig));
    if (json) printJson(result.diagnostics);
    else printDiagnostics(folder, result.diagnostics);
    if (!result.ok) return EXIT_FAILURE;
    if (!json) console.log(`svc: no errors, ${summary(result)}`);
    return 0;
  },
});
