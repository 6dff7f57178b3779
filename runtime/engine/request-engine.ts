// Answers the requests of both ports, synchronously or later. Order of the checks: stopping,
// method, Service-OUT, resource. Runs in the IO thread, and runs no user code except inline
// plugins.

import { nowMs } from "../base/clock.js";
import { ParameterError } from "../base/errors.js";
import { MAX_BUILTIN_BODY_BYTES } from "../base/limits.js";
import { log } from "../base/log.js";
import type { SharedState } from "../base/wire/shared-state.js";
import type { MatrixProcessor } from "../builtin/matrix-processors.js";
import type { ServerView } from "../builtin/server-view.js";
import { ForbiddenError, type Service } from "../builtin/service.js";
import { refusesChanges } from "../builtin/services/host-info.js";
import type { Verdict } from "../http/auth/authenticator.js";
import type { CrossOriginGuard } from "../http/cross-origin-guard.js";
import type { FileServer } from "../http/files.js";
import { isolationFields } from "../http/isolation.js";
import { allowedMethods, type ResourceKind } from "../http/methods.js";
import type { OperatorAuth } from "../http/operator-auth.js";
import type { PackagedFiles } from "../http/packaged-files.js";
import { HttpRejection, PAYLOAD_TOO_LARGE, TOO_MANY_CONNECTIONS } from "../http/rejections.js";
import type { Exchange, ServerEvents } from "../http/transport.js";
import { CHANGE_REQUEST_HELP, type TrustedClients } from "../http/trusted-clients.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { queryStart } from "../plugin/contract/query-text.js";
import { encodedPath } from "../plugin/contract/request-text.js";
import type { Merging } from "../plugin/run/forwarding.js";
import type { Done } from "../plugin/run/plugin-errors.js";
import type { AuditLog } from "./audit-log.js";
import type { BuiltinAccess } from "./builtin-access.js";
import { runBuiltin, runBuiltinPost } from "./builtin-call.js";
import type { BuiltinScheduler } from "./builtin-scheduler.js";
import { readGraphName } from "./builtin-scopes.js";
import type { ConsoleRequests } from "./console-requests.js";
import { exceptionMessage, unknownPlugin } from "./error-message.js";
import type { InlinePlugins } from "./inline-plugins.js";
import { KeysInProgress } from "./keys-in-progress.js";
import { type LeaderRequests, mayChange } from "./leader-requests.js";
import type { MatrixRequests } from "./matrix-requests.js";
import { misdirection } from "./misdirection.js";
import type { PluginCall, PluginRoute } from "./plugin-call.js";
import { HEALTH_PATH, type RequestAuthentication } from "./request-authentication.js";
import type { RequestRates } from "./request-rates.js";
import { isForOperators, isLarge, requestsArgspecFormat, resourceKind } from "./resource-kind.js";
import { type ResponseWriter, refusalStatus } from "./response-writer.js";
import { BUILTIN_PATH, PLUGIN_PATH, type Resource, type RouteTable } from "./route-table.js";
import type { Scheduler } from "./scheduler.js";
import { SlicedResponses } from "./sliced-responses.js";
import type { TraceSampler } from "./trace-sampler.js";

export interface EngineParts {
  readonly state: SharedState;
  readonly view: ServerView;
  readonly responses: ResponseWriter;
  readonly routes: RouteTable;
  readonly files: FileServer;
  readonly scheduler: Scheduler;
  readonly inline: InlinePlugins;
  readonly admin: BuiltinScheduler;
  readonly traces: TraceSampler;
  readonly operators: OperatorAuth;
  /** Like the guards, one for the main port and one for the admin port. */
  readonly trusted: readonly [TrustedClients, TrustedClients];
  readonly originGuards: readonly [CrossOriginGuard, CrossOriginGuard];
  readonly console: ConsoleRequests;
  readonly jquery: PackagedFiles;
  readonly auth: RequestAuthentication;
  readonly rates: RequestRates;
  readonly builtins: BuiltinAccess;
  readonly leader: LeaderRequests;
  /** Null if there is no audit log. */
  readonly audit: AuditLog | null;
  /** Null in an engine. */
  readonly matrix: MatrixRequests | null;
}

/** How a request may change graphs. */
type Change = Required<Pick<PluginCall, "isChange" | "releaseKey">>;

const NO_CHANGE: Change = { isChange: false, releaseKey: null };
const DENIED: ReadonlySet<number> = new Set([401, 403]);
const NO_PROCESSORS = { pre: null, post: null };
const POST_WITHOUT_MATRIX = "Postprocessor plugin only allowed in dispatcher context";
const NO_SUCH_NAME = "404 Not Found: no plugin has a name with an escaped slash or a bad escape";

export class RequestEngine {
  readonly #parts: EngineParts;
  /** Serial numbers start at the current microseconds since 1970 and count requests. */
  #serial = Math.floor(nowMs() * 1000);
  readonly #slow = new SlicedResponses();
  readonly #keys = new KeysInProgress();
  #stopping = false;
  #isLeaving = false;
  /** Requests on connections opened later are rejected; milliseconds since 1970. */
  #lastOpenedAtMs = Number.POSITIVE_INFINITY;
  /** The request being answered at this moment, for `/svc/inspect`. */
  current: Exchange | null = null;
  /** Callbacks of the transports, by port. */
  readonly events = [this.#createEvents(0), this.#createEvents(1)] as const;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Lets the health check report that this server will stop. */
  failHealthCheck(): void {
    this.#isLeaving = true;
  }

  /** Answers requests on new connections with 503. */
  rejectNewConnections(): void {
    this.#lastOpenedAtMs = nowMs();
  }

  /** Answers every new request with 503. */
  stop(): void {
    this.#stopping = true;
  }

  /** Answers the remaining requests when the shutdown timeout has passed. */
  rejectRemaining(): void {
    const { scheduler, admin } = this.#parts;
    for (const call of [...scheduler.rejectQueued(), ...admin.rejectQueued()]) {
      // Back-ends have already executed a request that waits for its post-processor.
      this.#serviceOut(call, call.step !== null && call.step.merged !== null);
    }
    for (const { call } of [...scheduler.calls(), ...admin.calls()]) {
      this.#serviceOut(call, true);
    }
  }

  #serviceOut({ exchange, port }: PluginCall, isBegun: boolean): void {
    const status = refusalStatus(exchange, 503, isBegun);
    this.#parts.responses.refuse(exchange, port, status, "Service Out");
  }

  #createEvents(port: 0 | 1): ServerEvents {
    return {
      onShedConnection: (client) => {
        this.#parts.view.rejections.count("connections");
        this.#parts.audit?.recordRejection(port, TOO_MANY_CONNECTIONS, client, null);
      },
      request: (exchange) => {
        this.current = exchange;
        try {
          this.#request(exchange, port);
        } catch (error) {
          log(`internal error: ${(error as Error).stack}`, "error");
          this.#parts.responses.refuse(exchange, port, 500, "Internal error in request handler");
        }
        this.current = null;
      },
      takesUpload: (target) => this.#takesUpload(target.split("?", 1)[0]!, port),
      onRejection: (rejection, client, exchange) => {
        if (port === 0) this.#parts.view.metrics.countRejection(rejection.status);
        if (port === 0) this.#parts.view.rejections.count(rejection.reason);
        this.#parts.audit?.recordRejection(port, rejection, client, exchange);
      },
      errorBody: ({ message }, accept, t0Ms) =>
        this.#parts.responses.errorBody({ accept, t0Ms }, port, message),
      onResponse: (bytesIn, bytesOut) => {
        if (port === 0) this.#parts.view.metrics.countBytes(bytesIn, bytesOut);
      },
      onConnection: (delta) => {
        if (port === 0) this.#parts.view.metrics.countConnection(delta);
      },
    };
  }

  #takesUpload(target: string, port: 0 | 1): boolean {
    const path = this.#parts.routes.resolve(target);
    const resource = path === null ? undefined : this.#resource(path, port);
    return resource?.kind === "plugin" && resource.route.takesFiles === true;
  }

  #isOver({ connection }: Exchange, path: string | null): boolean {
    if (this.#stopping || connection.openedAtMs >= this.#lastOpenedAtMs) return true;
    return this.#isLeaving && path === HEALTH_PATH;
  }

  #request(exchange: Exchange, port: 0 | 1): void {
    const { responses } = this.#parts;
    const { target, method } = exchange;
    exchange.trace = this.#parts.traces.begin(exchange);
    const mark = target.indexOf("?");
    const path = this.#parts.routes.resolve(mark < 0 ? target : target.slice(0, mark));
    if (this.#isOver(exchange, path)) return responses.refuse(exchange, port, 503, "Service Out");
    if (path === null) return responses.refuse(exchange, port, 404, NO_SUCH_NAME);
    const unsigned = port === 0 ? this.#parts.auth.acceptSignature(exchange, path) : null;
    if (unsigned !== null) return this.#reject(exchange, port, unsigned);
    const foreign = this.#parts.originGuards[port].refusal(exchange);
    if (foreign !== null) return responses.refuse(exchange, port, 403, foreign);
    const resource = this.#resource(path, port);
    const kind = resourceKind(path, resource);
    const allowed = allowedMethods(kind);
    const isPlugin = kind === "plugin" || kind === "change" || kind === "control";
    // Metrics cover the main port only.
    if (isPlugin && port === 0) this.#setCountedPlugin(exchange, path, resource);
    if (method === "OPTIONS") return responses.options(exchange, port, allowed);
    const closed = port === 0 ? this.#parts.builtins.refusal(exchange, path, resource) : null;
    if (closed !== null) return responses.refuse(exchange, port, 403, closed);
    if (!allowed.includes(method)) {
      const hint = kind === "change" ? `: ${CHANGE_REQUEST_HELP}` : "";
      return responses.refuse(exchange, port, 405, `405 Method Not Allowed${hint}`);
    }
    if (this.#isOut(path, port) && !this.#mayBypass(exchange, port)) {
      const isCounted = path !== HEALTH_PATH;
      return responses.refuse(exchange, port, 503, "Service Unavailable", { isCounted });
    }
    const verdict = this.#parts.auth.check(exchange, port, path, resource);
    if (verdict instanceof Promise) void this.#admitLater(exchange, port, path, resource, verdict);
    else this.#admit(exchange, port, path, resource, verdict);
  }

  /** Returns whether a request whose response is still being sent would be permitted now. */
  async isStillPermitted(exchange: Exchange): Promise<boolean> {
    const { routes, auth } = this.#parts;
    const path = routes.resolve(exchange.target.split("?", 1)[0]!)!;
    const verdict = await auth.checkAgain(exchange, routes.find(path));
    return verdict === null || !DENIED.has(verdict.status);
  }

  /** Answers the request of an authenticated principal, or rejects it. */
  #admit(
    exchange: Exchange,
    port: 0 | 1,
    path: string,
    resource: Resource | undefined,
    verdict: Verdict,
  ): void {
    const excess = port === 0 ? this.#parts.rates.take(exchange, path) : null;
    const rejection = excess ?? verdict ?? misdirection(exchange);
    if (rejection === null) this.#respond(exchange, port, path, resource);
    else this.#reject(exchange, port, rejection);
  }

  async #admitLater(
    exchange: Exchange,
    port: 0 | 1,
    path: string,
    resource: Resource | undefined,
    verdict: Promise<Verdict>,
  ): Promise<void> {
    const later = await verdict;
    if (!this.#isOver(exchange, path)) return this.#admit(exchange, port, path, resource, later);
    this.#parts.responses.refuse(exchange, port, 503, "Service Out");
  }

  #reject(
    exchange: Exchange,
    port: 0 | 1,
    { status, message, fields }: Pick<HttpRejection, "status" | "message" | "fields">,
  ): void {
    this.#parts.responses.refuse(exchange, port, status, message, { fields });
  }

  #respond(exchange: Exchange, port: 0 | 1, path: string, resource: Resource | undefined): void {
    const { responses } = this.#parts;
    const kind = resourceKind(path, resource);
    const refusal = this.#refusal(exchange, port, kind);
    if (refusal !== null) return responses.refuse(exchange, port, 403, refusal);
    this.#parts.audit?.admit(exchange, kind);
    const failure = port === 1 && path === HEALTH_PATH ? this.#failureReason() : null;
    if (failure !== null) return responses.refuse(exchange, port, 503, failure);
    if (this.#isDispatched(exchange, port, path, resource)) return;
    if (resource === undefined) {
      if (this.#parts.console.serve(exchange, port, path)) return;
      return this.#noResource(exchange, port, path, kind);
    }
    const isChange = this.#parts.leader.isChange(exchange, resource);
    const elsewhere = isChange ? this.#parts.leader.refusal() : null;
    if (elsewhere !== null) return this.#reject(exchange, port, elsewhere);
    const releaseKey = mayChange(exchange, resource) ? this.#keys.reserve(exchange) : null;
    if (releaseKey instanceof HttpRejection) return this.#reject(exchange, port, releaseKey);
    const isPlain = !isChange && releaseKey === null;
    const change = isPlain ? NO_CHANGE : { isChange: true, releaseKey };
    this.#respondWithResource(exchange, port, resource, change);
  }

  /** Returns why a client may not use a resource of this kind, null if it may. */
  #refusal(exchange: Exchange, port: 0 | 1, kind: ResourceKind): string | null {
    if (kind === "change") return this.#parts.trusted[port].changeRefusal(exchange);
    return kind === "control" ? this.#parts.operators.refusal(exchange) : null;
  }

  #resource(path: string, port: 0 | 1): Resource | undefined {
    const resource = this.#parts.routes.find(path);
    return port === 0 && isForOperators(resource) ? undefined : resource;
  }

  /** Sets the plugin that the metrics count the response for. */
  #setCountedPlugin(exchange: Exchange, path: string, resource: Resource | undefined): void {
    const { pluginCounters: counters } = this.#parts.view;
    // Not counted: it gets 200 for any name, so clients could fill the metrics with names.
    if (resource === undefined && exchange.method === "OPTIONS") return;
    exchange.countedPlugin = resource === undefined ? counters.forwarded(path) : counters.own(path);
  }

  /** Dispatches a request for back-ends; returns false for other requests. */
  #isDispatched(
    exchange: Exchange,
    port: 0 | 1,
    path: string,
    resource: Resource | undefined,
  ): boolean {
    const { matrix, state } = this.#parts;
    if (matrix === null) return false;
    const processor = this.#unlessOwnGraph(matrix.processors.get(path), exchange);
    // The matrix belongs to the main port; operators may query it on the admin port too.
    const isHere = port === 0 || processor?.isOnBothPorts === true;
    if (!isHere && !this.#parts.console.isForMatrix(exchange, path)) return false;
    const isPlugin = path.startsWith(PLUGIN_PATH) && resource === undefined;
    if (processor === undefined && !isPlugin && resource?.kind !== "processed") return false;
    const serial = this.#serial++;
    const { pre, post } = resource?.kind === "processed" ? resource : NO_PROCESSORS;
    const ownProcessor = processor && {
      isPrimary: processor.isPrimary,
      isFeed: processor.isFeed,
      secondRound: processor.secondRound,
      run: (partial: Uint8Array, merging: Merging, done: Done): void => {
        const { basePort } = state;
        runBuiltinPost(processor.post, exchange, basePort, serial, partial, merging, done);
      },
    };
    const mark = exchange.target.indexOf("?");
    const target = encodedPath(path) + (mark < 0 ? "" : exchange.target.slice(mark));
    const minQueue = this.#minQueue(exchange, port);
    const localProcessor = ownProcessor ?? null;
    matrix.submit({ exchange, port, target, serial, pre, post, localProcessor, minQueue });
    return true;
  }

  /** Returns no processor for queries of this instance's own graphs, which back-ends lack. */
  #unlessOwnGraph(processor: MatrixProcessor | undefined, { target }: Exchange): typeof processor {
    if (processor?.isOfGraph !== true) return processor;
    const name = readGraphName(queryStart(target));
    const isOwn = this.#parts.view.graphs().some(({ store }) => store.name === name);
    return isOwn ? undefined : processor;
  }

  /** Service-OUT closes plugins on the main port and the health check on both. */
  #isOut(path: string, port: 0 | 1): boolean {
    if (this.#parts.state.serviceIn) return false;
    if (path === HEALTH_PATH) return true;
    return port === 0 && (path.startsWith(PLUGIN_PATH) || path.startsWith(BUILTIN_PATH));
  }

  /**
   * Returns the failure that the health check of the admin port reports to monitors, null without
   * one. That of the main port does not fail, or orchestrators would kill the only process that has
   * the data.
   */
  #failureReason(): string | null {
    const { view } = this.#parts;
    const problems = [
      ["Graphs that failed to load", view.unloadable().map(({ name }) => name)],
      ["Graphs that failed to save", view.unsaved()],
      ["Changes are refused, transaction log", refusesChanges(view) ? [view.logState] : []],
    ] as const;
    const nonEmpty = problems.filter(([, names]) => names.length > 0);
    return nonEmpty.map(([problem, names]) => `${problem}: ${names.join(", ")}`).join("; ") || null;
  }

  #respondWithResource(exchange: Exchange, port: 0 | 1, resource: Resource, change: Change): void {
    switch (resource.kind) {
      case "plugin":
        if (change.releaseKey === null && this.#parts.inline.canRun(resource.route, exchange)) {
          return this.#parts.inline.run(exchange, port, resource.route, this.#serial++);
        }
        return this.#submit(this.#parts.scheduler, exchange, port, port, resource.route, change);
      case "admin":
        return this.#submit(this.#parts.admin, exchange, port, 1, resource.route, change);
      case "builtin":
        if (resource.route === null || !isLarge(exchange)) {
          return this.#runBuiltin(exchange, port, resource.entry);
        }
        if (this.#isTooLarge(exchange, port)) return;
        return this.#submit(this.#parts.admin, exchange, port, 1, resource.route);
      case "argspec":
        if (!requestsArgspecFormat(queryStart(exchange.target))) {
          return this.#runBuiltin(exchange, port, resource.entry);
        }
        return this.#submit(this.#parts.admin, exchange, port, 1, resource.route);
      case "service":
        return this.#callService(exchange, port, resource.service, queryStart(exchange.target));
      case "processed":
        return this.#submitPre(exchange, port, resource.pre);
    }
  }

  /** Runs a pre-processor without back-ends: it can still answer by itself. */
  #submitPre(exchange: Exchange, port: 0 | 1, plugin: PluginRoute | null): void {
    const { responses, scheduler } = this.#parts;
    if (plugin === null) return responses.refuse(exchange, port, 500, POST_WITHOUT_MATRIX);
    this.#submit(scheduler, exchange, port, port, plugin);
  }

  /** Only trusted clients may bypass Service-OUT and choose executors. */
  #mayBypass(exchange: Exchange, port: 0 | 1): boolean {
    const { headers, isWarmUp } = exchange;
    return isWarmUp || (headers.bypassServiceOut && this.#parts.trusted[port].isTrusted(exchange));
  }

  #minQueue(exchange: Exchange, port: 0 | 1): number {
    const { minQueue } = exchange.headers;
    return minQueue > 0 && this.#parts.trusted[port].isTrusted(exchange) ? minQueue : 0;
  }

  #submit(
    scheduler: Scheduler | BuiltinScheduler,
    exchange: Exchange,
    port: 0 | 1,
    slots: 0 | 1,
    plugin: PluginRoute,
    { isChange, releaseKey } = NO_CHANGE,
  ): void {
    const minQueue = this.#minQueue(exchange, port);
    // Queries of untrusted clients are limited.
    const { admin, trusted } = this.#parts;
    const isTrusted = scheduler === admin && trusted[port].isTrusted(exchange);
    // Written out: spreading parts of it costs 2 µs, a seventh of a request.
    const isSubmitted = scheduler.submit({
      exchange,
      port,
      slots,
      plugin,
      serial: this.#serial++,
      minQueue,
      isChange,
      releaseKey,
      isTrusted,
      step: null,
      submittedAt: 0,
      limitedClient: null,
      turn: 0,
    });
    if (!isSubmitted) this.#reject(exchange, port, this.#parts.leader.lateRefusal());
  }

  /** Submits a job to the slots of the admin port, which clients rarely fill. */
  submitJob(exchange: Exchange, plugin: PluginRoute): void {
    this.#submit(this.#parts.scheduler, exchange, 1, 1, plugin);
  }

  #noResource(exchange: Exchange, port: 0 | 1, path: string, kind: ResourceKind): void {
    if (kind === "plugin") {
      const name = path.slice(path.indexOf("/", "/svc/".length) + 1);
      return this.#parts.responses.refuse(exchange, port, 404, unknownPlugin(name));
    }
    if (kind === "service") {
      const text = "404 Not Found: unknown service or file";
      return this.#parts.responses.refuse(exchange, port, 404, text);
    }
    if (this.#parts.jquery.serve(exchange, path)) return;
    const refuse = (status: number, message: string, fields = "") =>
      this.#parts.responses.refuse(exchange, port, status, message, { fields });
    this.#parts.files.serve(exchange, path, refuse, isolationFields(port));
  }

  #isTooLarge(exchange: Exchange, port: 0 | 1): boolean {
    if (exchange.body === null || exchange.body.length <= MAX_BUILTIN_BODY_BYTES) return false;
    const { status, message } = PAYLOAD_TOO_LARGE;
    this.#parts.responses.refuse(exchange, port, status, message);
    return true;
  }

  #runBuiltin(exchange: Exchange, port: 0 | 1, entry: PluginEntry): void {
    if (this.#isTooLarge(exchange, port)) return;
    const { basePort } = this.#parts.state;
    runBuiltin(entry, exchange, port, basePort, this.#serial++, (status, kind, payload) =>
      this.#parts.responses.result(exchange, port, 0, status, kind, payload),
    );
  }

  #callService(exchange: Exchange, port: 0 | 1, service: Service, query: string): void {
    const { responses, view } = this.#parts;
    let text: string | Iterable<string> | Promise<string>;
    try {
      const isTrusted = this.#parts.trusted[port].isTrusted(exchange);
      text = service.handle(view, { exchange, query, portOffset: port, isTrusted });
    } catch (error) {
      if (error instanceof ForbiddenError) {
        return responses.refuse(exchange, port, 403, error.message);
      }
      if (!(error instanceof ParameterError)) throw error;
      const message = exceptionMessage("svc", error.exceptionName, error.message);
      return responses.refuse(exchange, port, 400, message);
    }
    const fields = service.fields?.(view) ?? "";
    if (typeof text === "string") return responses.service(exchange, port, service, text, fields);
    if (text instanceof Promise) {
      text.then(
        (later) => responses.service(exchange, port, service, later),
        (error: Error) => responses.refuse(exchange, port, 503, error.message),
      );
      return;
    }
    this.#slow.render(text, (pieces) => responses.slowService(exchange, port, service, pieces));
  }
}
