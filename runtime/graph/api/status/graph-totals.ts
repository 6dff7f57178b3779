// Totals over all open graphs, for the status services of an instance.

import { createHash } from "node:crypto";
import { Header } from "../../memory/layout.js";
import { nowSeconds } from "../../memory/time.js";
import { areEventsRunning } from "../../store/event-switches.js";
import type { GraphStore } from "../../store/graph-store.js";
import { digestCheckpoint } from "../../store/verify-digest.js";
import { valueCount } from "./graph-status.js";
import { memoryUsage } from "./memory-usage.js";

interface Counted {
  readonly store: GraphStore;
}

export interface GraphTotals {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly vectors: number;
  readonly relationships: number;
  readonly types: number;
  readonly keys: number;
  /** Distinct texts and other large property values. */
  readonly values: number;
  readonly propertyBytes: number;
  readonly queries: number;
  readonly queryTimeUs: number;
}

export function graphTotals(graphs: readonly Counted[]): GraphTotals {
  const sum = (figure: (graph: Counted) => number): number =>
    graphs.reduce((total, graph) => total + figure(graph), 0);
  const header = (word: number): number => sum(({ store }) => store.memory.header.words[word]!);
  return {
    order: sum(({ store }) => store.order),
    size: sum(({ store }) => store.size),
    properties: sum(({ store }) => store.propertyCount),
    vectors: sum(({ store }) => store.vectorFields.count),
    relationships: sum(({ store }) => store.relationships.used),
    types: sum(({ store }) => store.types.used),
    keys: sum(({ store }) => store.keys.used),
    values: sum(({ store }) => valueCount(store)),
    propertyBytes: sum(({ store }) => memoryUsage(store)["svc.vertex.property"]!),
    queries: header(Header.QueryCount),
    queryTimeUs: sum(({ store }) => store.meter.timeUs),
  };
}

const NO_DIGEST = "0".repeat(32);

/**
 * Returns 32 hex digits that change whenever a graph does, and are equal for instances with equal
 * contents. Without a log the digest is unknown: then they depend on the operation counts.
 */
export function graphDigest(graphs: readonly Counted[]): string {
  if (graphs.length === 0) return NO_DIGEST;
  const hash = createHash("md5");
  for (const { store } of graphs) {
    const counts = `${store.order} ${store.size} ${store.operationCount}`;
    hash.update(`${store.name}\0${digestCheckpoint(store)?.digest ?? counts}\n`);
  }
  return hash.digest("hex");
}

/** Returns true if the event processor of any graph runs. */
export function isEventProcessorRunning(graphs: readonly Counted[]): boolean {
  return graphs.some(({ store }) => areEventsRunning(store));
}

/**
 * Returns the seconds since the last save of any graph, 0 for never, and whether one is running.
 */
export function saveStats(graphs: readonly Counted[]): { age: number; isSaving: boolean } {
  const header = (word: number): number[] =>
    graphs.map(({ store }) => store.memory.header.words[word]!);
  const savedAt = Math.max(0, ...header(Header.SavedAt));
  return {
    age: savedAt === 0 ? 0 : nowSeconds() - savedAt,
    isSaving: header(Header.Saving).some((thread) => thread !== 0),
  };
}
