// What the built-in services and plugins need to know of the running server. The IO thread
// implements it; nothing here waits, and nothing here changes anything.

import type { TlsPaths } from "../base/tls-paths.js";
import type { DispatchCall } from "../dispatch/dispatch-call.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import type { RegisteredGraph } from "../graph/manager/graph-registry.js";
import type { Connection, Exchange } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginCounters } from "../metrics/plugin-counters.js";
import type { TrafficReport } from "../metrics/traffic.js";
import type { PluginDescription } from "../plugin/contract/plugin-entry.js";
import type { Host } from "./host.js";

/** A request that was received and not yet answered. */
export interface PendingRequest {
  readonly exchange: Exchange;
  readonly serial: number;
  /** Slot of the request as its port numbers it; null while none is assigned. */
  readonly executor: number | null;
  readonly state: RequestState;
  /** What a dispatcher does for it now, null when that is nothing. */
  readonly call: DispatchCall | null;
}

/** As the interface calls what becomes of a request. */
export type RequestState =
  /** It waits for an executor, or for back-ends. */
  "AWAIT_DISPATCH" | "PREPROCESS" | "DISPATCH" | "POSTPROCESS" | "EXECUTE";

/** A connection and the request of it that is answered next. */
export interface OpenConnection {
  readonly connection: Connection;
  /** Null when the connection is idle. */
  readonly pending: PendingRequest | null;
}

/** A stored or configured graph that could not be opened, and why. */
export interface UnloadableGraph {
  readonly name: string;
  readonly reason: string;
}

/** What an instance knows of itself as a part of a system. */
export interface NodeState {
  /** Null: it is in no system. */
  readonly id: string | null;
  readonly descriptor: object | null;
  /** Tells one descriptor from another. */
  readonly descriptorHash: string | null;
  /** Tells one build of the plugins from another; null in a program. */
  readonly build: string | null;
  /** Why it is Service-OUT; null: it is not. */
  readonly outReason: string | null;
  /** The procedure of an operator that is at work here. */
  readonly lease: RunningProcedure | null;
}

export interface RunningProcedure {
  readonly what: string;
  /** Who has started it, and where. */
  readonly operator: string;
  readonly sinceMs: number;
}

export interface ServerView {
  readonly node: NodeState;
  readonly metrics: Metrics;
  readonly host: Host;
  /** Main port; the admin port is the next one. */
  readonly basePort: number;
  /** Address that the servers listen on, null when they listen on all. */
  readonly listenIp: string | null;
  /** What paths in settings are relative to. */
  readonly projectDir: string;
  /** Files of the TLS that both ports speak; null: they speak none. */
  readonly tls: TlsPaths | null;
  /** Absolute path of the data directory. */
  readonly root: string;
  /** Name given to `runServer` or in the configuration, null when there is none. */
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
  /** The same of the admin executor. */
  readonly admin: { readonly waiting: number; readonly working: number };
  readonly tallies: PluginCounters;
  connections(portOffset: 0 | 1): readonly OpenConnection[];
  /** Graphs that are open, sorted by name, without the system's own. */
  graphs(): readonly RegisteredGraph[];
  /** Sorted by name. */
  unloadable(): readonly UnloadableGraph[];
  /** Names of graphs that could not be saved since they last were. */
  unsaved(): readonly string[];
  /** Null until the system has properties. */
  systemGraph(): RegisteredGraph | null;
  /** Changes of graphs are logged. */
  readonly isLogged: boolean;
  /** What comes and goes by replication. */
  traffic(): TrafficReport;
  /** Null in an engine. */
  readonly dispatcher: Dispatcher | null;
  /** User plugins, sorted by path. */
  plugins(): readonly PluginDescription[];
  /** Built-in plugins, sorted by path. */
  builtins(): readonly PluginDescription[];
}
