// `svc graph import`: puts vertices, arcs and vectors of a file into a graph.

import { defineCommand } from "./framework/command.js";
import { choice, stringSetting } from "./framework/option.js";
import { GRAPH_OPTIONS } from "./graph/graph-options.js";

export const graphImport = defineCommand({
  name: "graph import",
  summary: "Puts vertices, arcs and vectors of a file into a graph, and goes on where it ended.",
  arguments: [{ name: "<file>", required: true, help: "JSON lines, CSV, .npy or .fvecs" }],
  options: {
    ...GRAPH_OPTIONS,
    format: {
      kind: choice("jsonl", "csv", "npy", "fvecs"),
      help: "form of the file, default: as its name ends",
    },
    "id-prefix": {
      kind: stringSetting("<text>"),
      help: "of the ids of vectors without ids, before their row",
    },
    type: { kind: stringSetting("<name>"), help: "of vertices that the file gives none" },
  },
  environment: false,
  async run([file = ""], values) {
    const { importFile } = await import("./graph/import-file.js");
    await importFile(file, {
      graph: values.graph ?? null,
      root: values.root ?? ".",
      format: values.format ?? null,
      prefix: values["id-prefix"] ?? "",
      type: values.type ?? null,
    });
    return 0;
  },
});
