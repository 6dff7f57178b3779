// The current state of the IO thread, for built-in services and plugins.

import { randomBytes } from "node:crypto";
import { type AlgorithmReport, NO_ALGORITHMS } from "../base/algorithm-report.js";
import { packageInfo } from "../base/package-info.js";
import type { TlsFiles } from "../base/tls-files.js";
import type { TlsPaths } from "../base/tls-paths.js";
import type { SharedState } from "../base/wire/shared-state.js";
import { readHost } from "../builtin/host.js";
import type { JobStatus } from "../builtin/job-status.js";
import type {
  LogState,
  NodeState,
  OpenConnection,
  PendingRequest,
  RequestState,
  ServerView,
  UnloadableGraph,
} from "../builtin/server-view.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { hasUnsavedChanges } from "../graph/api/status/graph-status.js";
import type { GraphRegistry } from "../graph/manager/graph-registry.js";
import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import type { RegisteredGraph } from "../graph/manager/registered-graph.js";
import { isSystemGraph, SYSTEM_GRAPH } from "../graph/manager/system-graph.js";
import type { RecentRequests } from "../http/recent-requests.js";
import { RejectionCounters } from "../http/rejection-counters.js";
import type { Connection, Exchange, HttpServer, TransportMemory } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginCounters } from "../metrics/plugin-counters.js";
import type { TrafficCounters, TrafficReport } from "../metrics/traffic.js";
import type { PluginDescription } from "../plugin/contract/plugin-entry.js";
import type { ServerSettings } from "../settings/server-settings.js";
import { BUILTINS } from "./builtin-routes.js";
import type { BuiltinScheduler } from "./builtin-scheduler.js";
import type { JobRunner } from "./jobs/job-runner.js";
import type { DispatchedRequest } from "./matrix-requests.js";
import type { PluginCall } from "./plugin-call.js";
import type { Scheduler } from "./scheduler.js";

export interface LiveServerViewOptions {
  readonly settings: ServerSettings;
  readonly node: NodeState;
  readonly state: SharedState;
  readonly metrics: Metrics;
  readonly pluginCounters: PluginCounters;
  readonly requests: RecentRequests;
  readonly scheduler: Scheduler;
  readonly admin: BuiltinScheduler;
  readonly graphs: GraphRegistry;
  readonly traffic: TrafficCounters;
  readonly dispatcher: Dispatcher | null;
  readonly dispatched: () => Iterable<DispatchedRequest>;
  /** The request that is being received. */
  readonly current: () => Exchange | null;
  readonly clock: CommitClock;
  readonly jobs: JobRunner;
}

export class LiveServerView implements ServerView {
  readonly metrics: Metrics;
  readonly pluginCounters: PluginCounters;
  readonly requests: RecentRequests;
  readonly admin: BuiltinScheduler;
  readonly dispatcher: Dispatcher | null;
  readonly host;
  readonly listenIp: string | null;
  readonly projectDir: string;
  readonly tls: TlsPaths | null;
  readonly root: string;
  readonly isLogged: boolean;
  readonly rejections = new RejectionCounters();
  readonly label = randomBytes(16).toString("hex");
  readonly version = packageInfo().version;
  /** Start of the process; equal in every thread. */
  readonly startedAtMs = performance.timeOrigin;
  serviceName: string | null;
  node: NodeState;
  readonly #parts: LiveServerViewOptions;
  #servers: readonly HttpServer[] = [];
  #tlsFiles: TlsFiles | null = null;
  #plugins: readonly PluginDescription[] = [];
  #unloadable: readonly UnloadableGraph[] = [];
  #algorithms = NO_ALGORITHMS;

  constructor(parts: LiveServerViewOptions) {
    const { settings, metrics, pluginCounters, requests, admin, dispatcher } = parts;
    this.#parts = parts;
    this.metrics = metrics;
    this.pluginCounters = pluginCounters;
    this.requests = requests;
    this.admin = admin;
    this.dispatcher = dispatcher;
    this.host = readHost(settings.ip);
    this.listenIp = settings.ip;
    this.projectDir = settings.projectDir;
    this.tls = settings.tls;
    this.root = settings.root;
    this.isLogged = settings.durability !== "off";
    this.serviceName = settings.name;
    this.node = parts.node;
  }

  get logState(): LogState {
    const { clock } = this.#parts;
    if (!this.isLogged) return "off";
    if (clock.hasFailed) return "failed";
    if (clock.isFull) return "full";
    return clock.isLow ? "low" : "good";
  }

  get leads(): number | null {
    const { role, epoch } = this.#parts.clock.group;
    return role === "leading" || role === "readonly" ? epoch : null;
  }

  /** @param servers of the main port and the admin port */
  setServers(servers: readonly HttpServer[], tlsFiles: TlsFiles | null): void {
    this.#servers = servers;
    this.#tlsFiles = tlsFiles;
  }

  transportMemory(): TransportMemory | null {
    return this.#servers[0]?.memory() ?? null;
  }

  get certificateExpiryMs(): number | null {
    return this.#tlsFiles?.expiresAtMs ?? null;
  }

  setPlugins(plugins: readonly PluginDescription[]): void {
    this.#plugins = [...plugins].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  setUnloadable(graphs: readonly UnloadableGraph[]): void {
    this.#unloadable = graphs;
  }

  get basePort(): number {
    return this.#parts.state.basePort;
  }

  get serviceIn(): boolean {
    return this.#parts.state.serviceIn;
  }

  get waiting(): number {
    return this.#parts.scheduler.waiting;
  }

  get working(): number {
    return this.#parts.scheduler.working;
  }

  plugins(): readonly PluginDescription[] {
    return this.#plugins;
  }

  builtins(): readonly PluginDescription[] {
    return BUILTINS;
  }

  graphs(): readonly RegisteredGraph[] {
    return this.#parts.graphs.all().filter(({ store }) => !isSystemGraph(store.name));
  }

  systemGraph(): RegisteredGraph | null {
    return this.#parts.graphs.find(SYSTEM_GRAPH);
  }

  setAlgorithms(report: AlgorithmReport): void {
    this.#algorithms = report;
  }

  algorithms(): AlgorithmReport {
    return this.#algorithms;
  }

  jobs(): readonly JobStatus[] {
    return this.#parts.jobs.status();
  }

  traffic(): TrafficReport {
    return this.#parts.traffic.read();
  }

  unloadable(): readonly UnloadableGraph[] {
    return this.#unloadable;
  }

  unsaved(): readonly string[] {
    const unsaved = this.#parts.graphs.all().filter(({ store }) => hasUnsavedChanges(store));
    return unsaved.map(({ store }) => store.name);
  }

  connections(portOffset: 0 | 1): readonly OpenConnection[] {
    const pending = this.#pending();
    const connections = this.#servers[portOffset]?.connections() ?? [];
    return connections.map((connection) => ({
      connection,
      pending: pending.get(connection) ?? null,
    }));
  }

  /** Returns the next request to be answered on each connection. */
  #pending(): Map<Connection, PendingRequest> {
    const { scheduler, admin } = this.#parts;
    const pending = new Map<Connection, PendingRequest>();
    for (const { call, executor } of [...scheduler.calls(), ...admin.calls()]) {
      const { exchange, serial } = call;
      if (pending.has(exchange.connection)) continue;
      const state = readRequestState(call, executor);
      pending.set(exchange.connection, { exchange, serial, executor, state, call: null });
    }
    for (const { exchange, serial, call } of this.#parts.dispatched()) {
      if (pending.has(exchange.connection)) continue;
      const state = call.isWaiting ? "AWAIT_DISPATCH" : "DISPATCH";
      pending.set(exchange.connection, { exchange, serial, executor: null, state, call });
    }
    const exchange = this.#parts.current();
    if (exchange !== null) {
      const running = { serial: 0, executor: 0, state: "EXECUTE", call: null } as const;
      pending.set(exchange.connection, { exchange, ...running });
    }
    return pending;
  }
}

function readRequestState({ step }: PluginCall, executor: number | null): RequestState {
  if (executor === null) return "AWAIT_DISPATCH";
  if (step === null) return "EXECUTE";
  return step.merged === null ? "PREPROCESS" : "POSTPROCESS";
}
