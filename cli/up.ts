// `svc up`: the instances of a system that belong to this machine, for development and tests.

import { SvcError } from "../runtime/base/errors.js";
import { defineCommand, PROJECT_ARGUMENT } from "./framework/command.js";
import { stringSetting } from "./framework/option.js";
import { projectFolder } from "./framework/project-folder.js";

export const up = defineCommand({
  name: "up",
  summary: "Starts the instances of a system that belong to this machine.",
  arguments: [PROJECT_ARGUMENT],
  options: {
    descriptor: {
      kind: stringSetting("<file>"),
      help: "JSON file with the descriptor of the system",
    },
    only: { kind: stringSetting("<ids>"), help: "instances to start, such as TD,S*; default: all" },
    root: {
      kind: stringSetting("<folder>"),
      help: "data folder, each instance has its own below it",
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
      throw new SvcError("SVC3112", `this machine is the host of none of ${chosen.join(", ")}`);
    }
    const whole = local.systemRoot(folder, config.root, root);
    await new local.LocalSystem({ system, ids, folder, descriptor, root: whole }).run();
    return 0;
  },
});
