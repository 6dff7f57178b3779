// Executes queries of a matrix in one partition.

import type { Graph } from "../../graph/api/graph.js";
import { type PartitionQuery, queryPartition } from "../../graph/api/partition-queries.js";
import type { PluginResponse } from "../../plugin/response/plugin-response.js";
import { createPartitionResponse } from "../partition-response.js";

type Options = Record<string, unknown>;

/** Maximum number of entries of a query without `hits`. */
export const MAX_UNASKED_HITS = 10_000;

/**
 * Returns the response of a partition to a query.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function partitionResponse(
  graph: Graph,
  options: Options,
  createQuery: (options: Options) => PartitionQuery,
): PluginResponse<Uint8Array, unknown> {
  const { hits } = options;
  const isLimited = hits === null || (typeof hits === "number" && hits < 0);
  const query = createQuery(isLimited ? { ...options, hits: MAX_UNASKED_HITS + 1 } : options);
  const result = queryPartition(graph, query);
  const goal = query.call === "shortestPaths" ? query.goal : null;
  const lacking = typeof goal !== "string" || graph.hasVertex(goal) ? {} : { lacks: goal };
  if (result === null) {
    const { anchor } = query as { readonly anchor: string };
    return createPartitionResponse({ kind: "missing", id: anchor, ...lacking });
  }
  const { head, entries } = result;
  const limit = isLimited ? MAX_UNASKED_HITS : null;
  return createPartitionResponse({ kind: "result", limit, head, ...lacking }, entries);
}

/**
 * Returns the statistics of a partition for a search.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function partitionStatistics(
  graph: Graph,
  text: string,
  options: Options,
): PluginResponse<Uint8Array, unknown> {
  const share = graph.textStatistics(text, options);
  return createPartitionResponse({ kind: "statistics", share });
}
