// Assembles the IO thread: both servers, engine, scheduler, built-ins; and executes the requests of
// the main thread.

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "../base/clock.js";
import { maxConnections } from "../base/connection-limit.js";
import {
  ADMIN_CLIENT_CONNECTIONS,
  ADMIN_CLIENT_RATE,
  BODY_MEMORY_BYTES,
  DEFAULT_PLUGIN_TIMEOUT_MS,
  DRAIN_KEEPALIVE_MS,
  KEEPALIVE_DRAIN_MS,
  RESPONSE_MEMORY_BYTES,
} from "../base/limits.js";
import { log } from "../base/log.js";
import { TlsFiles } from "../base/tls-files.js";
import { readTlsPaths } from "../base/tls-paths.js";
import { ControlService } from "../builtin/admin/control-service.js";
import { installBuiltinContext } from "../builtin/context.js";
import type { Connect } from "../dispatch/connector.js";
import { Dispatcher } from "../dispatch/dispatcher.js";
import { GraphRegistry } from "../graph/manager/graph-registry.js";
import { CommitClock } from "../graph/manager/logging-entry-points.js";
import { IO_THREAD } from "../graph/manager/thread-numbers.js";
import { Authenticator } from "../http/auth/authenticator.js";
import { ClientPermissions } from "../http/client-permissions.js";
import { Compressor } from "../http/compressor.js";
import { CrossOriginGuard } from "../http/cross-origin-guard.js";
import { FileServer } from "../http/files.js";
import {
  type LoadedTransport,
  loadTransport,
  type NetOnlySetting,
} from "../http/load-transport.js";
import { OperatorAuth } from "../http/operator-auth.js";
import { PackagedFiles } from "../http/packaged-files.js";
import type { HttpServer, ServerOptions } from "../http/transport.js";
import { TrustedClients } from "../http/trusted-clients.js";
import { Metrics } from "../metrics/metrics.js";
import { PluginCounters } from "../metrics/plugin-counters.js";
import { TrafficCounters } from "../metrics/traffic.js";
import type { PluginList } from "../plugin/contract/plugin-table.js";
import { showStackTraces } from "../plugin/contract/stack-trace.js";
import { readMatrixConfig } from "../settings/matrix-config.js";
import type { ServerSettings } from "../settings/server-settings.js";
import type { Tracer } from "../tracing/tracer.js";
import { SharedState } from "../wire/shared-state.js";
import { AccessLog } from "./access-log.js";
import { AuditLog } from "./audit-log.js";
import { BuiltinAccess } from "./builtin-access.js";
import { addBuiltins } from "./builtin-routes.js";
import { type BuiltinEvents, BuiltinScheduler } from "./builtin-scheduler.js";
import { ConsoleRequests } from "./console-requests.js";
import { createTracer, type TracedInstance } from "./create-tracer.js";
import { EventLoopMonitor } from "./event-loop-monitor.js";
import { InlinePlugins } from "./inline-plugins.js";
import type { ControlRequest, IoNotification, IoThreadData, Listening } from "./io-control.js";
import { listenPair } from "./listen-pair.js";
import { LiveServerView } from "./live-server-view.js";
import { MatrixRequests } from "./matrix-requests.js";
import { PendingControlRequests } from "./pending-control-requests.js";
import { Recorder } from "./recorder.js";
import { RequestEngine } from "./request-engine.js";
import { type ResponseParts, ResponseWriter } from "./response-writer.js";
import { RouteTable } from "./route-table.js";
import { Scheduler, type SchedulerEvents } from "./scheduler.js";
import { TraceSampler } from "./trace-sampler.js";
import { type WarmUp, warmUp } from "./warm-up.js";

const TICK_MS = 1000;
/** Spans recorded at shutdown are sent within that time, or lost. */
const TRACES_WITHIN_MS = 1000;
/** How long the start waits for the first health checks of back-ends. */
const FIRST_PROBES_MS = 1000;

export class IoServer {
  readonly #data: IoThreadData;
  readonly #state: SharedState;
  readonly #metrics: Metrics;
  readonly #tallies = new PluginCounters();
  readonly #routes: RouteTable;
  readonly #answers: ResponseWriter;
  readonly #scheduler: Scheduler;
  readonly #adminStates: readonly [quick: SharedState, long: SharedState];
  readonly #admin: BuiltinScheduler;
  readonly #graphs = new GraphRegistry(IO_THREAD);
  readonly #inline: InlinePlugins;
  /** Null without `auth`. */
  readonly #auth: Authenticator | null;
  readonly #engine: RequestEngine;
  readonly #dispatcher: Dispatcher | null;
  readonly #matrix: MatrixRequests | null;
  readonly #view: LiveServerView;
  readonly #control: PendingControlRequests;
  readonly #traffic: TrafficCounters;
  readonly #load = new EventLoopMonitor();
  #tls: TlsFiles | null = null;
  readonly #tracer: Tracer | null;
  readonly #recorder: Recorder | null;
  readonly #audit: AuditLog | null;
  #servers: readonly HttpServer[] = [];

  /** Loads the transport; tests replace it before the server listens. */
  transport = (): Promise<LoadedTransport> => configuredTransport(this.#data.settings);

  /**
   * @param notify sends an unsolicited message to the main thread
   * @param connect connects to back-ends, by default through sockets
   */
  constructor(data: IoThreadData, notify: (notice: IoNotification) => void, connect?: Connect) {
    const { settings } = data;
    this.#data = data;
    this.#control = new PendingControlRequests(notify);
    this.#traffic = new TrafficCounters(data.traffic);
    this.#state = new SharedState(data.state);
    this.#metrics = new Metrics(data.metrics);
    this.#routes = new RouteTable(settings.prefix);
    this.#tracer = createTracer(settings, () => this.#traced());
    this.#recorder = recorderOf(settings);
    this.#audit = settings.audit === null ? null : new AuditLog(settings.audit);
    const trusted = new TrustedClients(settings.trustedNetworks, settings.proxies);
    const permissions = new ClientPermissions(settings.dispatcherNetworks);
    const traces = new TraceSampler(this.#tracer, permissions);
    const compressor = compressorOf(settings);
    const figures = { state: this.#state, metrics: this.#metrics, tallies: this.#tallies };
    const logs = { recorder: this.#recorder, audit: this.#audit };
    const rules = { compressor, ...logs, ...answerRules(settings, trusted) };
    const answers = new ResponseWriter({ ...figures, backlog: () => this.#backlog(), ...rules });
    this.#answers = answers;
    const [quick, long] = data.adminStates;
    this.#adminStates = [new SharedState(quick), new SharedState(long)];
    const states = { main: this.#state, builtin: this.#adminStates };
    [this.#scheduler, this.#admin] = schedulers(data, states, this.#metrics, answers, notify);
    this.#dispatcher = dispatcherOf(settings, connect);
    this.#matrix =
      this.#dispatcher && new MatrixRequests(this.#dispatcher, answers, this.#scheduler, traces);
    this.#view = new LiveServerView({
      settings,
      node: data.node,
      state: this.#state,
      metrics: this.#metrics,
      tallies: this.#tallies,
      scheduler: this.#scheduler,
      admin: this.#admin,
      graphs: this.#graphs,
      traffic: this.#traffic,
      dispatcher: this.#dispatcher,
      dispatched: () => this.#matrix?.dispatched() ?? [],
      current: () => this.#engine.current,
      clock: new CommitClock(data.clock),
    });
    this.#inline = new InlinePlugins(this.#state, answers, () => this.#metrics.inlineLeft());
    this.#auth = settings.auth.length === 0 ? null : new Authenticator(settings.projectDir);
    this.#engine = new RequestEngine({
      state: this.#state,
      view: this.#view,
      answers,
      routes: this.#routes,
      files: new FileServer(join(settings.root, "WEB-ROOT"), compressor),
      console: consoleOf(settings, trusted),
      jquery: PackagedFiles.jquery(),
      scheduler: this.#scheduler,
      inline: this.#inline,
      admin: this.#admin,
      pages: crossOriginGuards(settings),
      trusted,
      traces,
      operators: new OperatorAuth(trusted, data.adminKey),
      matrix: this.#matrix,
      auth: this.#auth,
      builtins: new BuiltinAccess(settings, trusted),
    });
    const control = new ControlService((operation, args) => this.#control.ask(operation, args));
    installBuiltinContext({ server: this.#view, control });
    showStackTraces(settings.stackTraces);
    addBuiltins(this.#routes);
    setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** The instance as its spans name it. */
  #traced(): TracedInstance {
    return { serviceName: this.#view.serviceName ?? "svc", port: this.#state.basePort };
  }

  /** Unanswered requests of the main port. */
  #backlog(): number {
    const { working, waiting } = this.#scheduler;
    return working + waiting + (this.#dispatcher?.working ?? 0);
  }

  /** Executes a request of the main thread; the value is sent back. */
  async execute(ask: ControlRequest): Promise<unknown> {
    switch (ask.op) {
      case "listen":
        return this.#listen();
      case "rename":
        this.#view.serviceName = ask.name;
        return null;
      case "plugins":
        return this.#setPlugins(ask.list);
      case "argspec":
        return this.#answers.setArgspec(ask.hash);
      case "executors":
        return this.#setExecutors(ask);
      case "warmUp":
        return this.#warmUp(ask);
      case "executorDied":
        return this.#scheduler.executorDied(ask.id);
      case "replaceExecutor":
        return this.#scheduler.replaceExecutor(ask.died, ask.executor.id, ask.executor.port);
      case "admin":
        return this.#admin.setExecutor(ask.executor, ask.port);
      case "adminDied":
        return this.#admin.executorDied(ask.executor);
      case "graph":
        this.#graphs.add(ask.graph);
        return null;
      case "controlled":
        return this.#control.settle(ask.number, ask.outcome);
      case "node":
        this.#view.node = ask.node;
        return null;
      case "unloadable":
        this.#view.setUnloadable(ask.graphs);
        return null;
      case "matrix":
        return this.#dispatcher?.change(readMatrixConfig(ask.dispatcher));
      case "stop":
        return this.#stop(ask.timeoutMs);
    }
  }

  async #setExecutors({
    executors,
    table,
    inlineDir,
  }: ControlRequest & { op: "executors" }): Promise<void> {
    // Before the plugins that it covers.
    await this.#auth?.load();
    this.#setPlugins(table);
    this.#answers.setArgspec(table.argspec.hash);
    this.#scheduler.setExecutors(executors);
    if (inlineDir !== null) await this.#inline.load(inlineDir, table.routes, this.#routes);
  }

  /** Only before Service-IN: its metrics are reset afterwards. */
  async #warmUp(calls: WarmUp): Promise<void> {
    const limits = { connections: 0, requestsPerSecond: 0 };
    const options = {
      ...serverOptions(this.#data.settings, 0),
      limits,
      proxyProtocol: false,
      tls: null,
    };
    const useless = await warmUp(calls, options, this.#engine.events(0));
    this.#metrics.forget();
    this.#tallies.forget();
    for (const [target, fault] of useless)
      log(`warm-up skipped for example ${target}: ${fault}`, "info");
  }

  #setPlugins({ routes, descriptions }: PluginList): void {
    this.#routes.setPlugins(routes);
    this.#view.setPlugins(descriptions);
  }

  async #listen(): Promise<Listening> {
    const { settings } = this.#data;
    this.#recorder?.open();
    this.#audit?.open();
    const { transport, reason } = await this.transport();
    const { tls: paths, projectDir } = settings;
    this.#tls = paths && new TlsFiles(readTlsPaths(projectDir, paths), "http.tls");
    const tls = (await this.#tls?.load()) ?? null;
    await this.#dispatcher?.loadCertificates();
    this.#servers = await listenPair(settings, (port, ip, offset) => {
      const options = { ...serverOptions(settings, offset), tls };
      return transport.listen(port, ip, options, this.#engine.events(offset));
    });
    this.#view.setServers(this.#servers, this.#tls);
    const { port } = this.#servers[0]!;
    this.#state.basePort = port;
    for (const state of this.#adminStates) state.basePort = port;
    this.#traffic.adminPort = port + 1;
    // The health of back-ends is known before the first request.
    await Promise.race([this.#dispatcher?.start(), delay(FIRST_PROBES_MS, null, { ref: false })]);
    return { port, transport: transport.name, reason };
  }

  /**
   * Shuts down in three phases: for `http.drainSeconds` only the health check fails, so that load
   * balancers route elsewhere; then new connections are refused and each open one closes with its
   * next response; then new requests are refused until the running ones complete or time out.
   */
  async #stop(timeoutMs: number): Promise<void> {
    const { drainSeconds } = this.#data.settings;
    this.#engine.leave();
    if (drainSeconds > 0) await delay(drainSeconds * 1000);
    const deadline = performance.now() + timeoutMs;
    this.#engine.rejectNewConnections();
    for (const server of this.#servers) server.retire();
    await delay(Math.min(timeoutMs, drainSeconds > 0 ? DRAIN_KEEPALIVE_MS : KEEPALIVE_DRAIN_MS));
    this.#engine.stop();
    while (this.#working() > 0 && performance.now() < deadline) await delay(5);
    this.#engine.giveUp();
    this.#answers.streams.cancelAll();
    this.#dispatcher?.close();
    // The admin server first: a monitor must not see a main port that is gone.
    const closing = [...this.#servers].reverse().map(async (server) => {
      await server.drain(Math.max(0, deadline - performance.now()));
      await server.close();
    });
    await Promise.all(closing);
    await this.#tracer?.close(TRACES_WITHIN_MS);
    await this.#recorder?.close();
    await this.#audit?.close();
    this.#scheduler.close();
    this.#admin.close();
  }

  async #renewCertificates(): Promise<void> {
    const renewed = await this.#tls?.refresh();
    if (renewed) for (const server of this.#servers) server.useTls?.(renewed);
  }

  #working(): number {
    const dispatched = this.#dispatcher?.working ?? 0;
    const { working, waiting } = this.#scheduler;
    return working + waiting + this.#admin.working + this.#admin.waiting + dispatched;
  }

  #tick(): void {
    this.#metrics.ioBusy(this.#load.tick(this.#inline.loaded));
    this.#metrics.tick(nowMs(), (slot) => this.#scheduler.startedAtMs(slot));
    this.#scheduler.tick();
    this.#admin.tick();
    this.#dispatcher?.tick();
    void this.#renewCertificates();
  }
}

/**
 * The admin port takes no unknown host name: a page could otherwise give a name of its own the
 * address of this machine, and read with the rights of the operator who opened it.
 */
function crossOriginGuards(
  settings: ServerSettings,
): readonly [main: CrossOriginGuard, admin: CrossOriginGuard] {
  const { cors, allowedHosts: hosts, node } = settings;
  const own = [...(hosts ?? []), ...(node === null ? [] : [node.host])];
  return [new CrossOriginGuard(cors, hosts), new CrossOriginGuard(cors, own)];
}

function schedulers(
  { settings, clock: logClock }: IoThreadData,
  states: { readonly main: SharedState; readonly builtin: readonly [SharedState, SharedState] },
  metrics: Metrics,
  answers: ResponseWriter,
  notify: (notice: IoNotification) => void,
): [scheduler: Scheduler, admin: BuiltinScheduler] {
  const { pluginTimeoutMs, maxRunningPerClient } = settings;
  const mainLimits = { perClient: maxRunningPerClient, isSerial: false };
  // A query needs a deadline even where plugins have none.
  const waitMs = pluginTimeoutMs || DEFAULT_PLUGIN_TIMEOUT_MS;
  const clock = new CommitClock(logClock);
  const outcomes = {
    result: answers.call,
    failed: answers.failedCall,
    dropped: answers.droppedCall,
  };
  const events: SchedulerEvents = {
    ...outcomes,
    terminate: (executor, reason) => notify({ notice: "terminate", executor, reason }),
    retired: (executor) => notify({ notice: "retired", executor }),
  };
  const builtinEvents: BuiltinEvents = {
    ...outcomes,
    terminate: (executor, reason) => notify({ notice: "terminateAdmin", executor, reason }),
    startLong: () => notify({ notice: "startLongQueries" }),
  };
  return [
    new Scheduler(states.main, metrics, pluginTimeoutMs, waitMs, events, clock, mainLimits),
    new BuiltinScheduler(states.builtin, waitMs, builtinEvents, clock),
  ];
}

function recorderOf({ recordFile, name, ...settings }: ServerSettings): Recorder | null {
  if (recordFile === null) return null;
  const { recordSampleEvery: every, recordBodies: bodies } = settings;
  return new Recorder({ path: recordFile, service: name, every, bodies });
}

function answerRules(
  { cors, accessLogSampleEvery, explain }: ServerSettings,
  trusted: TrustedClients,
): Pick<ResponseParts, "cors" | "access" | "mayAsk"> {
  return {
    cors: cors !== null,
    access: accessLogSampleEvery > 0 ? new AccessLog(accessLogSampleEvery) : null,
    mayAsk: (exchange) => {
      if (explain !== "trusted") return explain === "anyone";
      return exchange.connection.ident !== null || trusted.isTrusted(exchange);
    },
  };
}

function configuredTransport(settings: ServerSettings): Promise<LoadedTransport> {
  return loadTransport(settings.transport, settings.projectDir, netOnlySetting(settings));
}

function netOnlySetting({ tls, proxyProtocol }: ServerSettings): NetOnlySetting | null {
  if (tls !== null) return "http.tls";
  return proxyProtocol ? "http.proxyProtocol" : null;
}

function dispatcherOf(
  { dispatcher, projectDir }: ServerSettings,
  connect: Connect | undefined,
): Dispatcher | null {
  return dispatcher && new Dispatcher(readMatrixConfig(dispatcher), projectDir, connect);
}

function consoleOf({ console: where }: ServerSettings, trusted: TrustedClients): ConsoleRequests {
  const pages = where === "off" ? null : PackagedFiles.console();
  return new ConsoleRequests(pages, where === "both", trusted);
}

function compressorOf({ compression, tls }: ServerSettings): Compressor | null {
  if (compression === "off") return null;
  const knowsClients = tls !== null && tls.ca !== null;
  return new Compressor({ withCredentials: compression === "all", knowsClients });
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
    // A client may use half of it: enough for a body of the maximum size.
    bodyMemoryBytes: Math.max(BODY_MEMORY_BYTES, 2 * maxBodyBytes),
    responseMemoryBytes: RESPONSE_MEMORY_BYTES,
  };
}
