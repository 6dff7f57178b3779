// Graphs for tests without a server: each has its own memory and is used by this thread only.

import { Graph } from "../../../../runtime/graph/api/graph.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";

/** Number of this thread in graphs of tests. */
export const TEST_THREAD = 150;

/** A new, empty graph, as a request would see it. */
export function makeGraph(name = "test"): Graph {
  return openStore(GraphStore.create(name, TEST_THREAD));
}

/** The graph of a store, with a session of its own. */
export function openStore(store: GraphStore): Graph {
  return new Graph({ store, session: new Session(store), path: null, isLocal: false });
}

/** Fills a graph with 6 MB of strings, too large to be saved in one step. */
export function makeLarge(graph: Graph): void {
  const texts = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(120_000));
  const properties = Object.fromEntries(texts.map((text, index) => [`text${index}`, text]));
  graph.createVertex("large", { properties });
}
