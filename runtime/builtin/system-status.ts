// State of the whole instance in one object (http-interface, "Graph status and queries").

import { graphTotals } from "../graph/api/status/graph-totals.js";
import { type MemoryUsage, memoryUsage, pooledBytes } from "../graph/api/status/memory-usage.js";
import type { RegisteredGraph } from "../graph/manager/registered-graph.js";
import type { Latency } from "../metrics/latency-histogram.js";
import type { Sums } from "../metrics/traffic.js";
import { decimals } from "./format.js";
import type { ServerView } from "./server-view.js";

const PERCENTILES = [80, 95, 99];
const NO_ID = "0".repeat(32);

/** @param isSimple true for the most important metrics only */
export function systemStatus(view: ServerView, isSimple: boolean): object {
  const process_ = process.memoryUsage.rss();
  const system = view.systemGraph();
  const open = system === null ? view.graphs() : [system, ...view.graphs()];
  const usages = open.map(({ store }) => memoryUsage(store));
  const graphs = open.map((graph, index) => {
    const counts = objectCounts(graph);
    const bytes = pooledBytes(usages[index]!);
    const ratio = decimals(bytes / process_, 3);
    const memoryInfo = { ...counts, pooled_bytes: bytes, pooled_to_svc_process_ratio: ratio };
    return [graph.path ?? graph.store.name, isSimple ? counts : memoryInfo];
  });
  const started = Math.floor(view.startedAtMs / 1000);
  const current = Math.floor(Date.now() / 1000);
  const lost = view.unloadable();
  const common = {
    version: view.version,
    graphs: Object.fromEntries(graphs),
    ...(lost.length > 0 && {
      unloadable: Object.fromEntries(lost.map(({ name, reason }) => [name, reason])),
    }),
  };
  if (isSimple) return { ...common, uptime: current - started, httpserver: simpleServer(view) };
  return {
    ...common,
    time: { svc_uptime: current - started, svc_current: current, svc_age: current - started },
    host: { name: view.host.name, ip: view.host.ip },
    httpserver: server(view),
    performance: performance_(view),
    transaction: transaction(view),
    durable: { id: NO_ID, serial: 0 },
    memory: memory(usages, system === null ? null : usages[0]!, process_, view.host.memoryBytes),
  };
}

function objectCounts({ store: { order, size, propertyCount, vectorFields } }: RegisteredGraph) {
  return { order, size, properties: propertyCount, vectors: vectorFields.count };
}

function simpleServer({ metrics }: ServerView) {
  return {
    request_rate: { current: decimals(metrics.requestRate(), 3) },
    latency_ms: { current: latency(metrics.latency(PERCENTILES)) },
  };
}

function server(view: ServerView) {
  const { metrics } = view;
  const totals = metrics.totals();
  return {
    server: `${view.tls === null ? "http" : "https"}://${view.host.ip}:${view.basePort}`,
    bytes_in: totals.bytesIn,
    bytes_out: totals.bytesOut,
    total_requests: totals.requests,
    connected_clients: metrics.connectedClients,
    request_rate: {
      current: decimals(metrics.requestRate(), 3),
      all: decimals(metrics.requestRateOfAll(), 3),
    },
    latency_ms: {
      current: latency(metrics.latency(PERCENTILES)),
      all: latency(metrics.latencyOfAll(PERCENTILES)),
    },
    clients: view.connections(0).map(({ connection }) => connection.client),
  };
}

/** Renames percentiles such as `80.0` to `80th`. */
function latency(figures: Latency): Record<string, number> {
  const entries = Object.entries(figures).map(([name, value]): [string, number] => [
    name.replace(/\.0$/, "th"),
    value,
  ]);
  return Object.fromEntries(entries);
}

/** Sent and received transactions, which have serial numbers instead of ids. */
function transaction(view: ServerView) {
  const { in: input, out, serial, subscribers, provider } = view.traffic();
  // The interface counts flushes as transactions, and transactions as operations.
  const attached = ({ bytes, transactions, records, frames }: Sums) => {
    return { bytes, operations: transactions, opcodes: records, transactions: frames };
  };
  const passed = (sums: Sums) => {
    return { id: NO_ID, serial: sums.frames > 0 ? serial : 0, total: sums.frames };
  };
  const uris = subscribers.map(({ uri }) => uri);
  const providers = provider === null ? [] : [provider];
  return {
    out: { ...passed(out), attached: { ...attached(out), subscribers: uris } },
    in: { ...passed(input), attached: { ...attached(input), provider: providers } },
  };
}

function performance_(view: ServerView) {
  const { queries, queryTimeUs } = graphTotals(view.graphs());
  return {
    internal_queries: queries,
    average_internal_latency_us: queries === 0 ? 0 : Math.round(queryTimeUs / queries),
  };
}

function memory(
  usages: readonly MemoryUsage[],
  system: MemoryUsage | null,
  process_: number,
  physical: number,
) {
  const pooled = usages.reduce((sum, usage) => sum + pooledBytes(usage), 0);
  return {
    system_property_bytes: system?.["svc.vertex.property"] ?? 0,
    system_pooled_bytes: system === null ? 0 : pooledBytes(system),
    svc_pooled_bytes: pooled,
    svc_process_bytes: process_,
    svc_nonpooled_bytes: Math.max(0, process_ - pooled),
    svc_pooled_to_process_ratio: decimals(pooled / process_, 3),
    host_physical_bytes: physical,
    svc_process_to_host_physical_ratio: decimals(process_ / physical, 3),
  };
}
