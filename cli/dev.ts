// `svc dev`: builds and serves a project, and reloads it on every change.

import { ignoreBrokenPipe } from "../runtime/base/log.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { flag } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";
import { resolveTsconfig, TSCONFIG_OPTION } from "./framework/tsconfig-option.js";
import { OPEN_OPTION, SERVE_OPTIONS } from "./serving/options.js";

export const dev = defineCommand({
  name: "dev",
  summary: "Builds and serves a project, and reloads on every change.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    ...SERVE_OPTIONS,
    open: OPEN_OPTION,
    tsconfig: TSCONFIG_OPTION,
    "check-first": {
      kind: flag,
      help: "serve only builds without type errors; each edit waits for the check",
    },
  },
  environment: true,
  async run(
    [argument],
    { "check-first": isCheckedFirst = false, open = false, tsconfig, ...values },
  ) {
    const [{ DevServer }, { watchFolder }, { writeStartWarnings }] = await Promise.all([
      import("./serving/dev-server.js"),
      import("./serving/watch-folder.js"),
      import("./serving/start-warnings.js"),
    ]);
    ignoreBrokenPipe();
    process.env.NODE_ENV ??= "development";
    const folder = projectFolder(argument);
    writeStartWarnings(folder);
    const server = new DevServer(folder, values, {
      unchecked: !isCheckedFirst,
      open,
      ...resolveTsconfig(tsconfig),
    });
    const unwatch = watchFolder(folder, (files) => void server.change(files));
    try {
      await server.start();
    } catch (error) {
      unwatch();
      await server.close();
      throw error;
    }
    return 0;
  },
});
