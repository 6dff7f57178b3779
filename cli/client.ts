// `svc client`: writes the client of a service, from its build or from the running server alike.

import { defineCommand } from "./framework/command.js";
import { choice, stringSetting } from "./framework/option.js";

export const client = defineCommand({
  name: "client",
  summary: "Writes a typed client of a service.",
  arguments: [],
  options: {
    from: {
      kind: stringSetting("<source>"),
      help: "URL of a server, file of an argspec, or folder of a build; default: .svc",
    },
    out: { kind: stringSetting("<folder>"), help: "folder to write, default: sdk" },
    name: { kind: stringSetting("<name>"), help: "name of the package; python: writes a package" },
    version: {
      kind: stringSetting("<version>"),
      help: "version of the package, default: the service's",
    },
    lang: { kind: choice("typescript", "python"), help: "language, default: typescript" },
  },
  environment: false,
  async run(_, { from = ".svc", out = "sdk", lang = "typescript", name, version }) {
    const { writeClient } = await import("./contract/write-client.js");
    const { written, methods } = await writeClient({
      from,
      out,
      lang,
      name: name ?? null,
      version: version ?? null,
    });
    const done = written === 0 ? "current" : "written";
    console.log(`svc: ${out} ${done}, ${methods} ${methods === 1 ? "plugin" : "plugins"}`);
    return 0;
  },
});
