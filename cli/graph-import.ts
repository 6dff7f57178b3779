// `svc graph import`: adds the vertices, arcs and vectors of a file to a graph.

import { defineCommand } from "./framework/command.js";
import { choice, flag, stringSetting } from "./framework/option.js";
import { GRAPH_OPTIONS } from "./graph/graph-options.js";

export const graphImport = defineCommand({
  name: "graph import",
  summary: "Imports vertices, arcs and vectors into a graph; resumable.",
  arguments: [{ name: "<file>", required: true, help: "JSON lines, CSV, .npy or .fvecs file" }],
  options: {
    ...GRAPH_OPTIONS,
    format: {
      kind: choice("jsonl", "csv", "npy", "fvecs"),
      help: "input format (default: from the file extension)",
    },
    "id-prefix": {
      kind: stringSetting("<text>"),
      help: "id prefix for rows without ids",
    },
    "skip-bad": {
      kind: flag,
      help: "write invalid records to a file such as v.rejected.csv, and continue",
    },
    "text-index": {
      kind: stringSetting("<keys>"),
      help: "build a text index: properties, or JSON of graph.index",
    },
    type: { kind: stringSetting("<name>"), help: "default vertex type" },
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
      textIndex: values["text-index"] ?? null,
      skipBad: values["skip-bad"] ?? false,
    });
    return 0;
  },
});
