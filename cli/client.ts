// `svc client`: writes the client of a service, from its build or from a running server.

import { CLIENT_LANGUAGES } from "../argspec/client-languages.js";
import { defineCommand } from "./framework/command.js";
import { choice, stringSetting } from "./framework/option.js";

export const client = defineCommand({
  name: "client",
  summary: "Generates a typed client.",
  arguments: [],
  options: {
    from: {
      kind: stringSetting("<source>"),
      help: "server URL, argspec file or build folder (default: .svc)",
    },
    out: { kind: stringSetting("<folder>"), help: "output folder (default: sdk)" },
    name: { kind: stringSetting("<name>"), help: "package name; for python, generate a package" },
    version: {
      kind: stringSetting("<version>"),
      help: "package version (default: the service's)",
    },
    lang: { kind: choice(...CLIENT_LANGUAGES), help: "language (default: typescript)" },
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
