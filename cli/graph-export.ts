// `svc graph export`: writes a graph as JSON lines, which `svc graph import` reads.

import { defineCommand } from "./framework/command.js";
import { GRAPH_OPTIONS } from "./graph/graph-options.js";

export const graphExport = defineCommand({
  name: "graph export",
  summary: "Exports a graph as JSON lines.",
  arguments: [{ name: "[file]", required: false, help: "output file (default: standard output)" }],
  options: GRAPH_OPTIONS,
  environment: false,
  async run([file], values) {
    const { exportGraph } = await import("./graph/export-graph.js");
    await exportGraph(file ?? null, values.graph ?? null, values.root ?? ".");
    return 0;
  },
});
