// Gives each request its own view of a graph, whose locks are released when the request ends.

import type { ThreadGraphs } from "../manager/thread-graphs.js";
import { Graph } from "./graph.js";

/** A graph for one request; `release` releases all its locks and closes it. */
export interface RequestGraph {
  readonly graph: Graph;
  release(): void;
}

export function bindGraphs(graphs: ThreadGraphs): (name: string) => RequestGraph {
  return (name) => {
    const access = graphs.createForRequest(name);
    return { graph: new Graph(access), release: () => access.session.end() };
  };
}
