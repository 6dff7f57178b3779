// Which graph a command is about.

import { text } from "../frame/option.js";

export const GRAPH_OPTIONS = {
  graph: { kind: text("<name>"), help: "name of the graph; required" },
  root: { kind: text("<folder>"), help: "where graphs are stored, default: the current folder" },
};
