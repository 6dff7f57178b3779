// Totals over all open graphs, for the services that show one line an instance.

import { createHash } from "node:crypto";
import { Header } from "../graph/memory/layout.js";
import { queryTimeUs } from "../graph/query/walk/query-meter.js";
import { valueCount } from "../graph/status/graph-status.js";
import { memoryUsage } from "../graph/status/memory-usage.js";
import type { OpenGraph } from "./server-view.js";

export interface GraphSums {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly relationships: number;
  readonly types: number;
  readonly keys: number;
  /** Distinct texts and other large values of properties. */
  readonly values: number;
  readonly propertyBytes: number;
  readonly queries: number;
  readonly queryTimeUs: number;
}

export function graphSums(graphs: readonly OpenGraph[]): GraphSums {
  const sum = (figure: (graph: OpenGraph) => number): number =>
    graphs.reduce((total, graph) => total + figure(graph), 0);
  const header = (word: number): number => sum(({ store }) => store.memory.header.words[word]!);
  return {
    order: sum(({ store }) => store.order),
    size: sum(({ store }) => store.size),
    properties: sum(({ store }) => store.propertyCount),
    relationships: sum(({ store }) => store.relationships.used),
    types: sum(({ store }) => store.types.used),
    keys: sum(({ store }) => store.keys.used),
    values: sum(({ store }) => valueCount(store)),
    propertyBytes: sum(({ store }) => memoryUsage(store)["svc.vertex.property"]!),
    queries: header(Header.QueryCount),
    queryTimeUs: sum(({ store }) => queryTimeUs(store)),
  };
}

const NO_DIGEST = "0".repeat(32);

/**
 * 32 hex digits that change whenever a graph changes. Equal digests of two instances say nothing
 * about equal contents before operations are replicated.
 */
export function graphDigest(graphs: readonly OpenGraph[]): string {
  if (graphs.length === 0) return NO_DIGEST;
  const hash = createHash("md5");
  for (const { store } of graphs) {
    hash.update(`${store.name}\0${store.order} ${store.size} ${store.operationCount}\n`);
  }
  return hash.digest("hex");
}
