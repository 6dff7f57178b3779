// `svc serve`: serves a build without loading the compiler.

import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { flag } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";
import { OPEN_OPTION, SERVE_OPTIONS } from "./serving/options.js";

export const serve = defineCommand({
  name: "serve",
  summary: "Serves a built project.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    ...SERVE_OPTIONS,
    open: OPEN_OPTION,
    supervise: {
      kind: flag,
      help: "run in a child process and restart it when it dies",
    },
  },
  environment: true,
  async run([argument], { supervise, open = false, ...values }) {
    if (supervise === true) {
      const supervisor = await import("./serving/supervise.js");
      return supervisor.supervise(process.argv.slice(3), open);
    }
    // Started early: its worker loads code while this thread reads the build.
    const { startIoAhead } = await import("../runtime/lifecycle/io-worker.js");
    startIoAhead();
    const [{ readBuild, warnIfChanged, warnIfExtended }, { serveBuild }] = await Promise.all([
      import("./serving/built-project.js"),
      import("./serving/serve-build.js"),
    ]);
    const folder = projectFolder(argument);
    const build = readBuild(folder);
    const isWarned = warnIfChanged(folder, build);
    const code = await serveBuild(folder, values, open);
    // Searched after the start, so that it does not delay the first response.
    if (!isWarned) await warnIfExtended(folder, build);
    return code;
  },
});
