// Creates the parts of the IO thread and connects them: both servers, engine, schedulers, dispatch
// and built-ins.

import { join } from "node:path";
import { threadSlots } from "../base/instance-slots.js";
import { DEFAULT_PLUGIN_TIMEOUT_MS } from "../base/limits.js";
import { SharedState } from "../base/wire/shared-state.js";
import { ControlService } from "../builtin/admin/control-service.js";
import { installBuiltinContext } from "../builtin/context.js";
import type { Connect } from "../dispatch/connector.js";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { AccessLog } from "../engine/access-log.js";
import { AuditLog } from "../engine/audit-log.js";
import { BuiltinAccess } from "../engine/builtin-access.js";
import { addBuiltins } from "../engine/builtin-routes.js";
import { type BuiltinEvents, BuiltinScheduler } from "../engine/builtin-scheduler.js";
import { ConsoleRequests } from "../engine/console-requests.js";
import { createTracer } from "../engine/create-tracer.js";
import { InlinePlugins } from "../engine/inline-plugins.js";
import type { IoNotification, IoThreadData } from "../engine/io-control.js";
import { IoServer } from "../engine/io-server.js";
import { JobRunner } from "../engine/jobs/job-runner.js";
import { LeaderRequests } from "../engine/leader-requests.js";
import { LiveServerView } from "../engine/live-server-view.js";
import { PendingControlRequests } from "../engine/pending-control-requests.js";
import { Recorder } from "../engine/recorder.js";
import { RequestAuthentication } from "../engine/request-authentication.js";
import { RequestEngine } from "../engine/request-engine.js";
import { RequestRates } from "../engine/request-rates.js";
import { RequestSigner } from "../engine/request-signer.js";
import { type ResponseParts, ResponseWriter } from "../engine/response-writer.js";
import { RouteTable } from "../engine/route-table.js";
import { Scheduler, type SchedulerEvents } from "../engine/scheduler.js";
import { TraceSampler } from "../engine/trace-sampler.js";
import { CommitClock } from "../graph/manager/commits.js";
import { GraphRegistry } from "../graph/manager/graph-registry.js";
import { IO_THREAD } from "../graph/manager/thread-numbers.js";
import { Authenticator } from "../http/auth/authenticator.js";
import { DispatchSignature } from "../http/auth/dispatch-signature.js";
import { ClientPermissions } from "../http/client-permissions.js";
import { Compressor } from "../http/compressor.js";
import { CrossOriginGuard } from "../http/cross-origin-guard.js";
import { FileServer } from "../http/files.js";
import { OperatorAuth } from "../http/operator-auth.js";
import { PackagedFiles } from "../http/packaged-files.js";
import { RecentRequests } from "../http/recent-requests.js";
import { TrustedClients } from "../http/trusted-clients.js";
import { Metrics } from "../metrics/metrics.js";
import { PluginCounters } from "../metrics/plugin-counters.js";
import { TrafficCounters } from "../metrics/traffic.js";
import { showStackTraces } from "../plugin/contract/stack-trace.js";
import type { ServerSettings } from "../settings/server-settings.js";
import { JOBS_FILE, placeJobs } from "./own-jobs.js";

/**
 * Creates the IO thread, which then waits for the request to listen.
 * @param notify sends an unsolicited message to the main thread
 * @param connect connects to back-ends, by default through sockets
 */
export async function assembleIo(
  data: IoThreadData,
  notify: (notice: IoNotification) => void,
  connect?: Connect,
): Promise<IoServer> {
  const { settings } = data;
  const code = settings.dispatcher && (await import("../engine/matrix-parts.js"));
  const state = new SharedState(data.state);
  const counters = createCounters(state, data);
  const trusted = createTrustedClients(settings);
  const compressor = createCompressor(settings);
  const tracer = createTracer(settings, () => ({
    serviceName: view.serviceName ?? "svc",
    port: state.basePort,
  }));
  const traces = new TraceSampler(tracer, new ClientPermissions(settings.dispatcherNetworks));
  const recorder = createRecorder(settings);
  const audit = settings.audit === null ? null : new AuditLog(settings.audit);
  const responses = new ResponseWriter({
    ...counters,
    // Unanswered requests of the main port.
    backlog: () => scheduler.working + scheduler.waiting + (dispatcher?.working ?? 0),
    compressor,
    ...{ recorder, audit, ...responseRules(settings, trusted[0], () => dispatcher) },
  });
  const adminStates = openAdminStates(data);
  const states = { main: state, builtin: adminStates };
  const jobs = createJobs(data, state, { engine: () => engine, leads: () => view.leads });
  const [scheduler, admin] = createSchedulers(data, states, counters, responses, notify, jobs);
  const signature = createSignature(settings);
  const dispatcher = code && createDispatcher(code, settings, connect, signature);
  const auth = createAuthenticator(settings);
  const signer = signature && new RequestSigner(signature, trusted[0], auth !== null);
  const matrix = code && new code.MatrixRequests(dispatcher!, responses, scheduler, traces, signer);
  const graphs = new GraphRegistry(IO_THREAD);
  const traffic = new TrafficCounters(data.traffic);
  const shared = { settings, scheduler, admin, ...counters };
  const view: LiveServerView = new LiveServerView({
    ...{ ...shared, graphs, traffic, dispatcher, node: data.node, jobs },
    dispatched: () => matrix?.dispatched() ?? [],
    current: () => engine.current,
    clock: new CommitClock(data.clock),
  });
  const inline = new InlinePlugins(state, responses, () => counters.metrics.countInlineMove());
  const routes = new RouteTable(settings.prefix);
  const builtins = new BuiltinAccess(settings, trusted[0]);
  const engine: RequestEngine = new RequestEngine({
    ...{ state, view, responses, routes, scheduler, inline, admin, trusted, traces, matrix },
    auth: new RequestAuthentication({
      handlers: auth,
      signature,
      isEngine: dispatcher === null,
      scopes: builtins.scopes,
    }),
    files: new FileServer(join(settings.root, "WEB-ROOT"), compressor),
    console: createConsole(settings, trusted[1]),
    jquery: PackagedFiles.jquery(),
    originGuards: createOriginGuards(settings),
    operators: new OperatorAuth(trusted[1], data.adminKey),
    ...{ builtins, audit, rates: new RequestRates(settings.rateLimit) },
    leader: new LeaderRequests(new CommitClock(data.clock), view),
  });
  const control = new PendingControlRequests(notify);
  const operations = new ControlService((operation, args) => control.ask(operation, args));
  installBuiltinContext({ server: view, control: operations });
  showStackTraces(settings.stackTraces);
  addBuiltins(routes);
  const own = { adminStates, graphs, traffic, view, control, jobs, tracer, recorder, audit };
  return new IoServer({ ...shared, ...own, routes, responses, inline, auth, engine, dispatcher });
}

/**
 * The admin port takes no unknown host name: a page could otherwise give a name of its own the
 * address of this machine, and read with the rights of the operator who opened it.
 */
function createOriginGuards(
  settings: ServerSettings,
): readonly [main: CrossOriginGuard, admin: CrossOriginGuard] {
  const { cors, allowedHosts } = settings;
  const hosts = adminHosts(settings);
  return [new CrossOriginGuard(cors, allowedHosts), new CrossOriginGuard(cors, hosts)];
}

function createTrustedClients(
  settings: ServerSettings,
): readonly [main: TrustedClients, admin: TrustedClients] {
  const { trustedNetworks, proxies } = settings;
  const main = new TrustedClients(trustedNetworks, proxies);
  return [main, new TrustedClients(trustedNetworks, proxies, adminHosts(settings))];
}

/** Returns the names by which operators may call the admin port, in lower case. */
function adminHosts({ allowedHosts, node }: ServerSettings): string[] {
  const hosts = [...(allowedHosts ?? []), ...(node === null ? [] : [node.host])];
  return hosts.map((host) => host.toLowerCase());
}

function createSchedulers(
  { settings, clock: logClock }: IoThreadData,
  states: { readonly main: SharedState; readonly builtin: readonly [SharedState, SharedState] },
  { metrics }: { readonly metrics: Metrics },
  responses: ResponseWriter,
  notify: (notice: IoNotification) => void,
  jobs: JobRunner,
): [scheduler: Scheduler, admin: BuiltinScheduler] {
  const { pluginTimeoutMs, maxRunningPerClient } = settings;
  const mainLimits = { perClient: maxRunningPerClient, isSerial: false };
  // A query needs a deadline even where plugins have none.
  const waitMs = pluginTimeoutMs || DEFAULT_PLUGIN_TIMEOUT_MS;
  const clock = new CommitClock(logClock);
  const outcomes = jobs.intercept(responses);
  const events: SchedulerEvents = {
    ...outcomes,
    terminate: (executor, reason) => notify({ notice: "terminate", executor, reason }),
    onRetire: (executor) => notify({ notice: "retired", executor }),
  };
  const builtinEvents: BuiltinEvents = {
    ...outcomes,
    terminate: (executor, reason) => notify({ notice: "terminateAdmin", executor, reason }),
    start: (executor) => notify({ notice: "startAdmin", executor }),
  };
  return [
    new Scheduler(states.main, metrics, pluginTimeoutMs, waitMs, events, clock, mainLimits),
    new BuiltinScheduler(states.builtin, waitMs, builtinEvents, clock),
  ];
}

function openAdminStates({ adminStates: [quick, long] }: IoThreadData) {
  return [new SharedState(quick), new SharedState(long)] as const;
}

/** @param later parts that exist when jobs run: the engine submits them */
function createJobs(
  { settings, clock: logClock }: IoThreadData,
  state: SharedState,
  later: { readonly engine: () => RequestEngine; readonly leads: () => number | null },
): JobRunner {
  const clock = new CommitClock(logClock);
  return new JobRunner({
    file: join(settings.root, JOBS_FILE),
    location: placeJobs(settings, later.leads),
    canRun: () => state.serviceIn,
    isReadonly: () => clock.group.role === "readonly",
    submit: (exchange, route) => later.engine().submitJob(exchange, route),
  });
}

function createRecorder({ recordFile, name, ...settings }: ServerSettings): Recorder | null {
  if (recordFile === null) return null;
  const { recordSampleEvery: every, recordBodies: bodies } = settings;
  return new Recorder({ path: recordFile, service: name, every, bodies });
}

function responseRules(
  settings: ServerSettings,
  trusted: TrustedClients,
  dispatcher: () => Dispatcher | null,
): Pick<ResponseParts, "cors" | "access" | "mayAsk" | "slotsField"> {
  const { cors, accessLogSampleEvery, explain } = settings;
  return {
    slotsField: (receivedMs, key) => formatSlotsField(dispatcher(), receivedMs, key),
    cors: cors !== null,
    access: accessLogSampleEvery > 0 ? new AccessLog(accessLogSampleEvery) : null,
    mayAsk: (exchange) => {
      if (explain !== "trusted") return explain === "anyone";
      return exchange.connection.ident !== null || trusted.isTrusted(exchange);
    },
  };
}

function createDispatcher(
  { Dispatcher, readMatrixConfig }: typeof import("../engine/matrix-parts.js"),
  { dispatcher, projectDir }: ServerSettings,
  connect: Connect | undefined,
  signature: DispatchSignature | null,
): Dispatcher {
  const sign = signature === null ? undefined : (): string => signature.signProbe();
  return new Dispatcher(readMatrixConfig(dispatcher!), projectDir, connect, sign);
}

function createSignature({ dispatcherKey }: ServerSettings): DispatchSignature | null {
  return dispatcherKey === null ? null : new DispatchSignature(dispatcherKey);
}

/** A dispatcher has the slots of its matrix, which may change while it runs. */
function formatSlotsField(
  dispatcher: Dispatcher | null,
  receivedMs: number,
  key: string | null,
): string {
  const slots = threadSlots();
  const id = slots === null ? dispatcher?.matrix.slotsId : slots.idSince(receivedMs, key);
  return id === null || id === undefined ? "" : `X-SVC-Slots: ${id}\r\n`;
}

function createAuthenticator({ auth, build, projectDir }: ServerSettings): Authenticator | null {
  if (auth.length === 0) return null;
  // Without a build, nothing has bundled the handlers.
  return new Authenticator(projectDir, build === null ? auth : null);
}

function createConsole(
  { console: where }: ServerSettings,
  trusted: TrustedClients,
): ConsoleRequests {
  const pages = where === "off" ? null : PackagedFiles.console();
  return new ConsoleRequests(pages, where === "both", trusted);
}

function createCompressor({ compression, tls }: ServerSettings): Compressor | null {
  if (compression === "off") return null;
  const hasClientCertificates = tls !== null && tls.ca !== null;
  return new Compressor({
    withCredentials: compression === "all",
    hasClientCertificates,
  });
}

function createCounters(state: SharedState, { metrics }: IoThreadData) {
  return {
    ...{ state, metrics: new Metrics(metrics) },
    ...{ pluginCounters: new PluginCounters(), requests: new RecentRequests() },
  };
}
