// What a monitor of many instances asks of each: memory, and a flat summary of the instance. Fields
// of parts that an instance does not run (graphs, transactions, matrix) say "nothing" or zero.

import { freemem } from "node:os";
import { decimals } from "../format.js";
import type { ServerView } from "../server-view.js";
import { jsonService } from "../service.js";

const NO_DIGEST = "0".repeat(32);

/** Extremes seen by calls of `/svc/meminfo`. */
let leastAvailable = Number.POSITIVE_INFINITY;
let mostUsed = 0;

export const meminfo = jsonService((view) => {
  const current = memory();
  leastAvailable = Math.min(leastAvailable, current.available);
  mostUsed = Math.max(mostUsed, current.process);
  return {
    memory: {
      total: view.host.memoryBytes,
      current,
      "worst-case": { available: leastAvailable, process: mostUsed },
    },
  };
});

export const nodestat = jsonService((view) => ({
  ready: true,
  ...identity(view),
  ...transactions(),
  ...graphs(),
  matrix: {
    mode: "engine",
    width: 0,
    height: 0,
    "active-channels": 0,
    "total-channels": 0,
    "allow-incomplete": false,
  },
  ...service(view),
  ...durability(),
}));

function memory(): { available: number; process: number } {
  return { available: freemem(), process: process.memoryUsage.rss() };
}

function identity(view: ServerView) {
  return {
    host: view.listenIp ?? "0.0.0.0",
    ip: view.host.ip,
    ips: view.host.ips,
    adminport: view.basePort + 1,
    txport: 0,
    uptime: Math.floor((Date.now() - view.startedAtMs) / 1000),
    pid: process.pid,
    "service-name": view.serviceName,
    "service-label": view.label,
  };
}

function transactions() {
  return {
    digest: NO_DIGEST,
    "master-serial": "0",
    "idle-ms": 0,
    synchronizing: 0,
    "sync-progress": 100,
    provider: null,
    subscribers: [],
    "tx-in-halted": false,
    "tx-out-halted": false,
    "tx-in-rate": 0,
    "tx-out-rate": 0,
  };
}

function graphs() {
  return {
    "graph-order": 0,
    "graph-size": 0,
    "graph-properties": 0,
    "graph-vectors": 0,
    "graph-nrel": 0,
    "graph-nvtx": 0,
    "graph-ndim": 0,
    "graph-nkey": 0,
    "graph-nval": 0,
  };
}

function service(view: ServerView) {
  const { available, process } = memory();
  return {
    "service-in": view.serviceIn ? 1 : 0,
    "service-rate": decimals(view.metrics.requestRate(), 2),
    "service-95th-ms": view.metrics.latency([95])["95.0"],
    "connected-clients": view.metrics.connectedClients,
    cpu: view.host.cpu,
    "memory-total": view.host.memoryBytes,
    "memory-process": process,
    "memory-available": available,
  };
}

function durability() {
  return {
    durable: false,
    "durable-txlog": 0,
    "durable-max-txlog": 0,
    "snapshot-writing": false,
    "snapshot-age": 0,
    readonly: false,
    "local-only": 0,
  };
}
