// A server view with known values, for tests of services and built-in plugins.

import { NO_ALGORITHMS } from "../../../runtime/base/algorithm-report.js";
import { nowMs } from "../../../runtime/base/clock.js";
import type { ServerView } from "../../../runtime/builtin/server-view.js";
import { RecentRequests } from "../../../runtime/http/recent-requests.js";
import { RejectionCounters } from "../../../runtime/http/rejection-counters.js";
import type { Connection, Exchange } from "../../../runtime/http/transport.js";
import { Metrics } from "../../../runtime/metrics/metrics.js";
import { PluginCounters } from "../../../runtime/metrics/plugin-counters.js";
import { NO_TRAFFIC } from "../../../runtime/metrics/traffic.js";
import type { PluginDescription } from "../../../runtime/plugin/contract/plugin-entry.js";

export function fakeView(changes: Partial<ServerView> = {}): ServerView {
  return {
    node: {
      id: null,
      descriptor: null,
      descriptorHash: null,
      build: null,
      outReason: null,
      lease: null,
    },
    metrics: new Metrics(),
    host: { name: "box", ip: "10.0.0.7", ips: ["10.0.0.7"], cpu: "Chip", memoryBytes: 2 ** 35 },
    basePort: 9000,
    listenIp: null,
    projectDir: "/shop",
    tls: null,
    root: "/data/shop",
    serviceName: null,
    label: "0123456789abcdef0123456789abcdef",
    version: "1.2.3",
    startedAtMs: nowMs() - (((2 * 24 + 3) * 60 + 4) * 60 + 5) * 1000,
    serviceIn: true,
    waiting: 2,
    working: 3,
    admin: { waiting: 0, working: 0 },
    pluginCounters: new PluginCounters(),
    requests: new RecentRequests(),
    rejections: new RejectionCounters(),
    connections: () => [],
    transportMemory: () => null,
    certificateExpiryMs: null,
    graphs: () => [],
    unloadable: () => [],
    unsaved: () => [],
    systemGraph: () => null,
    logState: "good",
    leads: null,
    isLogged: false,
    traffic: () => NO_TRAFFIC,
    algorithms: () => NO_ALGORITHMS,
    jobs: () => [],
    dispatcher: null,
    plugins: () => [description("/svc/plugin/add"), description("/svc/plugin/ping")],
    builtins: () => [description("/svc/builtin/echo"), description("/svc/builtin/ping")],
    ...changes,
  };
}

export function description(path: string): PluginDescription {
  return { path, description: "plugin", parameters: {}, bound_graph: null };
}

export function fakeConnection(changes: Partial<Connection> = {}): Connection {
  return {
    id: 5,
    remoteAddress: "127.0.0.1",
    remotePort: 40_000,
    client: "http://127.0.0.1:40000/",
    openedAtMs: Date.now() - 1000,
    ident: null,
    certificate: null,
    endedAtMs: 0,
    bytesIn: 0,
    bytesOut: 0,
    arriving: null,
    ...changes,
  };
}

/** A request for `target` with these header lines. */
export function fakeExchange(target: string, headerBlock = ""): Exchange {
  const lines = headerBlock.split("\r\n").filter((line) => line !== "");
  const fields = new Map(
    lines.map((line) => {
      const [name, ...rest] = line.split(":");
      return [name!.toLowerCase(), rest.join(":").trim()];
    }),
  );
  return {
    method: "GET",
    target,
    headers: {
      block: headerBlock,
      accept: "json",
      bypassServiceOut: false,
      minQueue: 0,
      partialTarget: null,
      key: null,
      deadlineMs: 0,
      via: "",
      isExplained: false,
      hasArgspec: false,
      requestId: null,
      isFromPage: false,
      isForwarded: fields.has("forwarded") || fields.has("x-forwarded-for"),
      count: lines.length,
      get: (name) => fields.get(name),
    },
    body: null,
    connection: fakeConnection(),
    forwardedFor: null,
    t0Ms: Date.now() - 10,
    countedPlugin: null,
    trace: null,
    principal: null,
    requestId: null,
    audited: null,
    ...{ queueUs: -1, runUs: -1, explanation: null },
    signedOrigin: null,
    isWarmUp: false,
    aborted: false,
    respond: () => {},
    respondStream: () => {},
    respondChunked: () => {},
  };
}
