// Replication status for monitors: traffic, and the peers.

import { nowMs } from "../../base/clock.js";
import { isEventProcessorRunning, saveStats } from "../../graph/api/status/graph-totals.js";
import type { SubscriberReport } from "../../metrics/traffic.js";
import { jsonService } from "../service.js";
import { digestGraphs } from "./graphs.js";

export const txstat = jsonService((view) => {
  const shown = view.traffic();
  const { in: input, out, throttle } = shown;
  return {
    data: {
      bytes: { throttle: throttle.bytes ?? 0, in: input.bytes, out: out.bytes },
      rate: { in: shown.rateIn, out: shown.rateOut },
      opcodes: { throttle: throttle.opcodes ?? 0, in: input.records, out: out.records },
      operations: {
        throttle: throttle.operations ?? 0,
        in: input.transactions,
        out: out.transactions,
      },
      transactions: { throttle: throttle.transactions ?? 0, in: input.frames, out: out.frames },
    },
    halted: shown.halted,
    "input-lag": shown.lagMs,
    "master-serial": String(shown.serial),
  };
});

export const peerstat = jsonService((view) => {
  const shown = view.traffic();
  const graphs = view.graphs();
  const saved = saveStats(graphs);
  const isReadonly = graphs.length > 0 && graphs.every(({ store }) => store.isReadonly);
  const now = Date.now();
  const isEver = saved.age > 0 || saved.isSaving;
  return {
    name: view.serviceName,
    host: view.host.name,
    ip: view.host.ip,
    adminport: view.basePort + 1,
    port: shown.txPort,
    events: isEventProcessorRunning(graphs),
    "events-running": isEventProcessorRunning(graphs),
    readonly: isReadonly,
    durable: view.isLogged,
    executing: (shown.txPort > 0 || shown.provider !== null) && !shown.halted.in,
    digest: digestGraphs(view),
    "master-serial": String(shown.serial),
    "idle-ms": Math.round(nowMs() - (shown.lastChangeAtMs || view.startedAtMs)),
    "persist-age": ageText(saved.age),
    "persist-ts": isEver ? Math.floor(now / 1000) - saved.age : 0,
    persisting: saved.isSaving ? 1 : 0,
    synchronizing: shown.synchronizing > 0 ? 1 : 0,
    "sync-progress": shown.synchronizing > 0 ? 0 : 100,
    provider: shown.provider,
    "provider-digest": shown.providerDigest,
    subscribers: shown.subscribers.map((subscriber) => [subscriber.uri, details(subscriber)]),
  };
});

function details(subscriber: SubscriberReport) {
  const { host, ip, adminPort, txPort, digest, lagMs, lagTransactions } = subscriber;
  return {
    host,
    ip,
    adminport: adminPort,
    txport: txPort,
    mode: modeOf(subscriber),
    status: subscriber.isConnected ? "CONNECTED" : "DISCONNECTED",
    digest,
    "master-serial": String(subscriber.serial),
    lag: { ms: lagMs, tx: lagTransactions },
  };
}

function modeOf({ isSynchronizing, isConnected }: SubscriberReport): string {
  if (isSynchronizing) return "SYNCHRONIZING";
  return isConnected ? "NORMAL" : "UNKNOWN";
}

/** Formats days, hours, minutes and seconds: `0:00:01:01`. */
function ageText(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const days = Math.floor(seconds / 86_400);
  const [hours, minutes] = [(seconds % 86_400) / 3600, (seconds % 3600) / 60];
  return `${days}:${two(hours)}:${two(minutes)}:${two(seconds % 60)}`;
}
