// Responses of graph queries in one partition of a matrix: a head, whose empty key sorts first,
// then the entries by their sort keys. Dispatchers merge the entries of all partitions, and
// `matrix-queries.ts` merges the heads.

import { S_ID } from "../base/sort-constants.js";
import type {
  PartialHead,
  PartialResult,
  TextStatisticsShare,
} from "../graph/api/merge-queries.js";
import { bytes } from "../plugin/contract/types.js";
import { HttpError } from "../plugin/response/http-error.js";
import { PluginResponse } from "../plugin/response/plugin-response.js";

/** The part of a partition's response beside entries. */
export type PartitionHead =
  /** Statistics for a search, which a second round executes with the sums. */
  | { readonly kind: "statistics"; readonly share: TextStatisticsShare }
  /** Vector of the vertex that others are compared with, as JSON. */
  | { readonly kind: "probe"; readonly vector: string }
  /** The anchor is in another partition. */
  | { readonly kind: "missing"; readonly id: string; readonly lacks?: string }
  /** The vertex has no vector here: arcs across partitions name vertices of others. */
  | { readonly kind: "bare"; readonly id: string }
  | PartitionResultHead;

export interface PartitionResultHead {
  readonly kind: "result";
  /** Maximum number of entries if the client sets none; null if it does. */
  readonly limit: number | null;
  readonly head: PartialHead;
  /** Id of the last vertex of paths, if it is in another partition. */
  readonly lacks?: string;
}

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

export function missingVector(id: string): HttpError {
  return new HttpError(400, `id=${id} (it has no vector)`);
}
