// `svc serve`: serves a build. Loads nothing of the compiler.

import { surviveLostReaders } from "../runtime/base/log.js";
import { defineCommand, PROJECT_ARGUMENT } from "./frame/command.js";
import { projectFolder } from "./frame/project-folder.js";
import { SERVE_OPTIONS } from "./serving/options.js";

export const serve = defineCommand({
  name: "serve",
  summary: "Serves a built project until it is told to stop.",
  arguments: [PROJECT_ARGUMENT],
  options: SERVE_OPTIONS,
  environment: true,
  async run([argument], values) {
    const [{ announce }, build, { resolveSettings, roleOf }, { startServer }] = await Promise.all([
      import("./serving/announce.js"),
      import("./serving/built-project.js"),
      import("./serving/resolve-settings.js"),
      import("./serving/start-server.js"),
    ]);
    surviveLostReaders();
    const folder = projectFolder(argument);
    const manifest = build.readBuild(folder);
    await build.warnIfStale(folder, manifest);
    const settings = await resolveSettings(folder, manifest.config, values);
    const table = build.pluginTable(
      folder,
      manifest,
      await roleOf(folder, manifest.config, values),
    );
    const service = await startServer(settings, table);
    process.stdout.write(announce(service, table));
    return 0;
  },
});
