// The part of a graph's contents that must be equal after equal changes, for comparison.

import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { type GraphContent, graphContent } from "../../runtime/graph/support/graph-content.js";

/** Returns the contents without scheduled expirations and the creation time of the graph. */
export function comparable(store: GraphStore): GraphContent {
  const { graph, vertices } = graphContent(store);
  const { scheduled: _, next: __, createdAt: ___, ...rest } = graph as Record<string, unknown>;
  return { graph: rest, vertices };
}

/** As `comparable`, with operation counts nulled: they differ when an operation is repeated. */
export function withoutOperations(store: GraphStore): unknown {
  return JSON.parse(JSON.stringify(comparable(store)), (key, value) =>
    key === "operation" || key === "operationCount" ? null : value,
  );
}
