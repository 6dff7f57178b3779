// Options that select the graph of a command.

import { stringSetting } from "../framework/option.js";

export const GRAPH_OPTIONS = {
  graph: { kind: stringSetting("<name>"), help: "graph name (required)" },
  root: {
    kind: stringSetting("<folder>"),
    help: "data folder (default: current folder)",
  },
};
