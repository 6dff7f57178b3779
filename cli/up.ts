// `svc up`: runs the instances of a system on this machine, for development and tests.

import { SvcError } from "../runtime/base/errors.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";

export const up = defineCommand({
  name: "up",
  summary: "Starts this machine's instances of a system.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    descriptor: {
      kind: stringSetting("<file>"),
      help: "system descriptor (JSON file)",
    },
    only: { kind: stringSetting("<ids>"), help: "instances to start, e.g. TD,S* (default: all)" },
    root: {
      kind: stringSetting("<folder>"),
      help: "data folder, with one subfolder per instance",
    },
  },
  environment: false,
  async run([argument], { descriptor, only = "@", root }) {
    const [build, { loadSystem }, { selectIds }, { isThisMachine }, local] = await Promise.all([
      import("./serving/built-project.js"),
      import("./system/load-system.js"),
      import("./system/select-ids.js"),
      import("./system/this-machine.js"),
      import("./system/local-system.js"),
    ]);
    const folder = projectFolder(argument);
    const manifest = build.readBuild(folder);
    await build.warnIfStale(folder);
    const { config } = manifest;
    const system = loadSystem(folder, config.descriptor, descriptor);
    const chosen = selectIds(system, only);
    const ids = chosen.filter((id) => isThisMachine(system.instances.get(id)!.host));
    if (ids.length === 0) {
      throw new SvcError(
        "SVC3112",
        `no instance of ${chosen.join(", ")} is hosted on this machine`,
      );
    }
    const systemFolder = local.systemRoot(folder, config.root, root);
    await new local.LocalSystem({ system, ids, folder, descriptor, root: systemFolder }).run();
    return 0;
  },
});
