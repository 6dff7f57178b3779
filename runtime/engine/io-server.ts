// Executes the requests that the main thread sends to the IO thread: listening, plugins, executors,
// shutdown. The parts are connected in lifecycle/assemble-io.ts.

import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "../base/clock.js";
import { maxConnections } from "../base/connection-limit.js";
import {
  ADMIN_CLIENT_CONNECTIONS,
  ADMIN_CLIENT_RATE,
  BODY_MEMORY_BYTES,
  DRAIN_KEEPALIVE_MS,
  KEEPALIVE_DRAIN_MS,
  RESPONSE_MEMORY_BYTES,
  UPLOAD_DISK_BYTES,
} from "../base/limits.js";
import { log } from "../base/log.js";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths } from "../base/tls-paths.js";
import type { Tracer } from "../base/tracing/tracer.js";
import type { SharedState } from "../base/wire/shared-state.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { loadGraphEngine } from "../graph/manager/graph-engine.js";
import type { GraphRegistry } from "../graph/manager/graph-registry.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import type { Authenticator } from "../http/auth/authenticator.js";
import {
  type LoadedTransport,
  loadTransport,
  type NetOnlySetting,
} from "../http/load-transport.js";
import type { RecentRequests } from "../http/recent-requests.js";
import type { Exchange, HttpServer, ServerEvents, ServerOptions } from "../http/transport.js";
import type { Metrics } from "../metrics/metrics.js";
import type { PluginCounters } from "../metrics/plugin-counters.js";
import type { TrafficCounters } from "../metrics/traffic.js";
import type { PluginList } from "../plugin/contract/plugin-table.js";
import type { ServerSettings } from "../settings/server-settings.js";
import type { AuditLog } from "./audit-log.js";
import type { BuiltinScheduler } from "./builtin-scheduler.js";
import { EventLoopMonitor } from "./event-loop-monitor.js";
import type { InlinePlugins } from "./inline-plugins.js";
import type { ControlRequest, Listening } from "./io-control.js";
import type { JobRunner } from "./jobs/job-runner.js";
import { listenPair } from "./listen-pair.js";
import type { LiveServerView } from "./live-server-view.js";
import type { PendingControlRequests } from "./pending-control-requests.js";
import type { Recorder } from "./recorder.js";
import type { RequestEngine } from "./request-engine.js";
import type { ResponseWriter } from "./response-writer.js";
import type { RouteTable } from "./route-table.js";
import type { Scheduler } from "./scheduler.js";
import type { WarmUp } from "./warm-up.js";

const TICK_MS = 1000;
/** Spans not sent within this time at shutdown are lost. */
const TRACES_WITHIN_MS = 1000;
/** How long the start waits for the first health checks of back-ends. */
const FIRST_PROBES_MS = 1000;

/** The parts of the IO thread, as `assembleIo` connects them. */
export interface IoParts {
  readonly settings: ServerSettings;
  readonly state: SharedState;
  readonly adminStates: readonly SharedState[];
  readonly metrics: Metrics;
  readonly pluginCounters: PluginCounters;
  readonly requests: RecentRequests;
  readonly traffic: TrafficCounters;
  readonly routes: RouteTable;
  readonly responses: ResponseWriter;
  readonly scheduler: Scheduler;
  readonly admin: BuiltinScheduler;
  readonly graphs: GraphRegistry;
  readonly inline: InlinePlugins;
  /** Null without `auth`. */
  readonly auth: Authenticator | null;
  readonly engine: RequestEngine;
  readonly dispatcher: Dispatcher | null;
  readonly view: LiveServerView;
  readonly control: PendingControlRequests;
  readonly jobs: JobRunner;
  readonly tracer: Tracer | null;
  readonly recorder: Recorder | null;
  readonly audit: AuditLog | null;
}

export class IoServer {
  readonly #parts: IoParts;
  readonly #load = new EventLoopMonitor();
  #tls: TlsFiles | null = null;
  #servers: readonly HttpServer[] = [];
  /** Settles when the last graph is registered; null: no registration is pending. */
  #attached: Promise<void> | null = null;

  /** Loads the transport; tests replace it before the server listens. */
  transport = (): Promise<LoadedTransport> => configuredTransport(this.#parts.settings);

  constructor(parts: IoParts) {
    this.#parts = parts;
    setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Executes a request of the main thread; the value is sent back. */
  async execute(command: ControlRequest): Promise<unknown> {
    switch (command.op) {
      case "listen":
        return this.#listen();
      case "rename":
        this.#parts.view.serviceName = command.name;
        return null;
      case "plugins":
        return this.#setPlugins(command.list);
      case "argspec":
        return this.#parts.responses.setArgspec(command.hash);
      case "executors":
        return this.#setExecutors(command);
      case "warmUp":
        return this.#warmUp(command);
      case "executorDied":
        return this.#parts.scheduler.executorDied(command.id);
      case "replaceExecutor":
        return this.#parts.scheduler.replaceExecutor(
          command.died,
          command.executor.id,
          command.executor.port,
        );
      case "admin":
        return this.#parts.admin.setExecutor(command.executor, command.port);
      case "adminDied":
        return this.#parts.admin.executorDied(command.executor);
      case "graph":
        return this.#addGraph(command.graph);
      case "controlled":
        return this.#parts.control.settle(command.number, command.outcome);
      case "node":
        this.#parts.view.node = command.node;
        return null;
      case "unloadable":
        this.#parts.view.setUnloadable(command.graphs);
        return null;
      case "algorithms":
        this.#parts.view.setAlgorithms(command.report);
        return null;
      case "runJob":
        return this.#parts.jobs.runNow(command.name);
      case "matrix":
        return this.#changeMatrix(command.dispatcher);
      case "hold":
        return this.#parts.dispatcher?.hold(command.hold) ?? 0;
      case "release":
        return this.#parts.dispatcher?.release();
      case "stop":
        return this.#stop(command.timeoutMs);
      case "close":
        return Promise.all(this.#servers.map((server) => server.close()));
    }
  }

  async #setExecutors({
    executors,
    table,
    inlineDir,
  }: ControlRequest & { op: "executors" }): Promise<void> {
    // Authentication is loaded before the plugins that it protects.
    await this.#parts.auth?.load();
    // An unreadable file of jobs fails the build before it replaces anything.
    await this.#parts.jobs.load(table.routes);
    this.#setPlugins(table);
    this.#parts.responses.setArgspec(table.argspec.hash);
    this.#parts.scheduler.setExecutors(executors);
    this.#parts.jobs.setJobs(this.#parts.routes.jobs);
    if (inlineDir !== null)
      await this.#parts.inline.load(inlineDir, table.routes, this.#parts.routes);
  }

  /**
   * Runs only before Service-IN, because it resets metrics and records afterwards. Warm-up calls
   * are counted, so that V8 compiles the code that counts.
   */
  async #warmUp(calls: WarmUp): Promise<void> {
    const limits = { connections: 0, requestsPerSecond: 0 };
    const options = {
      ...serverOptions(this.#parts.settings, 0),
      limits,
      proxyProtocol: false,
      tls: null,
    };
    // Runs before V8 compiles code that assumes constant values of the fields that it changes.
    this.#tick();
    const { warmUp } = await import("./warm-up.js");
    const useless = await warmUp(calls, options, this.#parts.engine.events[0]);
    this.#parts.metrics.forget();
    this.#parts.pluginCounters.forget();
    this.#parts.requests.forget();
    for (const [target, fault] of useless)
      log(`warm-up skipped for example ${target}: ${fault}`, "info");
  }

  /** A dispatcher has loaded the parts of a matrix before. */
  async #changeMatrix(matrix: object): Promise<void> {
    const { readMatrixConfig } = await import("./matrix-parts.js");
    await this.#parts.dispatcher?.change(readMatrixConfig(matrix));
  }

  /** Registers a graph; the first one loads the graph engine. */
  #addGraph(graph: SharedGraph): Promise<null> {
    const attached = loadGraphEngine().then(() => {
      this.#parts.graphs.add(graph);
      return null;
    });
    const settled = attached.then(
      () => undefined,
      () => undefined,
    );
    this.#attached = settled;
    void settled.then(() => {
      if (this.#attached === settled) this.#attached = null;
    });
    return attached;
  }

  /** Delays requests until the graphs opened before them are registered. */
  #afterGraphs(events: ServerEvents): ServerEvents {
    const request = (exchange: Exchange): void => {
      if (this.#attached === null) events.request(exchange);
      else void this.#attached.then(() => events.request(exchange));
    };
    return { ...events, request };
  }

  #setPlugins({ routes, descriptions }: PluginList): void {
    this.#parts.routes.setPlugins(routes);
    this.#parts.view.setPlugins(descriptions);
  }

  async #listen(): Promise<Listening> {
    const { settings } = this.#parts;
    this.#parts.recorder?.open();
    this.#parts.audit?.open();
    const { transport, reason } = await this.transport();
    const { tls: paths, projectDir } = settings;
    this.#tls = paths && new TlsFiles(readTlsPaths(projectDir, paths), "http.tls");
    const tls = (await this.#tls?.load()) ?? null;
    await this.#parts.dispatcher?.loadCertificates();
    this.#servers = await listenPair(settings, (port, ip, offset) => {
      const options = { ...serverOptions(settings, offset), tls };
      const events = this.#afterGraphs(this.#parts.engine.events[offset]);
      return transport.listen(port, ip, options, events);
    });
    this.#parts.view.setServers(this.#servers, this.#tls);
    const { port } = this.#servers[0]!;
    this.#parts.state.basePort = port;
    for (const state of this.#parts.adminStates) state.basePort = port;
    this.#parts.traffic.adminPort = port + 1;
    // The health of back-ends is known before the first request.
    await Promise.race([
      this.#parts.dispatcher?.start(),
      delay(FIRST_PROBES_MS, null, { ref: false }),
    ]);
    return { port, transport: transport.name, reason };
  }

  /**
   * Shuts down in three phases: for `http.drainSeconds` only the health check fails, so that load
   * balancers route elsewhere; then new connections are refused and each open one closes with its
   * next response; then new requests are refused until the running ones complete or time out.
   */
  async #stop(timeoutMs: number): Promise<void> {
    const { drainSeconds } = this.#parts.settings;
    this.#parts.engine.failHealthCheck();
    this.#parts.jobs.stop();
    if (drainSeconds > 0) await delay(drainSeconds * 1000);
    const deadline = performance.now() + timeoutMs;
    this.#parts.engine.rejectNewConnections();
    for (const server of this.#servers) server.retire();
    await delay(Math.min(timeoutMs, drainSeconds > 0 ? DRAIN_KEEPALIVE_MS : KEEPALIVE_DRAIN_MS));
    this.#parts.engine.stop();
    while (this.#working() > 0 && performance.now() < deadline) await delay(5);
    this.#parts.engine.rejectRemaining();
    this.#parts.responses.streams.cancelAll();
    this.#parts.dispatcher?.close();
    // The admin server closes first: a monitor must not find the main port closed.
    const closing = [...this.#servers].reverse().map(async (server) => {
      await server.drain(Math.max(0, deadline - performance.now()));
      await server.close();
    });
    await Promise.all(closing);
    await this.#parts.tracer?.close(TRACES_WITHIN_MS);
    await this.#parts.recorder?.close();
    await this.#parts.audit?.close();
    await this.#parts.jobs.close();
    this.#parts.scheduler.close();
    this.#parts.admin.close();
  }

  async #renewCertificates(): Promise<void> {
    const renewed = await this.#tls?.refresh();
    if (renewed) for (const server of this.#servers) server.useTls?.(renewed);
  }

  #working(): number {
    const dispatched = this.#parts.dispatcher?.working ?? 0;
    const { working, waiting } = this.#parts.scheduler;
    return working + waiting + this.#parts.admin.working + this.#parts.admin.waiting + dispatched;
  }

  #tick(): void {
    this.#parts.metrics.ioBusy(this.#load.tick(this.#parts.inline.loaded));
    this.#parts.metrics.tick(nowMs(), (slot) => this.#parts.scheduler.startedAtMs(slot));
    this.#parts.pluginCounters.tick(Date.now());
    this.#parts.scheduler.tick();
    this.#parts.admin.tick();
    this.#parts.dispatcher?.tick();
    this.#parts.responses.streams.recheck(performance.now(), (exchange) =>
      this.#parts.engine.isStillPermitted(exchange),
    );
    void this.#renewCertificates();
  }
}

function configuredTransport(settings: ServerSettings): Promise<LoadedTransport> {
  return loadTransport(settings.transport, settings.projectDir, netOnlySetting(settings));
}

function netOnlySetting({ tls, proxyProtocol }: ServerSettings): NetOnlySetting | null {
  if (tls !== null) return "http.tls";
  return proxyProtocol ? "http.proxyProtocol" : null;
}

/** Returns the options of one port's server. */
function serverOptions(settings: ServerSettings, offset: 0 | 1): Omit<ServerOptions, "tls"> {
  const { maxBodyBytes, cors, dispatcherNetworks, idleTimeoutSeconds } = settings;
  const { maxConnectionsPerClient, maxRequestRatePerClient, proxies, proxyProtocol } = settings;
  return {
    maxBodyBytes,
    cors,
    dispatcherNetworks: dispatcherNetworks,
    proxies,
    // Operators reach the admin port without a proxy.
    proxyProtocol: proxyProtocol && offset === 0,
    limits:
      offset === 0
        ? { connections: maxConnectionsPerClient, requestsPerSecond: maxRequestRatePerClient }
        : { connections: ADMIN_CLIENT_CONNECTIONS, requestsPerSecond: ADMIN_CLIENT_RATE },
    maxConnections: maxConnections(offset),
    idleTimeoutMs: idleTimeoutSeconds * 1000,
    // A client may use half of it, which must suffice for a body of the maximum size.
    bodyMemoryBytes: Math.max(BODY_MEMORY_BYTES, 2 * maxBodyBytes),
    responseMemoryBytes: RESPONSE_MEMORY_BYTES,
    uploadBytes: Math.max(UPLOAD_DISK_BYTES, 2 * maxBodyBytes),
  };
}
