// Which graph a command is about.

import { stringSetting } from "../framework/option.js";

export const GRAPH_OPTIONS = {
  graph: { kind: stringSetting("<name>"), help: "name of the graph; required" },
  root: {
    kind: stringSetting("<folder>"),
    help: "where graphs are stored, default: the current folder",
  },
};
