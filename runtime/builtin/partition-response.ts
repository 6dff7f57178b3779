// Responses of graph queries in one partition of a matrix: a head, whose key has no bytes and comes
// first, then the entries by their sort keys. Dispatchers merge the entries of all partitions; the
// heads are merged in `matrix-queries.ts`.

import { S_ID } from "../base/sort-constants.js";
import type { Graph } from "../graph/api/graph.js";
import {
  type PartialHead,
  type PartialResult,
  type PartitionQuery,
  queryPartition,
  type TextStatisticsShare,
} from "../graph/api/partition-queries.js";
import { bytes } from "../plugin/contract/types.js";
import { PluginResponse } from "../plugin/response/plugin-response.js";

/** Contribution of a partition besides entries. */
export type PartitionHead =
  /** The statistics of a search, which is executed with their sums afterwards. */
  | { readonly kind: "statistics"; readonly share: TextStatisticsShare }
  /** The vector of the vertex that others are compared with, as JSON. */
  | { readonly kind: "probe"; readonly vector: string }
  /** The anchor is in another partition. */
  | { readonly kind: "missing"; readonly id: string }
  | PartitionResultHead;

export interface PartitionResultHead {
  readonly kind: "result";
  /** Maximum number of entries if the client sets none; null if it does. */
  readonly limit: number | null;
  readonly head: PartialHead;
}

type Options = Record<string, unknown>;

const HEAD_KEY = new Uint8Array(0);

export function createPartitionResponse(
  head: PartitionHead,
  entries: PartialResult["entries"] = [],
): PluginResponse<Uint8Array, unknown> {
  const response = new PluginResponse<Uint8Array, unknown>({ sortby: S_ID, keytype: bytes });
  response.append(HEAD_KEY, head);
  for (const { key, item } of entries) response.append(key, item);
  return response;
}

/**
 * Returns the response of a partition to a query.
 * @param limit maximum number of entries without `hits`
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function partitionResponse(
  graph: Graph,
  options: Options,
  limit: number,
  createQuery: (options: Options) => PartitionQuery,
): PluginResponse<Uint8Array, unknown> {
  const { hits } = options;
  const isLimited = hits === null || (typeof hits === "number" && hits < 0);
  const query = createQuery(isLimited ? { ...options, hits: limit + 1 } : options);
  const result = queryPartition(graph, query);
  if (result === null) {
    const { anchor } = query as { readonly anchor: string };
    return createPartitionResponse({ kind: "missing", id: anchor });
  }
  const head = { kind: "result", limit: isLimited ? limit : null, head: result.head } as const;
  return createPartitionResponse(head, result.entries);
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
