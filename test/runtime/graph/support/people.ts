// The graph of the language's worked examples: persons and things, their acquaintances and
// preferences.

import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { getAccess } from "../../../../runtime/graph/api/graph-handle.js";
import { M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { makeGraph } from "./make-graph.js";

const AGES = { ann: 31, bob: 25, cid: 40, dee: 19 };

export function makePeople(name?: string): Graph {
  const graph = makeGraph(name);
  const weights = new Map([
    [10, 0.5],
    [20, 1.5],
  ]);
  const make = (id: string, type: string, properties: object): void => {
    const capital = id[0]!.toUpperCase() + id.slice(1);
    graph.createVertex(id, { type, properties: { name: capital, w: weights, ...properties } });
    const vertex = graph.openVertex(id);
    vertex.setRank(2, 10);
    vertex.close();
  };
  for (const [id, age] of Object.entries(AGES)) make(id, "person", { age, tags: [1, 2, 3] });
  for (const id of ["tea", "jam"]) make(id, "item", {});
  graph.connect("ann", ["knows", M_INT, 5], "bob");
  graph.connect("ann", ["knows", M_INT, 9], "cid");
  graph.connect("ann", ["knows", M_INT, 2], "dee");
  graph.connect("ann", ["likes", M_FLT, 0.75], "bob");
  graph.connect("bob", ["likes", M_FLT, 0.5], "tea");
  graph.connect("bob", ["likes", M_FLT, 0.25], "jam");
  graph.connect("cid", ["likes", M_FLT, 0.9], "jam");
  graph.connect("dee", ["likes", M_FLT, 0.1], "tea");
  return graph;
}

/** The store of a graph. */
export function requireStore(graph: Graph): GraphStore {
  return getAccess(graph).store;
}
