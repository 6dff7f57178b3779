// Read-only view of the running server for built-in services and plugins. The IO thread implements
// it; nothing here waits.

import type { AlgorithmReport } from "../base/algorithm-report.js";
import type { TlsPaths } from "../base/tls-paths.js";
import type { DispatchCall } from "../dispatch/dispatch-call.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import type { RegisteredGraph } from "../graph/manager/registered-graph.js";
import type { RecentRequests } from "../http/recent-requests.js";
import type { RejectionCounters } from "../http/rejection-counters.js";
import type { Connection, Exchange, TransportMemory } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginCounters } from "../metrics/plugin-counters.js";
import type { TrafficReport } from "../metrics/traffic.js";
import type { PluginDescription } from "../plugin/contract/plugin-entry.js";
import type { Host } from "./host.js";
import type { JobStatus } from "./job-status.js";

/** A request that was received and not yet answered. */
export interface PendingRequest {
  readonly exchange: Exchange;
  readonly serial: number;
  /** Number of the request's slot within its port; null while none is assigned. */
  readonly executor: number | null;
  readonly state: RequestState;
  /** The dispatch of the request, null without one. */
  readonly call: DispatchCall | null;
}

/** State of a request, by its name in the interface. */
export type RequestState =
  /** Waiting for an executor, or for back-ends. */
  "AWAIT_DISPATCH" | "PREPROCESS" | "DISPATCH" | "POSTPROCESS" | "EXECUTE";

/** A connection and its next request to be answered. */
export interface OpenConnection {
  readonly connection: Connection;
  /** Null if the connection is idle. */
  readonly pending: PendingRequest | null;
}

/** A stored or configured graph that could not be opened, and the reason. */
export interface UnloadableGraph {
  readonly name: string;
  readonly reason: string;
}

/** State of an instance as part of a system. */
export interface NodeState {
  /** Null outside a system. */
  readonly id: string | null;
  readonly descriptor: object | null;
  /** Identifies the descriptor's version. */
  readonly descriptorHash: string | null;
  /** Identifies the build of the plugins; null in a library program. */
  readonly build: string | null;
  /** Reason of Service-OUT; null if Service-IN. */
  readonly outReason: string | null;
  /** The procedure that holds the lease. */
  readonly lease: RunningProcedure | null;
}

export interface RunningProcedure {
  readonly what: string;
  /** User and host that started it. */
  readonly operator: string;
  readonly sinceMs: number;
}

/** Off: no transaction log; low: little disk space, but changes are accepted. */
export type LogState = "off" | "good" | "low" | "full" | "failed";

export interface ServerView {
  readonly node: NodeState;
  readonly metrics: Metrics;
  readonly host: Host;
  /** Main port; the admin port is the next one. */
  readonly basePort: number;
  /** Listening address, null for all. */
  readonly listenIp: string | null;
  /** Base of relative paths in settings. */
  readonly projectDir: string;
  /** TLS files of both ports; null without TLS. */
  readonly tls: TlsPaths | null;
  /** Absolute path of the data directory. */
  readonly root: string;
  /** Name given to `runServer` or in the configuration, null if there is none. */
  readonly serviceName: string | null;
  /** 32 hex digits, unique per process. */
  readonly label: string;
  /** Version of the package. */
  readonly version: string;
  readonly startedAtMs: number;
  readonly serviceIn: boolean;
  /** Requests of the main port that wait for a slot. */
  readonly waiting: number;
  /** Slots of the main port that are taken. */
  readonly working: number;
  /** Waiting and running requests of the executors of built-in plugins. */
  readonly admin: { readonly waiting: number; readonly working: number };
  readonly pluginCounters: PluginCounters;
  /** Answered requests of the main port. */
  readonly requests: RecentRequests;
  readonly rejections: RejectionCounters;
  connections(portOffset: 0 | 1): readonly OpenConnection[];
  /** Memory that requests and responses of the main port hold; null before it listens. */
  transportMemory(): TransportMemory | null;
  /** End of validity of the certificate in use, milliseconds since 1970; null without TLS. */
  readonly certificateExpiryMs: number | null;
  /** Open graphs, sorted by name, without the system's own graph. */
  graphs(): readonly RegisteredGraph[];
  /** Sorted by name. */
  unloadable(): readonly UnloadableGraph[];
  /** Names of graphs whose last snapshot failed. */
  unsaved(): readonly string[];
  /** Null until the system has properties. */
  systemGraph(): RegisteredGraph | null;
  /** Whether there is a transaction log. */
  readonly isLogged: boolean;
  /** State of the transaction log, which determines whether changes are accepted. */
  readonly logState: LogState;
  /** Epoch in which this instance leads its group; null: it does not lead. */
  readonly leads: number | null;
  /** Replication counters. */
  traffic(): TrafficReport;
  algorithms(): AlgorithmReport;
  /** Jobs of the build, sorted by name. */
  jobs(): readonly JobStatus[];
  /** Null in an engine. */
  readonly dispatcher: Dispatcher | null;
  /** User plugins, sorted by path. */
  plugins(): readonly PluginDescription[];
  /** Built-in plugins, sorted by path. */
  builtins(): readonly PluginDescription[];
}
