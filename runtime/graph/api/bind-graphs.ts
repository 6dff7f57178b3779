// Gives each request its own view of a graph: what it holds is its own, and goes when it ends.

import type { ThreadGraphs } from "../manager/thread-graphs.js";
import { Graph } from "./graph.js";

/** A graph for one request; `release` lets go of all that it holds, for good. */
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
