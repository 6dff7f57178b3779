// The running HTTP service as the main thread sees it: starts, supervises and configures the
// threads. One object per start; a restart creates another.

import { MessageChannel } from "node:worker_threads";
import { ERROR_CODES } from "../base/error-codes.js";
import { isInstallationCorrupt } from "../base/installation.js";
import { WARM_UP_MS } from "../base/limits.js";
import { log, onDroppedWrites } from "../base/log.js";
import { recordEvent } from "../base/recent-events.js";
import { SharedState } from "../base/wire/shared-state.js";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { NodeState } from "../builtin/server-view.js";
import { openFileLimit } from "../dispatch/descriptor-limit.js";
import type { RequestHold } from "../dispatch/held-requests.js";
import type { BuiltinExecutor } from "../engine/builtin-scheduler.js";
import type { ExecutorPort, IoNotification, Listening } from "../engine/io-control.js";
import type { SharedGraph } from "../graph/manager/graph-source.js";
import { executorThread } from "../graph/manager/thread-numbers.js";
import { Metrics } from "../metrics/metrics.js";
import { measureMainThread } from "../metrics/thread-gauges.js";
import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import { hasJobs, type PluginList, type PluginTable } from "../plugin/contract/plugin-table.js";
import { parseShared, type SharedArgspec } from "../plugin/contract/shared-argspec.js";
import { showStackTraces } from "../plugin/contract/stack-trace.js";
import { warmUpTargets } from "../plugin/register/warm-up-targets.js";
import { readMatrixConfig } from "../settings/matrix-config.js";
import type { ServerSettings } from "../settings/server-settings.js";
import { STARTING } from "../system/call-admin-operation.js";
import { descriptorHash } from "../system/descriptor-hash.js";
import { type ExecutorBounds, ExecutorPool } from "./executor-pool.js";
import type { GraphSupervisor } from "./graph-supervisor.js";
import { InlineWatchdog } from "./inline-watchdog.js";
import { IoThread } from "./io-thread.js";
import type { StartIo } from "./io-worker.js";
import { Lease } from "./lease.js";
import { ServiceState } from "./service-state.js";
import { isFdExhausted } from "./start-thread.js";

/** Minimum time for stop functions. */
const MIN_STOP_FUNCTION_MS = 1000;

/** Plugins that run in the main thread, added by `addPlugin`. */
export interface MainPlugins {
  /** Entries by plugin number; numbers are not reused. */
  entries(): readonly (PluginEntry | undefined)[];
  table(): PluginTable;
}

/** Executes an operation; `after` runs once the client has its response. */
export type Operator = (operation: string, args: ControlArguments) => Promise<OperationResult>;

export interface OperationResult {
  readonly value: unknown;
  readonly after?: () => void;
}

export class HttpService {
  readonly settings: ServerSettings;
  readonly metrics: Metrics;
  /** Lease of the running operator procedure. */
  readonly lease = new Lease(
    (lease) => this.#updateNode({ lease }),
    // A killed run cannot release the requests itself.
    () => void this.releaseRequests(),
  );
  readonly #state: SharedState;
  readonly #service: ServiceState;
  readonly #adminStates: readonly [quick: SharedState, long: SharedState];
  readonly #graphs: GraphSupervisor;
  readonly #io: IoThread;
  readonly #pool: ExecutorPool;
  readonly #inline: InlineWatchdog;
  #listening: Listening | null = null;
  #name: string | null;
  /** Argspec of the plugins in service; null until there are any. */
  #argspec: SharedArgspec | null = null;
  #node: NodeState;
  #operator: Operator | null = null;
  #dispatcher: object | null;

  private constructor(settings: ServerSettings, graphs: GraphSupervisor, startIo?: StartIo) {
    this.settings = settings;
    this.#name = settings.name;
    this.#dispatcher = settings.dispatcher;
    this.#node = initialNodeState(settings);
    this.metrics = new Metrics();
    measureMainThread();
    onDroppedWrites(() => this.metrics.countLostLogWrite());
    this.#state = new SharedState();
    this.#service = new ServiceState(this.#state, this.#node.outReason, (outReason) =>
      this.#updateNode({ outReason }),
    );
    this.#adminStates = [new SharedState(), new SharedState()];
    this.#graphs = graphs;
    const state = this.#state.buffer;
    const [quick, long] = this.#adminStates;
    const metrics = this.metrics.buffer;
    this.#io = new IoThread(
      {
        ...{ settings, state, adminStates: [quick.buffer, long.buffer], metrics },
        ...{ node: this.#node, adminKey: settings.adminKey },
        ...{ clock: graphs.clock.buffer, traffic: graphs.traffic.buffer },
      },
      (notice) => this.#onNotice(notice),
      (error) => {
        log(`the IO thread died: ${causeOfDeath(error)}`, "error");
        process.exit(1);
      },
      startIo,
    );
    this.#inline = new InlineWatchdog(this.#state, (problem, plugin) => {
      log(`${problem}: shutting down`, "error", { plugin });
      process.exit(1);
    });
    const { projectDir, stackTraces, root, dispatcherKey: sharedKey } = settings;
    this.#pool = new ExecutorPool(
      { projectDir, stackTraces, cursorKey: { root, sharedKey }, state, metrics },
      executorBounds(settings),
      this.metrics,
      {
        execute: (command) => graphs.execute(command),
        algorithms: (port) => graphs.algorithms.serve(port),
        onExit: (id) => graphs.recover(executorThread(id)),
        onDeath: (id) => this.#io.executorDied(id),
        onReplacement: (died, executor) => this.#io.replaceExecutor(died, executor),
        onCrashLoop: () => this.#service.crashLoop(),
        onRecovery: () => this.#service.recovered(),
      },
    );
  }

  /**
   * Starts both servers with executor threads that run the built plugins.
   * @param startIo starts the IO thread; default: a worker thread
   * @throws SvcError SVC2201 if plugins cannot be loaded, SVC2202 if a port cannot be bound
   */
  static async startWithWorkers(
    settings: ServerSettings,
    table: PluginTable,
    graphs: GraphSupervisor,
    startIo?: StartIo,
  ): Promise<HttpService> {
    const service = new HttpService(settings, graphs, startIo);
    await service.#start(() => service.#startExecutors(table));
    await service.#warmUp(table);
    service.#service.started();
    return service;
  }

  /**
   * Starts both servers with the main thread as the only executor.
   * @throws SvcError SVC2202 if a port cannot be bound
   */
  static async startInMain(
    settings: ServerSettings,
    plugins: MainPlugins,
    graphs: GraphSupervisor,
  ): Promise<HttpService> {
    const service = new HttpService(settings, graphs);
    const { port1, port2 } = new MessageChannel();
    showStackTraces(settings.stackTraces);
    // Imported here, because under `svc serve` the main thread runs no plugins.
    const { Executor } = await import("../engine/executor.js");
    new Executor(0, port1, service.#state, () => plugins.entries());
    await service.#start(() =>
      service.#setExecutors([{ id: 0, port: port2 }], plugins.table(), null),
    );
    service.#service.started();
    return service;
  }

  /** Binds the ports while the executors load: a start takes as long as the slower of the two. */
  async #start(startExecutors: () => Promise<void>): Promise<void> {
    const listening = this.#io.listen();
    const results = await Promise.allSettled([listening, startExecutors()]);
    try {
      for (const result of results) if (result.status === "rejected") throw result.reason;
      this.#listening = await listening;
      this.#listenToGraphs();
    } catch (error) {
      this.#inline.close();
      await Promise.all([this.#io.kill(), this.#pool.close()]);
      throw error;
    }
  }

  #listenToGraphs(): void {
    this.#graphs.setListener({
      onOpen: (graph) => void this.#io.addGraph(graph).catch(logUnattached(graph)),
      onUnloadable: (graphs) => void this.#io.setUnloadable(graphs),
      onAlgorithms: (report) => void this.#io.setAlgorithms(report),
      onReadiness: (notReady) => this.#service.setNotReady(notReady),
      onAdminDeath: (executor) => void this.#io.adminDied(executor),
      onAdminStart: (executor) => this.#connectAdmin(executor),
    });
  }

  /** Calls the documented examples of plugins; failures do not fail the start. */
  async #warmUp({ argspec, routes }: PluginTable): Promise<void> {
    if (!this.settings.warmUp || this.settings.dispatcher !== null) return;
    const targets = warmUpTargets(parseShared(argspec), routes);
    if (targets.length === 0) return;
    try {
      await this.#service.warmUp(() => this.#io.warmUp(targets, WARM_UP_MS));
    } catch (error) {
      log(`warm-up failed: ${(error as Error).message}`, "warn");
    }
  }

  /** Main port; the admin port is the next one. */
  get port(): number {
    return this.#listening!.port;
  }

  /** Name of the transport, and why it was chosen. */
  get transport(): { readonly name: string; readonly reason: string } {
    return { name: this.#listening!.transport, reason: this.#listening!.reason };
  }

  /** Service-IN or Service-OUT (http-interface, "States and transitions"). */
  get serviceIn(): boolean {
    return this.#service.isIn;
  }

  /** @throws SvcError SVC3401 while the graphs are not caught up */
  set serviceIn(on: boolean) {
    if (on) this.#service.enter();
    else this.#service.leave("program");
  }

  /** Goes Service-IN with the graphs as they are, until the restart. */
  forceService(): void {
    this.#service.force();
  }

  /** Goes Service-OUT for a reason. */
  leaveService(reason: string): void {
    this.#service.leave(reason);
  }

  /** Current state of the instance in its system. */
  get node(): NodeState {
    return this.#node;
  }

  setNode(changes: Partial<NodeState>): void {
    this.#updateNode(changes);
  }

  /** The matrix of back-ends; null: none. */
  get dispatcher(): object | null {
    return this.#dispatcher;
  }

  /**
   * Replaces the matrix at run time.
   * @throws ArgumentError if it is invalid, SvcError SVC2800 if too few partitions would be alive
   */
  async setDispatcher(dispatcher: object): Promise<void> {
    readMatrixConfig(dispatcher, openFileLimit());
    await this.#io.setMatrix(dispatcher);
    this.#dispatcher = dispatcher;
  }

  /**
   * Holds requests for back-ends, at the latest until the lease ends; returns how many are still
   * running.
   */
  holdRequests(hold: RequestHold): Promise<number> {
    return this.#io.hold(hold);
  }

  /** Sends the held requests. */
  releaseRequests(): Promise<void> {
    return this.#io.release();
  }

  /** Runs a job now. @throws Error if it is unknown or already running */
  runJob(name: string): Promise<void> {
    return this.#io.runJob(name);
  }

  /** Sets the handler of admin operations. */
  setOperator(operator: Operator): void {
    this.#operator = operator;
  }

  #updateNode(changes: Partial<NodeState>): void {
    this.#node = { ...this.#node, ...changes };
    void this.#io.setNode(this.#node);
  }

  async #operate(number: number, operation: string, args: ControlArguments): Promise<void> {
    let after: (() => void) | undefined;
    try {
      if (this.#operator === null) throw new Error(STARTING);
      const result = await this.#operator(operation, args);
      after = result.after;
      await this.#io.controlled(number, { value: result.value });
    } catch (error) {
      await this.#io.controlled(number, { failure: (error as Error).message });
    }
    after?.();
  }

  /** Changes the service name shown by the status services. */
  rename(name: string): Promise<void> {
    this.#name = name;
    this.#publishArgspec();
    return this.#io.rename(name);
  }

  /** Updates the plugins added or removed in the main thread. */
  setPlugins(list: PluginList): Promise<void> {
    return this.#io.setPlugins(list);
  }

  /** Updates the argspec of these plugins. */
  setArgspec(argspec: SharedArgspec): Promise<void> {
    this.#argspec = argspec;
    this.#publishArgspec();
    return this.#io.setArgspec(argspec.hash);
  }

  /**
   * Puts the current build into service. Running requests keep the earlier one; a failure leaves it
   * in service.
   * @throws SvcError SVC2201 if the new plugins cannot be loaded
   */
  async reload(table: PluginTable): Promise<void> {
    await this.#startExecutors(table);
    this.#publishArgspec();
    recordEvent("build", "new build in service");
  }

  /** Responds to new requests with 503, drains running ones up to the timeout, then closes. */
  async stop(): Promise<void> {
    this.#graphs.setListener(null);
    await this.#io.stop(this.settings.shutdownTimeoutSeconds * 1000);
    this.#inline.close();
    await this.#pool.close();
  }

  /**
   * Connects an executor of built-in plugins that need graphs.
   * @throws SvcError SVC2206 if its thread must start and the address space is insufficient
   */
  #connectAdmin(executor: BuiltinExecutor): void {
    const { port1, port2 } = new MessageChannel();
    const { stackTraces } = this.settings;
    const { buffer: state } = this.#adminStates[executor];
    this.#graphs.serve(executor, { port: port1, state, stackTraces });
    // It needs the argspec before the first request.
    this.#publishArgspec();
    void this.#io.setAdmin(executor, port2);
  }

  #startAdmin(executor: BuiltinExecutor): void {
    try {
      this.#connectAdmin(executor);
    } catch (error) {
      const subject = executor === 0 ? "built-in plugins" : "long queries";
      log(`${subject} cannot run: ${(error as Error).message}`, "error");
    }
  }

  #startExecutors(table: PluginTable): Promise<void> {
    const { executors, inline, projectDir } = this.settings;
    return this.#pool.start(executors, table.routes, (started) => {
      return this.#setExecutors(started, table, inline ? projectDir : null);
    });
  }

  /** @throws DataError if there are jobs, and another process uses the data folder */
  async #setExecutors(
    executors: readonly ExecutorPort[],
    table: PluginTable,
    inlineDir: string | null,
  ): Promise<void> {
    // The state of jobs is in the data folder.
    if (hasJobs(table.routes)) this.#graphs.root.acquire();
    this.#argspec = table.argspec;
    if (inlineDir !== null) this.#inline.watch(table.routes);
    return this.#io.setExecutors(executors, table, inlineDir);
  }

  /** Sends the plugins' argspec to the long-query executor once it serves. */
  #publishArgspec(): void {
    if (this.#listening === null || this.#argspec === null) return;
    const { prefix, auth } = this.settings;
    const authenticated = auth.length > 0 && { authenticated: true as const };
    const service = { name: this.#name, prefix, ...authenticated };
    this.#graphs.describe({ service, shared: this.#argspec });
  }

  #onNotice(notice: IoNotification): void {
    switch (notice.notice) {
      case "retired":
        return void this.#pool.retire(notice.executor);
      case "terminate":
        return this.#pool.terminate(notice.executor, notice.reason);
      case "control":
        return void this.#operate(notice.number, notice.operation, notice.args);
      case "terminateAdmin":
        return this.#graphs.terminateAdmin(notice.executor, notice.reason);
      case "startAdmin":
        return this.#startAdmin(notice.executor);
    }
  }
}

function executorBounds(settings: ServerSettings): ExecutorBounds {
  const { executorHeapMiB, loadTimeoutMs, onStart, onStop, shutdownTimeoutSeconds } = settings;
  const functions = [...Object.values(onStart), ...Object.values(onStop)];
  return {
    heapMb: executorHeapMiB,
    loadTimeoutMs,
    hasFunctions: functions.some((reference) => reference !== null),
    hasInstanceStart: onStart.instance !== null,
    stopTimeoutMs: Math.max(MIN_STOP_FUNCTION_MS, shutdownTimeoutSeconds * 1000),
  };
}

function initialNodeState({ node, build, servicein }: ServerSettings): NodeState {
  return {
    id: node?.id ?? null,
    descriptor: node?.descriptor ?? null,
    descriptorHash: node === null ? null : descriptorHash(node.descriptor),
    build,
    outReason: servicein ? null : "start",
    lease: null,
  };
}

/** Executors use the graph; only services that describe it lack it. */
function logUnattached({ share }: SharedGraph): (error: Error) => void {
  return ({ message }) =>
    log(`services do not describe graph "${share.name}": cannot attach to it: ${message}`, "error");
}

/** An executor ends a start with the same codes and remedies; either can be the first. */
function causeOfDeath({ message, stack }: Error): string {
  if (isFdExhausted(message)) return `SVC3093: ${message}. ${ERROR_CODES.SVC3093.fix}`;
  if (isInstallationCorrupt()) return `SVC3094: ${message}. ${ERROR_CODES.SVC3094.fix}`;
  return stack ?? message;
}
