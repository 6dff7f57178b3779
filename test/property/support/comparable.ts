// Contents that two graphs must share after the same changes.

import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { type GraphContent, graphContent } from "../../runtime/graph/support/graph-content.js";

/** Returns the contents without the event processor's data and the times of the graph itself. */
export function comparable(store: GraphStore): GraphContent {
  const { graph, vertices } = graphContent(store);
  const { scheduled: _, next: __, createdAt: ___, ...rest } = graph as Record<string, unknown>;
  return { graph: rest, vertices };
}

/** Omits operation counts as well, which differ when an operation is repeated. */
export function withoutOperations(store: GraphStore): unknown {
  return JSON.parse(JSON.stringify(comparable(store)), (key, value) =>
    key === "operation" || key === "operationCount" ? null : value,
  );
}
