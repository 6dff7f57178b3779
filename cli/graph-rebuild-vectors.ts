// `svc graph rebuild-vectors`: converts the vectors of a graph to another precision.

import { PRECISIONS } from "../runtime/base/precisions.js";
import { defineCommand } from "./framework/command.js";
import { choice, stringSetting } from "./framework/option.js";
import { GRAPH_OPTIONS } from "./graph/graph-options.js";

export const graphRebuildVectors = defineCommand({
  name: "graph rebuild-vectors",
  summary: "Converts the vectors of a graph to a precision.",
  arguments: [],
  options: {
    ...GRAPH_OPTIONS,
    precision: {
      kind: choice(...PRECISIONS),
      help: "precision (default: that of the graph)",
    },
    name: {
      kind: stringSetting("<name>"),
      help: "name of the vectors to convert (default: those without a name)",
    },
    url: {
      kind: stringSetting("<url>"),
      help: "running server that has the graph, instead of --root",
    },
  },
  environment: false,
  async run(_, values) {
    const { rebuildVectors } = await import("./graph/rebuild-vectors.js");
    await rebuildVectors(values.graph ?? null, {
      root: values.root ?? ".",
      url: values.url ?? null,
      precision: values.precision ?? null,
      vectors: values.name ?? "",
    });
    return 0;
  },
});
