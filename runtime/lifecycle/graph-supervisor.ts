// Registry of the graphs of the process, in the main thread: graphs outlive all threads except this
// one. The interconnect thread creates and owns graphs; other threads request them here.

import type { AlgorithmReport } from "../base/algorithm-report.js";
import { installSlots } from "../base/instance-slots.js";
import { KeptSlots } from "../base/kept-slots.js";
import { ignoreBrokenPipe, log } from "../base/log.js";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { UnloadableGraph } from "../builtin/server-view.js";
import type { BuiltinExecutor } from "../engine/builtin-scheduler.js";
import { CommitClock } from "../graph/manager/commits.js";
import type { GraphCompactor } from "../graph/manager/graph-compactor.js";
import { graphEngine, loadGraphEngine } from "../graph/manager/graph-engine.js";
import type { RecoveredGraphs } from "../graph/manager/graph-manager.js";
import { GraphRegistry } from "../graph/manager/graph-registry.js";
import { GraphRoot } from "../graph/manager/graph-root.js";
import type {
  GraphCommand,
  GraphRequest,
  GraphSource,
  SharedGraph,
} from "../graph/manager/graph-source.js";
import type { GraphStore } from "../graph/manager/logging-entry-points.js";
import {
  adminThread,
  IO_THREAD,
  MAIN_THREAD,
  managerThreadNumber,
} from "../graph/manager/thread-numbers.js";
import { DataError, InternalError, OperationTimeout } from "../graph/model/errors.js";
import type { Control } from "../interconnect/control.js";
import { TrafficCounters } from "../metrics/traffic.js";
import type { GraphSettings } from "../settings/server-settings.js";
import { AlgorithmSupervisor } from "./algorithm-supervisor.js";
import { ReplicationOverrides } from "./replication-overrides.js";
import { SupervisedThread } from "./supervised-thread.js";
import type {
  AdminCommand,
  AdminServer,
  AdminThreadData,
  InterconnectCommand,
  InterconnectData,
  InterconnectNotification,
} from "./thread-commands.js";
import { UnloadableGraphs } from "./unloadable-graphs.js";

/** Limits blocking calls of the main thread, which cannot detect the other thread's death. */
const MAX_WAIT_MS = 60_000;
const SAVE_TIMEOUT_MS = 10_000;

/** Events for a server. */
export interface GraphListener {
  onOpen(graph: SharedGraph): void;
  /** All graphs that failed to open, after each change. */
  onUnloadable(graphs: readonly UnloadableGraph[]): void;
  /** Running algorithms, after each change. */
  onAlgorithms(report: AlgorithmReport): void;
  /** Why the graphs are not ready for service, after each change; null: they are. */
  onReadiness(notReady: string | null): void;
  onAdminDeath(executor: BuiltinExecutor): void;
  /** An executor of built-in plugins has started. `serve` assigns it to a server. */
  onAdminStart(executor: BuiltinExecutor): void;
}

type AdminThread = SupervisedThread<AdminCommand, AdminThreadData>;
type InterconnectThread = SupervisedThread<
  InterconnectCommand,
  InterconnectData,
  InterconnectNotification
>;

const ADMIN_TITLES = ["admin executor", "long-query executor"] as const;

export class GraphSupervisor implements GraphSource {
  readonly #settings: GraphSettings;
  readonly #interconnect: InterconnectThread;
  /** The executors of built-in plugins. */
  readonly #admins: readonly [quick: AdminThread, long: AdminThread];
  /** Announces each graph at once: a thread cannot use a graph relocated before it received it. */
  readonly #open = new GraphRegistry(MAIN_THREAD, ({ shared }) => this.#announce(shared));
  /** Null until a graph is open. */
  #compactor: GraphCompactor | null = null;
  /** The data folder. */
  readonly root: GraphRoot;
  readonly #controls: ReplicationOverrides;
  readonly #unloadable = new UnloadableGraphs((all) => this.#listener?.onUnloadable(all));
  /** Resolves when logged but unsaved changes are replayed. */
  readonly recovered: Promise<void>;
  /** Resolves when the configured and stored graphs are loaded or have failed to load. */
  readonly loaded: Promise<void>;
  /** Resolves when replication has started; false: the data folder is not in use yet. */
  readonly #replicating: Promise<boolean>;
  /** Slot record of this instance; null: the system has no slots. */
  readonly slots: KeptSlots | null;
  /** Commit clock shared by all graphs and the transaction log. */
  readonly clock = new CommitClock();
  /** Replication metrics. */
  readonly traffic = new TrafficCounters();
  /** Algorithms over whole graphs, and the thread that runs them. */
  readonly algorithms = new AlgorithmSupervisor(
    { clock: this.clock.buffer },
    {
      onDeath: (thread) => void this.recover(thread),
      execute: (command) => this.execute(command),
      onChange: (report) => this.#listener?.onAlgorithms(report),
    },
  );
  #isGivenUp = false;
  #notReady: string | null;
  #listener: GraphListener | null = null;

  /**
   * Starts the interconnect thread, which loads the stored graphs.
   * @throws DataError if another process uses the data folder
   */
  constructor(settings: GraphSettings) {
    ignoreBrokenPipe();
    // Before other threads start, which inherit the slots.
    this.slots = settings.slots && new KeptSlots(settings.root, settings.slots);
    if (this.slots === null) installSlots(null);
    this.#settings = settings;
    this.clock.gatesResponses = settings.durability === "full";
    this.root = new GraphRoot(settings.root, settings.graphs);
    const { txPort, attach, publishStream, followStream, archive } = settings;
    const isFollowing = txPort !== null || followStream !== null;
    this.#notReady = isFollowing ? "replication starts" : null;
    this.#controls = new ReplicationOverrides([
      ...attach,
      ...(publishStream === null ? [] : [publishStream]),
    ]);
    this.#interconnect = this.#startInterconnect(settings);
    this.#admins = [this.#startAdmin(0), this.#startAdmin(1)];
    const isReplicated =
      isFollowing || attach.length > 0 || publishStream !== null || archive !== null;
    const isLogged = this.root.isLogged || isReplicated;
    const recovered = isLogged ? this.#recoverLogged() : Promise.resolve();
    this.loaded = recovered.then(() => this.#load());
    this.#replicating = this.loaded.then(() => this.#replicate());
    this.recovered = isReplicated ? this.#replicating.then(() => undefined) : recovered;
    this.#replicating.catch(() => undefined);
    // Reported through `recovered`.
    this.loaded.catch(() => undefined);
  }

  /** Connects a server; null disconnects it. */
  setListener(listener: GraphListener | null): void {
    this.#listener = listener;
    if (listener === null) return;
    for (const { shared } of this.#open.all()) listener.onOpen(shared);
    listener.onUnloadable(this.#unloadable.all());
    listener.onReadiness(this.#notReady);
    listener.onAlgorithms(this.algorithms.report());
    // Without graphs, the admin executor starts with the first request.
    if (this.#open.all().length > 0) listener.onAdminStart(0);
  }

  /**
   * Runs built-in plugins of a server in a thread.
   * @throws SvcError SVC2206 if the thread has to start and the address space is insufficient
   */
  serve(executor: BuiltinExecutor, server: AdminServer): void {
    this.#admins[executor].send({ op: "serve", server }, [server.port]);
  }

  /** Sends the argspec of the server's plugins to the long-query executor, if it is running. */
  describe(argspec: LiveArgspec): void {
    const [, long] = this.#admins;
    if (long.isRunning) long.send({ op: "argspec", argspec });
  }

  /** Terminates an executor of built-in plugins, which is then replaced. */
  terminateAdmin(executor: BuiltinExecutor, reason: string): void {
    this.#admins[executor].terminate(reason);
  }

  async execute(command: GraphCommand): Promise<unknown> {
    switch (command.op) {
      case "open":
        return this.openLater(command.request);
      case "find":
        return this.find(command.name);
      case "names":
        return this.names();
      case "remove":
        return this.remove(command.name, command.isErased);
      default:
        return this.control({ ...command.sync, do: "sync" });
    }
  }

  /** Like `open`, without blocking the main thread. */
  async openLater(request: GraphRequest): Promise<SharedGraph> {
    const known = this.#findOpen(request);
    if (known !== null) return known;
    try {
      await loadGraphEngine();
      return this.#onKept(request, await this.#interconnect.call(this.#keepCommand(request)));
    } catch (error) {
      throw this.#failed(request, error);
    }
  }

  open(request: GraphRequest, giveUpAt: number): SharedGraph {
    const known = this.#findOpen(request);
    if (known !== null) return known;
    try {
      const latest = Math.min(giveUpAt, performance.now() + MAX_WAIT_MS);
      const command = this.#keepCommand(request);
      return this.#onKept(request, this.#interconnect.callSync(command, latest));
    } catch (error) {
      throw this.#failed(request, error);
    }
  }

  find(name: string): SharedGraph | null {
    return this.#open.find(name)?.shared ?? null;
  }

  names(): readonly string[] {
    return this.#open.all().map(({ store }) => store.name);
  }

  /** Opens a graph with its settings, unless it is open. */
  async openConfigured(name: string): Promise<void> {
    if (this.#open.find(name) !== null) return;
    const isLocal = this.#settings.graphs[name]?.local ?? false;
    await this.openLater({ name, path: null, isLocal });
  }

  /** Returns the main thread's store of an open graph; null: not open. */
  storeOf(name: string): GraphStore | null {
    return this.#open.find(name)?.store ?? null;
  }

  remove(name: string, isErased: boolean): boolean {
    const found = this.#open.find(name);
    if (found === null) return false;
    this.#open.forget(found);
    const engine = graphEngine();
    engine.removeEverywhere(found.store);
    // The next opener must have the files to itself.
    engine.waitForSave(found.store, SAVE_TIMEOUT_MS);
    if (!isErased || found.path === null) return true;
    // Logged first: replay would recreate a graph whose removal is not logged.
    if (this.#interconnect.isRunning) {
      const identity = engine.requireIdentity(found.store);
      this.#interconnect.callSync({ op: "erase", identity }, performance.now() + MAX_WAIT_MS);
    }
    this.root.erase(name, found.path);
    return true;
  }

  /** Blocks the main thread, unlike `control`. */
  sync(...[repair, timeoutMs]: Parameters<GraphSource["sync"]>): boolean {
    const command = { op: "control", control: { do: "sync", repair, timeoutMs } } as const;
    const giveUpAt = performance.now() + timeoutMs + MAX_WAIT_MS;
    return this.#interconnect.callSync(command, giveUpAt) as boolean;
  }

  /** Rolls back or completes the changes of a dead thread. */
  async recover(thread: number): Promise<void> {
    const stores = this.#open.all().map(({ store }) => store);
    if (stores.length > 0) await graphEngine().recoverGraphs(stores, thread);
  }

  /** Skips saving: the process ends, and the log is replayed at the next start. */
  giveUpSaving(): void {
    this.#isGivenUp = true;
  }

  /** Saves all graphs and logs failures. Returns whether all are saved. */
  async save(): Promise<boolean> {
    if (this.#isGivenUp || this.#open.all().length === 0) return true;
    try {
      return (await this.#interconnect.call({ op: "save", timeoutMs: SAVE_TIMEOUT_MS })) as boolean;
    } catch (error) {
      // The interconnect thread died while saving. Saving here adds no risk.
      log(`main thread saves the graphs: ${(error as Error).message}`, "warn");
      return graphEngine().saveGraphs(this.#open.all(), log, { timeoutMs: SAVE_TIMEOUT_MS });
    }
  }

  /** Stops the graph threads, after all others. Returns false if the graphs could not be saved. */
  async close(options: { readonly isSaved: boolean }): Promise<boolean> {
    this.#compactor?.stop();
    await this.algorithms.close();
    await this.recover(this.algorithms.threadNumber);
    for (const admin of this.#admins) {
      await admin.close();
      await this.recover(admin.threadNumber);
    }
    const isSaved = !options.isSaved || (await this.save());
    await this.#closeLog();
    await this.#interconnect.close();
    await this.recover(this.#interconnect.threadNumber);
    for (const name of this.names()) this.remove(name, false);
    this.slots?.close();
    this.root.release();
    return isSaved;
  }

  async #closeLog(): Promise<void> {
    if (!this.#interconnect.isRunning) return;
    try {
      await this.#interconnect.call({ op: "closeLog" });
    } catch (error) {
      log(`the log could not be closed: ${(error as Error).message}`, "error");
    }
  }

  #startInterconnect(settings: GraphSettings): InterconnectThread {
    const thread: InterconnectThread = new SupervisedThread(
      {
        entry: "interconnect",
        title: "interconnect thread",
        number: managerThreadNumber,
        data: { settings, clock: this.clock.buffer, traffic: this.traffic.buffer },
      },
      {
        onDeath: (number) => void this.recover(number),
        notified: (notice) => this.#onMessage(notice),
        onStart: (isFirst) => {
          const graphs = this.#open.all().map(({ shared }) => shared);
          if (graphs.length > 0) thread.send({ op: "adopt", graphs });
          if (!isFirst) void this.#replicateAgain();
        },
      },
    );
    return thread;
  }

  #startAdmin(executor: BuiltinExecutor): AdminThread {
    const thread: AdminThread = new SupervisedThread(
      {
        entry: "admin",
        title: ADMIN_TITLES[executor],
        number: (deaths) => adminThread(executor, deaths),
        data: { hasTimeSlices: executor === 0, root: this.#settings.root },
      },
      {
        onDeath: (number) => {
          void this.recover(number);
          this.#listener?.onAdminDeath(executor);
        },
        onStart: (isFirst) => {
          for (const { shared } of this.#open.all()) thread.send({ op: "graph", graph: shared });
          if (!isFirst) this.#listener?.onAdminStart(executor);
        },
        execute: (command) => this.execute(command),
      },
    );
    return thread;
  }

  /** @throws SvcError SVC2500 */
  async #recoverLogged(): Promise<void> {
    const command = { op: "recover", isStorable: this.root.acquire() } as const;
    await loadGraphEngine();
    const { graphs, failures } = (await this.#interconnect.call(command)) as RecoveredGraphs;
    for (const shared of graphs) this.#opened(shared, shared.logPath);
    for (const [name, message] of failures) {
      log(message, "error");
      this.#unloadable.note(name, message);
    }
  }

  /**
   * Changes or queries how the process replicates.
   * @throws SvcError SVC2530, SVC2534, SVC2536, SVC2537
   */
  async control(control: Control): Promise<unknown> {
    if (!(await this.#replicating)) {
      await this.#recoverLogged();
      await this.#replicate();
    }
    const response = await this.#interconnect.call({ op: "control", control });
    this.#controls.note(control);
    return response;
  }

  /** Restores replication in a new thread: the configuration, then the overrides. */
  async #replicateAgain(): Promise<void> {
    try {
      await this.#replicate();
      for (const control of this.#controls.all()) {
        await this.#interconnect.call({ op: "control", control });
      }
    } catch (error) {
      log(`replication did not restart: ${(error as Error).message}`, "error");
    }
  }

  /** @throws SvcError SVC2530, SVC2534 */
  async #replicate(): Promise<boolean> {
    // Without graphs, the interconnect thread starts with the first one.
    if (!this.#interconnect.isRunning) return false;
    return (await this.#interconnect.call({ op: "replicate" })) as boolean;
  }

  #onMessage(notice: InterconnectNotification): void {
    if (notice.notice === "opened") {
      this.#opened(notice.graph, notice.graph.logPath);
      return;
    }
    if (notice.notice === "restart") {
      log("leadership: this instance restarts without changes that the leader lacks", "warn");
      process.kill(process.pid, "SIGTERM");
      return;
    }
    if (notice.notice === "readiness") {
      this.#notReady = notice.notReady;
      this.#listener?.onReadiness(notice.notReady);
      return;
    }
    this.remove(notice.name, notice.isErased);
    this.#interconnect.send({ op: "removed", name: notice.name });
  }

  /** Opens the configured and stored graphs; logs failures. */
  async #load(): Promise<void> {
    const opening = this.root
      .expected()
      .map((name) =>
        this.openConfigured(name).catch(({ message }: Error) => log(message, "error")),
      );
    await Promise.all(opening);
    // A replica adopts the slot record of its provider instead.
    const { readonly, txPort, followStream } = this.#settings;
    if (txPort === null && followStream === null) this.slots?.storeInitial(!readonly);
  }

  /** @throws DataError if the graph is open and stored elsewhere */
  #findOpen({ name, path }: GraphRequest): SharedGraph | null {
    const found = this.#open.find(name);
    if (found === null) return null;
    const { shared } = found;
    if (path === null || shared.path === null) return shared;
    if (this.root.folderOf(path) === shared.path) return shared;
    throw new DataError(`graph "${name}" is stored in ${shared.path}`);
  }

  #keepCommand(request: GraphRequest): InterconnectCommand {
    const isDurable = this.#settings.durability !== "off";
    const open = this.root.openRequest(request, this.#settings.readonly, isDurable);
    if (open.isLost === true) this.clock.fail();
    return { op: "keep", request: open };
  }

  #onKept({ name, path }: GraphRequest, shared: unknown): SharedGraph {
    return this.#opened(shared as SharedGraph, this.root.pathOf(name, path));
  }

  #announce(shared: SharedGraph): void {
    for (const admin of this.#admins) {
      if (admin.isRunning) admin.send({ op: "graph", graph: shared });
    }
    this.#listener?.onOpen(shared);
  }

  #opened(shared: SharedGraph, path: string): SharedGraph {
    const { name } = shared.share;
    const found = this.#open.find(name);
    if (found !== null) return found.shared;
    this.root.recordPath(name, path);
    this.#unloadable.forget(name);
    this.#compact();
    if (this.#open.add(shared) === null) {
      throw new InternalError(`graph "${name}" was relocated before it was registered`);
    }
    // Before the caller continues, because it may send requests to these threads.
    this.#announce(shared);
    return shared;
  }

  /** Starts to compact graphs. */
  #compact(): void {
    if (this.#compactor !== null) return;
    const { GraphCompactor } = graphEngine();
    this.#compactor = new GraphCompactor(this.#open, () => this.#messagedThreads(), log);
    this.#compactor.start();
  }

  /** Records an expected graph as unavailable, unless the request itself was wrong. */
  #failed({ name, path }: GraphRequest, error: unknown): unknown {
    const isElsewhere = path !== null && path !== this.root.pathOf(name);
    if (this.root.isExpected(name) && !isElsewhere && !(error instanceof OperationTimeout)) {
      this.#unloadable.note(name, (error as Error).message);
    }
    return error;
  }

  /** Returns the numbers of the threads that receive graphs by message. */
  #messagedThreads(): number[] {
    const threads = [this.#interconnect, ...this.#admins].filter(({ isRunning }) => isRunning);
    const numbers = threads.map(({ threadNumber }) => threadNumber);
    return this.#listener === null ? numbers : [...numbers, IO_THREAD];
  }
}
