// Graphs for tests, without a server: each is of its own memory, and used by this thread only.

import { Graph } from "../../../../runtime/graph/graph.js";
import { Session } from "../../../../runtime/graph/sessions/session.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";

/** Number that this thread has in graphs of tests. */
export const TEST_THREAD = 150;

/** A new, empty graph, as a request would see it. */
export function makeGraph(name = "test"): Graph {
  return openStore(GraphStore.make(name, TEST_THREAD));
}

/** The graph of a store, for a session of its own. */
export function openStore(store: GraphStore): Graph {
  return new Graph({ store, session: new Session(store), path: null, isLocal: false });
}
