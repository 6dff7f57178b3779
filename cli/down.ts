// `svc down`: stops the instances that `svc up` has started.

import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { flag, stringSetting } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";
import { EXIT_FAILURE } from "./framework/report-error.js";

export const down = defineCommand({
  name: "down",
  summary: "Stops the instances started by `svc up`.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    descriptor: {
      kind: stringSetting("<file>"),
      help: "system descriptor (JSON file)",
    },
    only: {
      kind: stringSetting("<ids>"),
      help: "instances to stop (default: all, and `svc up` itself)",
    },
    root: { kind: stringSetting("<folder>"), help: "data folder passed to `svc up`" },
    force: { kind: flag, help: "kill the processes; changes not yet logged are lost" },
  },
  environment: false,
  async run([argument], { descriptor, only, root, force = false }) {
    const [build, { loadSystem }, { selectIds }, { systemRoot }, { requestShutdown }] =
      await Promise.all([
        import("./serving/built-project.js"),
        import("./system/load-system.js"),
        import("./system/select-ids.js"),
        import("./system/local-system.js"),
        import("./system/supervisor-socket.js"),
      ]);
    const folder = projectFolder(argument);
    const { config } = build.readBuild(folder);
    const choose = () => selectIds(loadSystem(folder, config.descriptor, descriptor), only!);
    const ids = only === undefined ? null : choose();
    const systemFolder = systemRoot(folder, config.root, root);
    const isDone = await requestShutdown(systemFolder, { ids, force }, (text) => console.log(text));
    return isDone ? 0 : EXIT_FAILURE;
  },
});
