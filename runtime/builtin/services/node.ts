// Summaries for monitoring many instances: memory, and a flat object. Fields of parts that an
// instance does not run (transactions, matrix) are "nothing" or zero.

import { nowMs } from "../../base/clock.js";
import { CHECKPOINT_LOG_BYTES } from "../../base/limits.js";
import { memoryStats } from "../../base/memory-stats.js";
import { graphTotals, saveStats } from "../../graph/api/status/graph-totals.js";
import { describeNotReady } from "../../metrics/traffic.js";
import { decimals } from "../format.js";
import type { ServerView } from "../server-view.js";
import { jsonService } from "../service.js";
import { digestGraphs } from "./graphs.js";
import { isProxy, matrixStats } from "./matrix-stats.js";

export const meminfo = jsonService((view) => ({
  memory: { ...memoryStats(), total: view.host.memoryBytes },
}));

export const nodestat = jsonService((view) => ({
  ready: describeNotReady(view.traffic().replica) === null,
  ...identity(view),
  ...transactions(view),
  ...graphMetrics(view),
  matrix: {
    mode: matrixMode(view),
    ...matrixStats(view.dispatcher),
  },
  ...service(view),
  ...durability(view),
}));

function matrixMode({ dispatcher }: ServerView): "engine" | "proxy" | "dispatch" {
  if (dispatcher === null) return "engine";
  return isProxy(dispatcher) ? "proxy" : "dispatch";
}

function identity(view: ServerView) {
  return {
    host: view.listenIp ?? "0.0.0.0",
    ip: view.host.ip,
    ips: view.host.ips,
    adminport: view.basePort + 1,
    txport: view.traffic().txPort,
    uptime: Math.floor((nowMs() - view.startedAtMs) / 1000),
    pid: process.pid,
    "service-name": view.serviceName,
    "service-label": view.label,
  };
}

function transactions(view: ServerView) {
  const shown = view.traffic();
  return {
    digest: digestGraphs(view),
    "master-serial": String(shown.serial),
    "idle-ms": Math.round(nowMs() - (shown.lastChangeAtMs || view.startedAtMs)),
    synchronizing: shown.synchronizing > 0 ? 1 : 0,
    "sync-progress": shown.synchronizing > 0 ? 0 : 100,
    provider: shown.provider,
    replica: shown.replica,
    group: shown.group,
    subscribers: shown.subscribers.map(({ ip, adminPort, txPort, isConnected, lagMs }) => ({
      ip,
      adminport: adminPort,
      txport: txPort,
      status: isConnected ? "CONNECTED" : "DISCONNECTED",
      lag_ms: lagMs,
    })),
    "tx-in-halted": shown.halted.in,
    "tx-out-halted": shown.halted.out,
    "tx-in-rate": shown.rateIn,
    "tx-out-rate": shown.rateOut,
  };
}

function graphMetrics(view: ServerView) {
  const sums = graphTotals(view.graphs());
  return {
    "graph-order": sums.order,
    "graph-size": sums.size,
    "graph-properties": sums.properties,
    "graph-vectors": sums.vectors,
    "graph-nrel": sums.relationships,
    "graph-nvtx": sums.types,
    "graph-ndim": 0,
    "graph-nkey": sums.keys,
    "graph-nval": sums.values,
  };
}

function service(view: ServerView) {
  const { available, process } = memoryStats().current;
  return {
    instance: view.node.id,
    descriptor: view.node.descriptorHash,
    build: view.node.build,
    "service-in": view.serviceIn ? 1 : 0,
    "service-out-reason": view.serviceIn ? null : view.node.outReason,
    procedure: procedureOf(view),
    "service-rate": decimals(view.metrics.requestRate(), 2),
    "service-95th-ms": view.metrics.latency([95])["95.0"],
    "connected-clients": view.metrics.connectedClients,
    cpu: view.host.cpu,
    "memory-total": view.host.memoryBytes,
    "memory-process": process,
    "memory-available": available,
  };
}

/** Returns the operator's running procedure. */
function procedureOf({ node: { lease } }: ServerView) {
  return lease && { what: lease.what, operator: lease.operator, since: lease.sinceMs / 1000 };
}

function durability(view: ServerView) {
  const graphs = view.graphs();
  const saved = saveStats(graphs);
  return {
    durable: view.isLogged,
    "log-state": view.logState,
    "durable-txlog": view.traffic().logBytes,
    "durable-max-txlog": view.isLogged ? CHECKPOINT_LOG_BYTES : 0,
    "snapshot-writing": saved.isSaving,
    "snapshot-age": saved.age,
    readonly: graphs.length > 0 && graphs.every(({ store }) => store.isReadonly),
    "local-only": graphs.filter(({ isLocal }) => isLocal).length,
  };
}
