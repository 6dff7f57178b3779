// Queries of one partition of a matrix, for built-in plugins.

import {
  type PartitionQuery,
  queryPartition as queryStorePartition,
} from "../query/calls/partition.js";
import type { PartialResult } from "../query/render/partial-result.js";
import type { Graph } from "./graph.js";
import { getAccess } from "./graph-handle.js";

export type { PartitionQuery };

/**
 * Returns the result of this partition; null if it does not contain the anchor.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function queryPartition(graph: Graph, query: PartitionQuery): PartialResult | null {
  return queryStorePartition(getAccess(graph).store, query);
}
