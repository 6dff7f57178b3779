// The library's `system`: starts, stops and queries the one HTTP service of this process
// (http-interface, "Management operations"). Plugins passed to `addPlugin` run in the main thread:
// a blocking call delays all others, and a plugin that exits the process stops the service.

import { resolve } from "node:path";
import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import { configureLog } from "../base/log-settings.js";
import { descriptions as builtinPlugins } from "../builtin/.generated/descriptions.js";
import { descriptions as graphPlugins } from "../builtin/.generated/graph/descriptions.js";
import { readHost } from "../builtin/host.js";
import { openFileLimit } from "../dispatch/descriptor-limit.js";
import { installBackgroundRunner } from "../graph/api/algorithm-entry-points.js";
import { bindGraphs } from "../graph/api/bind-graphs.js";
import { installThreadGraphs } from "../graph/manager/installed-graphs.js";
import { ThreadGraphs } from "../graph/manager/thread-graphs.js";
import { MAIN_THREAD } from "../graph/manager/thread-numbers.js";
import type { Control } from "../interconnect/control.js";
import { createTransactionOpener } from "../interconnect/log/graph-transactions.js";
import { type ServerMetrics, serverMetrics } from "../metrics/server-metrics.js";
import type { PluginDescription } from "../plugin/contract/plugin-entry.js";
import { type AddPluginArguments, addPlugin } from "../plugin/register/add-plugin.js";
import { registry } from "../plugin/register/registry.js";
import { setGraphBinder } from "../plugin/run/graph-binding.js";
import { readAdminKey, readDispatcherKey } from "../settings/admin-key.js";
import { readMatrixConfig } from "../settings/matrix-config.js";
import { expected } from "../settings/rules.js";
import {
  checkSetting,
  checkSettings,
  type GraphSettings,
  type InitializeSettings,
  requireOptions,
  resolveAddress,
  type ServerSettings,
  type StartSettings,
} from "../settings/server-settings.js";
import { operate } from "./control-operations.js";
import { GraphSupervisor } from "./graph-supervisor.js";
import { HttpService } from "./http-service.js";
import type { ServerOwner } from "./operation.js";
import { ReplicatingSystem } from "./replicating-system.js";
import { type RunOptions, runUntilSignal } from "./run-server.js";

/** Optional arguments of `startHTTP` by name. */
export type StartOptions = StartSettings;

/** Options of `initialize`. */
export interface InitializeOptions extends StartSettings, InitializeSettings {
  /** Main port; without it no server is started. */
  readonly http?: number | undefined;
  /** Whether expiry starts paused, as with `events: "paused"`. */
  readonly idle?: boolean | undefined;
}

type StartArguments =
  | [options?: StartOptions]
  | [ip?: string | null, prefix?: string | null, servicein?: boolean, dispatcher?: object | null];

/** The system of this process, exported as `system`. */
class System extends ReplicatingSystem {
  #name: string | null = null;
  #isInitialized = false;
  #service: HttpService | null = null;
  #graphs: GraphSupervisor | null = null;
  /** Settings of the process, from `initialize`. */
  #graphSettings = graphSettings({});
  #isChanging = false;
  #isPublishing = false;

  constructor() {
    super();
    registry.onChange(() => this.#publishPlugins());
  }

  /**
   * Initializes the system, after which plugins can be added and graphs opened, and starts the HTTP
   * service if a port is given. Graphs stored in the data folder are loaded.
   * @param name service name, as `/svc/status` shows it
   * @throws SvcError like `startHTTP`; SVC2203 if already initialized, SVC2409 if another process
   *   uses the data folder
   */
  async initialize(name: string, http: number | InitializeOptions = {}): Promise<void> {
    const options = typeof http === "number" ? { http } : http;
    if (typeof name !== "string" || name === "") {
      throw new SvcError("SVC2205", "system name is required");
    }
    if (this.#graphs !== null) throw new SvcError("SVC2203", "system is already initialized");
    requireOptions(options, ["start", "initialize"], ["http", "idle"]);
    const previous = [this.#name, this.#graphSettings] as const;
    this.#graphSettings = graphSettings(options);
    configureLog(
      checkSetting("logFormat", options.logFormat ?? undefined),
      checkSetting("logLevel", options.logLevel ?? undefined),
    );
    this.#name = name;
    try {
      await this.#openGraphs();
      this.#isInitialized = true;
      if (options.http !== undefined) await this.#start(options.http, options);
    } catch (error) {
      // The system can be initialized again with other arguments.
      await this.unload();
      [this.#name, this.#graphSettings] = previous;
      throw error;
    }
  }

  isInitialized(): boolean {
    return this.#isInitialized;
  }

  /**
   * Starts both servers and resolves once both listen; initializes the system if necessary.
   * @param port main port; the admin port is the next one; 0 picks a free pair
   * @throws SvcError SVC2203 if running, SVC2205 for an invalid argument, SVC2202 if a port cannot
   *   be bound
   */
  async startHTTP(port: number, ...optional: StartArguments): Promise<void> {
    const options = startOptions(optional);
    requireOptions(options, ["start"]);
    await this.#start(port, options);
  }

  async #start(port: number, options: StartOptions): Promise<void> {
    const settings = await this.#settings(port, options);
    const graphs = this.#graphs ?? (await this.#openGraphs());
    this.#isInitialized = true;
    await this.#change(null, () => this.#serve(settings, graphs));
  }

  /** Drains running requests and closes both ports. */
  async stopHTTP(): Promise<void> {
    const service = this.#running();
    await this.#change(service, async () => {
      await service.stop();
      this.#service = null;
    });
  }

  /** Restarts with the same arguments, Service-OUT. */
  async restartHTTP(): Promise<void> {
    const service = this.#running();
    const settings = { ...service.settings, port: service.port, servicein: false };
    await this.#change(service, async () => {
      await service.stop();
      this.#service = null;
      await this.#serve(settings, this.#graphs!);
    });
  }

  /**
   * Stops the server, if any, and closes all graphs.
   * @param persist save them first
   */
  async unload(persist = false): Promise<void> {
    if (this.#service !== null) await this.stopHTTP();
    installThreadGraphs(null);
    setGraphBinder(null);
    installBackgroundRunner(null);
    await this.#graphs?.close({ isSaved: persist });
    this.#graphs = null;
    this.#isInitialized = false;
  }

  /** Enables plugin execution, or disables it (503). */
  serviceInHTTP(serviceIn: boolean | number = true): void {
    this.#running().serviceIn = Boolean(serviceIn);
  }

  /** Returns the matrix of back-ends; null for an engine. */
  dispatcherConfig(): object | null {
    return this.#service?.dispatcher ?? null;
  }

  /**
   * Returns the performance of the main port.
   * @param percentiles of the latency, each above 0 and below 100
   * @throws ParameterError for other percentiles
   */
  serverMetrics(percentiles: readonly number[]): ServerMetrics {
    const { metrics, serviceIn } = this.#running();
    return serverMetrics(metrics, serviceIn, percentiles);
  }

  serverPorts(): { readonly base: number; readonly admin: number } {
    const { port } = this.#running();
    return { base: port, admin: port + 1 };
  }

  /** Returns the name of this machine and its address. */
  serverHost(): { readonly host: string; readonly ip: string } {
    const { name, ip } = readHost(this.#service?.settings.ip ?? null);
    return { host: name, ip };
  }

  /** Returns the service prefix as a path; null: none. */
  serverPrefix(): string | null {
    return this.#running().settings.prefix;
  }

  /** Returns the address of the admin server as known internally. */
  serverAdminIP(): string {
    const { adminIp, ip } = this.#running().settings;
    return readHost(adminIp ?? ip).ip;
  }

  /** Returns the requests per second of the main port. */
  requestRate(): number {
    return this.#running().metrics.requestRate();
  }

  /** Resets all HTTP metrics to zero. */
  resetMetrics(): void {
    this.#running().metrics.reset();
  }

  /**
   * Registers a plugin, replacing one of the same name.
   * @throws PluginError before the system is initialized; ArgumentError for incompatible arguments
   */
  addPlugin(...args: AddPluginArguments): void {
    addPlugin(this.#isInitialized ? registry : null, ...args);
  }

  /** Removes the plugins of a name; returns false if there are none. */
  removePlugin(name: string): boolean {
    return registry.remove(name);
  }

  /** Returns description records of the added plugins, sorted by path. */
  getPlugins(name?: string): PluginDescription[] {
    return registry.describe(name);
  }

  /** Returns description records of the built-in plugins, sorted by path. */
  getBuiltins(name?: string): PluginDescription[] {
    return [...builtinPlugins, ...graphPlugins]
      .filter(({ path }) => name === undefined || path.endsWith(`/${name}`))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /**
   * Serves until a termination signal, then shuts down in order.
   * @param name service name from now on
   * @throws SvcError SVC2204 if no server was started
   */
  async runServer(name?: string | RunOptions, options: RunOptions = {}): Promise<void> {
    const service = this.#running();
    const runOptions = typeof name === "object" ? name : { ...options, ...(name && { name }) };
    if (runOptions.name !== undefined) {
      this.#name = runOptions.name;
      await service.rename(runOptions.name);
    }
    await runUntilSignal(runOptions);
    await this.stopHTTP();
  }

  protected async control(control: Control): Promise<unknown> {
    const graphs = this.#graphs ?? (await this.#openGraphs());
    return graphs.control(control);
  }

  /** Publishes changes at once, but computes the argspec once for all changes of a turn. */
  #publishPlugins(): void {
    void this.#service?.setPlugins(registry.list());
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    queueMicrotask(() => {
      this.#isPublishing = false;
      void this.#service?.setArgspec(registry.argspec());
    });
  }

  async #serve(settings: ServerSettings, graphs: GraphSupervisor): Promise<void> {
    const service = await HttpService.startInMain(settings, registry, graphs);
    this.#service = service;
    const parts = { service, graphs, owner: this.#owner };
    service.setOperator((operation, args) => operate(parts, operation, args));
    // Plugins may have been added while the service started.
    this.#publishPlugins();
  }

  /** Admin operations that act on the program around the service. */
  readonly #owner: ServerOwner = {
    reload: () =>
      Promise.reject(new Error("plugins of a program cannot be reloaded: restart the process")),
    restart: (dispatcher) => this.#restart(dispatcher).catch(logFailure),
    shutdown: () => process.kill(process.pid, "SIGTERM"),
  };

  async #restart(dispatcher: object | null): Promise<void> {
    const service = this.#running();
    const { node, port, serviceIn: servicein } = service;
    const previousSettings = { ...service.settings, port, servicein };
    await this.#change(service, async () => {
      await service.stop();
      this.#service = null;
      try {
        await this.#serve({ ...previousSettings, dispatcher }, this.#graphs!);
      } catch (error) {
        logFailure(error as Error);
        await this.#serve(previousSettings, this.#graphs!);
      }
      const { id, descriptor, descriptorHash } = node;
      this.#running().setNode({ id, descriptor, descriptorHash });
    });
  }

  #running(): HttpService {
    if (this.#service === null) throw new SvcError("SVC2204", "server was not running");
    return this.#service;
  }

  async #openGraphs(): Promise<GraphSupervisor> {
    const graphs = new GraphSupervisor(this.#graphSettings);
    this.#graphs = graphs;
    const threadGraphs = new ThreadGraphs(
      MAIN_THREAD,
      graphs,
      createTransactionOpener(this.#graphSettings.root),
    );
    installThreadGraphs(threadGraphs);
    setGraphBinder(bindGraphs(threadGraphs));
    installBackgroundRunner(graphs.algorithms);
    // Replication starts before the program can change the graphs of a replica.
    await graphs.recovered;
    await graphs.loaded;
    return graphs;
  }

  /** Runs one change of the service at a time. */
  async #change(expected: HttpService | null, change: () => Promise<void>): Promise<void> {
    if (this.#isChanging) throw new SvcError("SVC2203", "HTTP Server is starting or stopping");
    if (expected === null && this.#service !== null) {
      throw new SvcError("SVC2203", `HTTP Server already running on port ${this.#service.port}`);
    }
    this.#isChanging = true;
    try {
      await change();
    } finally {
      this.#isChanging = false;
    }
  }

  async #settings(port: unknown, options: StartOptions): Promise<ServerSettings> {
    const values: Readonly<Record<string, unknown>> = {
      ...options,
      ...this.#graphSettings,
      // In graph settings, `ip` is where replication listens; a program cannot set it.
      ip: options.ip,
      name: this.#name,
    };
    // A program may pass null for every omitted setting except the port.
    const settings = checkSettings((name) => {
      return name === "port" ? (port ?? null) : (values[name] ?? undefined);
    });
    if (settings.dispatcher !== null) readMatrixConfig(settings.dispatcher, openFileLimit());
    return {
      ...settings,
      projectDir: resolve("."),
      ip: await resolveAddress(settings.ip),
      adminIp: await resolveAddress(settings.adminIp),
      executors: 1,
      ...{ node: null, slots: null, build: null, adminKey: readAdminKey(settings.adminKeyFile) },
      dispatcherKey: readDispatcherKey(settings.dispatcherKeyFile),
      leadership: null,
    };
  }
}

function logFailure({ message }: Error): void {
  log(`restart failed: ${message}`, "error");
}

/** Saving and logging are off by default: a program may only want to read the graphs. */
function graphSettings(options: InitializeOptions): GraphSettings {
  const { idle = false } = options;
  if (typeof idle !== "boolean") {
    throw new SvcError("SVC2205", `invalid idle: ${expected("true or false", idle)}`);
  }
  const events = checkSetting("events", options.events ?? undefined);
  return {
    root: resolve(checkSetting("root", options.root ?? undefined)),
    graphs: {},
    readonly: checkSetting("readonly", options.readonly ?? undefined),
    events: idle && events !== false ? "paused" : events,
    saveEvery: checkSetting("saveEvery", options.saveEvery ?? 0),
    durability: checkSetting("durability", options.durability ?? "off"),
    retainLogBytes: checkSetting("retainLogBytes", options.retainLogBytes),
    txPort: checkSetting("txPort", options.txPort ?? null),
    followStream: checkSetting("followStream", options.followStream ?? null),
    txKeyFile: checkSetting("txKeyFile", options.txKeyFile ?? null),
    archive: checkSetting("archive", options.archive ?? null),
    ...{ ip: null, attach: [], publishStream: null, slots: null, leadership: null },
  };
}

function startOptions(args: StartArguments): StartOptions {
  const [first, prefix, servicein, dispatcher] = args;
  if (typeof first === "object" && first !== null) return first;
  return {
    ip: first ?? null,
    prefix: prefix ?? null,
    servicein: servicein ?? true,
    dispatcher: dispatcher ?? null,
  };
}

export type { System };
/** The system of this process (http-interface, "Management operations"). */
export const system = new System();
