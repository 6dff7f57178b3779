// All graphs of the process, as the main thread sees them: which there are, where they are stored,
// and what becomes of them when a thread dies. The interconnect thread makes and keeps them; the
// other threads ask here, so that a graph outlives every thread but this one.

import { setTimeout as sleep } from "node:timers/promises";
import { log, surviveLostReaders } from "../base/log.js";
import type { LiveArgspec } from "../builtin/argspec-forms.js";
import type { UnloadableGraph } from "../builtin/server-view.js";
import type { KeeperSettings, KeepRequest } from "../graph/keeper/graph-keeper.js";
import type {
  GraphAsk,
  GraphRequest,
  GraphSource,
  SharedGraph,
} from "../graph/keeper/graph-source.js";
import { onRemoved, removeForAll } from "../graph/keeper/removed-graphs.js";
import { adminThread, keeperThread, MAIN_THREAD } from "../graph/keeper/thread-numbers.js";
import { Header } from "../graph/memory/layout.js";
import { DataError, OperationTimeout } from "../graph/model/errors.js";
import { recoverGraph, releaseHeld } from "../graph/operations/recover.js";
import { isRootLocked, lockRoot, type RootLock } from "../graph/snapshot/root-lock.js";
import { releaseSaving } from "../graph/snapshot/save-graph.js";
import { saveGraphs } from "../graph/snapshot/save-graphs.js";
import {
  eraseStoredGraph,
  graphFolder,
  listStoredGraphs,
} from "../graph/snapshot/stored-graphs.js";
import { GraphStore } from "../graph/store/graph-store.js";
import type { GraphSettings } from "../settings/server-settings.js";
import type { AdminAsk, AdminServer } from "./admin-control.js";
import type { InterconnectAsk, InterconnectData } from "./interconnect-control.js";
import { SupervisedThread } from "./supervised-thread.js";

/** The main thread waits no longer for a thread that it could not see die meanwhile. */
const MAX_WAIT_MS = 60_000;
const SAVE_TIMEOUT_MS = 10_000;
const SLEEP_MS = 50;

/** What a server wants to know. */
export interface GraphListener {
  opened(graph: SharedGraph): void;
  /** All graphs that could not be opened, after each change. */
  unloadable(graphs: readonly UnloadableGraph[]): void;
  adminDied(): void;
  /** The admin thread is there; `serve` lets it run plugins. */
  adminStarted(): void;
}

interface OpenGraph {
  readonly shared: SharedGraph;
  readonly store: GraphStore;
}

export class GraphSystem implements GraphSource {
  readonly #settings: GraphSettings;
  readonly #interconnect: SupervisedThread<InterconnectAsk, InterconnectData>;
  readonly #admin: SupervisedThread<AdminAsk>;
  readonly #open = new Map<string, OpenGraph>();
  /** Folders, below the root, of the graphs that are stored or have been open. */
  readonly #paths: Map<string, string>;
  /** Why graphs could not be opened that are stored or configured, by name. */
  readonly #unloadable = new Map<string, string>();
  /** Resolves when the configured and stored graphs are loaded, or could not be. */
  readonly loaded: Promise<void>;
  #lock: RootLock | null = null;
  readonly #leaveRoot = () => this.#lock?.release();
  #listener: GraphListener | null = null;

  /**
   * Starts the interconnect thread, which loads the graphs that are stored.
   * @throws DataError another process uses the root
   */
  constructor(settings: GraphSettings) {
    surviveLostReaders();
    this.#settings = settings;
    const stored = listStoredGraphs(settings.root);
    const isNeeded = stored.length > 0 || Object.keys(settings.graphs).length > 0;
    if (isNeeded || isRootLocked(settings.root)) this.#takeRoot();
    this.#paths = new Map(stored.map(({ name, path }) => [name, path]));
    this.#interconnect = this.#startInterconnect(settings);
    this.#admin = this.#startAdmin();
    this.loaded = this.#load();
    process.once("exit", this.#leaveRoot);
  }

  /** Tells a server what it wants to know; null: there is none any more. */
  setListener(listener: GraphListener | null): void {
    this.#listener = listener;
    if (listener === null) return;
    for (const { shared } of this.#all()) listener.opened(shared);
    this.#tellUnloadable();
    listener.adminStarted();
  }

  /** Lets the admin thread run built-in plugins for a server. */
  serve(server: AdminServer): void {
    this.#admin.tell({ op: "serve", server }, [server.port]);
  }

  /** Lets the admin thread tell what the server's plugins are. */
  describe(argspec: LiveArgspec): void {
    this.#admin.tell({ op: "argspec", argspec });
  }

  /** Ends what the admin thread is doing. */
  terminateAdmin(reason: string): void {
    this.#admin.terminate(reason);
  }

  /** Does what an executor asks for. */
  async answer(ask: GraphAsk): Promise<unknown> {
    switch (ask.op) {
      case "open":
        return this.openLater(ask.request);
      case "find":
        return this.find(ask.name);
      case "names":
        return this.names();
      case "remove":
        return this.remove(ask.name, ask.isErased);
    }
  }

  /** As `open`, but lets the main thread go on. */
  async openLater(request: GraphRequest): Promise<SharedGraph> {
    const known = this.#known(request);
    if (known !== null) return known;
    try {
      const ask = { op: "keep", request: this.#keepRequest(request) } as const;
      return this.#opened(
        (await this.#interconnect.ask(ask)) as SharedGraph,
        this.#pathOf(request),
      );
    } catch (error) {
      this.#failed(request, error);
      throw error;
    }
  }

  open(request: GraphRequest, giveUpAt: number): SharedGraph {
    const known = this.#known(request);
    if (known !== null) return known;
    try {
      const ask = { op: "keep", request: this.#keepRequest(request) } as const;
      const latest = Math.min(giveUpAt, performance.now() + MAX_WAIT_MS);
      return this.#opened(
        this.#interconnect.askNow(ask, latest) as SharedGraph,
        this.#pathOf(request),
      );
    } catch (error) {
      this.#failed(request, error);
      throw error;
    }
  }

  find(name: string): SharedGraph | null {
    return this.#find(name)?.shared ?? null;
  }

  names(): readonly string[] {
    return this.#all().map(({ store }) => store.name);
  }

  remove(name: string, isErased: boolean): boolean {
    const found = this.#find(name);
    if (found === null) return false;
    this.#open.delete(name);
    removeForAll(found.store);
    // Whoever opens it next has its files for himself.
    awaitSaving(found.store);
    if (!isErased || found.shared.path === null) return true;
    this.#paths.delete(name);
    eraseStoredGraph(found.shared.path);
    return true;
  }

  /**
   * Puts right what a thread left behind that has died: at once, but for vertices that it held
   * while another thread has the mutex, which may be dead too and about to be recovered.
   */
  async recover(thread: number): Promise<void> {
    const stores = this.#all().map(({ store }) => store);
    for (const store of stores) releaseSaving(store, thread);
    let left = stores.filter((store) => !recoverGraph(store, thread));
    while (left.length > 0) {
      await sleep(SLEEP_MS, undefined, { ref: false });
      left = left.filter((store) => !releaseHeld(store, thread));
    }
  }

  /** Saves all graphs; one that cannot be is logged. Returns whether all are saved. */
  async save(): Promise<boolean> {
    if (this.#open.size === 0) return true;
    try {
      return (await this.#interconnect.ask({ op: "save", timeoutMs: SAVE_TIMEOUT_MS })) as boolean;
    } catch (error) {
      // It dies whenever it saves. This thread has nothing to lose any more.
      log(`graphs are saved by the main thread: ${(error as Error).message}`);
      const graphs = this.#all().map(({ store, shared: { path } }) => ({ store, path }));
      return saveGraphs(graphs, SAVE_TIMEOUT_MS, log);
    }
  }

  /**
   * Ends the threads of graphs and lets others use the root. All other threads must have ended.
   * Returns false if graphs were to be saved and could not be.
   */
  async close(options: { readonly isSaved: boolean }): Promise<boolean> {
    await this.#admin.close();
    await this.recover(this.#admin.threadNumber);
    const isSaved = !options.isSaved || (await this.save());
    await this.#interconnect.close();
    await this.recover(this.#interconnect.threadNumber);
    for (const name of this.names()) this.remove(name, false);
    this.#leaveRoot();
    process.off("exit", this.#leaveRoot);
    return isSaved;
  }

  #startInterconnect(
    settings: KeeperSettings,
  ): SupervisedThread<InterconnectAsk, InterconnectData> {
    const thread = new SupervisedThread<InterconnectAsk, InterconnectData>(
      {
        entry: "interconnect",
        title: "thread that keeps graphs",
        number: keeperThread,
        data: { settings },
      },
      {
        died: (number) => void this.recover(number),
        started: () => {
          const graphs = this.#all().map(({ shared }) => shared);
          if (graphs.length > 0) thread.tell({ op: "adopt", graphs });
        },
      },
    );
    return thread;
  }

  #startAdmin(): SupervisedThread<AdminAsk> {
    const thread = new SupervisedThread<AdminAsk>(
      { entry: "admin", title: "admin executor", number: adminThread, data: {} },
      {
        died: (number) => {
          void this.recover(number);
          this.#listener?.adminDied();
        },
        started: (isFirst) => {
          for (const { shared } of this.#all()) thread.tell({ op: "graph", graph: shared });
          if (!isFirst) this.#listener?.adminStarted();
        },
      },
    );
    return thread;
  }

  /** Opens what is configured or stored; what cannot be opened is logged. */
  async #load(): Promise<void> {
    const names = new Set([...Object.keys(this.#settings.graphs), ...this.#paths.keys()]);
    const opening = [...names].map(async (name) => {
      try {
        const isLocal = this.#settings.graphs[name]?.local ?? false;
        await this.openLater({ name, path: null, isLocal });
      } catch (error) {
        log((error as Error).message);
      }
    });
    await Promise.all(opening);
  }

  /** @throws DataError an open graph that is stored elsewhere */
  #known({ name, path }: GraphRequest): SharedGraph | null {
    const found = this.#find(name);
    if (found === null) return null;
    const { shared } = found;
    if (path === null || shared.path === null) return shared;
    if (graphFolder(this.#settings.root, path) === shared.path) return shared;
    throw new DataError(`graph "${name}" is stored in ${shared.path}`);
  }

  #keepRequest(request: GraphRequest): KeepRequest {
    const { name, isLocal } = request;
    const { root, graphs } = this.#settings;
    // Makes the root, where it is missing: only then is it known where links lead.
    const isStorable = this.#takeRoot();
    const folder = graphFolder(root, this.#pathOf(request));
    const isReadonly = this.#settings.readonly || (graphs[name]?.readonly ?? false);
    return { name, folder, isStorable, isLocal, isReadonly };
  }

  /** Folder of a graph, below the root. */
  #pathOf({ name, path }: GraphRequest): string {
    return path ?? this.#settings.graphs[name]?.path ?? this.#paths.get(name) ?? name;
  }

  /**
   * Takes the right to write to the root when it is first needed.
   * @returns false where nothing can be written: changes of graphs are then in memory only
   * @throws DataError another process uses the root
   */
  #takeRoot(): boolean {
    if (this.#lock !== null) return true;
    try {
      this.#lock = lockRoot(this.#settings.root);
      return true;
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      if (!["EACCES", "EPERM", "EROFS"].includes(cause?.code ?? "")) throw error;
      log(`changes of graphs are not stored: ${(error as Error).message}`);
      return false;
    }
  }

  #opened(shared: SharedGraph, path: string): SharedGraph {
    const { name } = shared.share;
    const found = this.#find(name);
    if (found !== null) return found.shared;
    this.#paths.set(name, path);
    if (this.#unloadable.delete(name)) this.#tellUnloadable();
    const store = GraphStore.attach(shared.share, MAIN_THREAD);
    const graph = { shared, store };
    this.#open.set(store.name, graph);
    onRemoved(store, () => {
      if (this.#open.get(store.name) === graph) this.#open.delete(store.name);
    });
    // Before whoever asked for the graph goes on: it may send others to the admin thread.
    if (this.#admin.isRunning) this.#admin.tell({ op: "graph", graph: shared });
    this.#listener?.opened(shared);
    return shared;
  }

  /** Notes that a graph which should be there is not. A bad request is no reason to. */
  #failed({ name, path }: GraphRequest, error: unknown): void {
    const isExpected = this.#paths.has(name) || Object.hasOwn(this.#settings.graphs, name);
    const isElsewhere =
      path !== null && path !== this.#pathOf({ name, path: null, isLocal: false });
    if (!isExpected || isElsewhere || error instanceof OperationTimeout) return;
    this.#unloadable.set(name, (error as Error).message);
    this.#tellUnloadable();
  }

  #tellUnloadable(): void {
    const all = [...this.#unloadable].map(([name, reason]) => ({ name, reason }));
    this.#listener?.unloadable(all.sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  #find(name: string): OpenGraph | null {
    const found = this.#open.get(name);
    return found === undefined || found.store.memory.isRemoved ? null : found;
  }

  /** Sorted by name. */
  #all(): OpenGraph[] {
    const all = [...this.#open.values()].filter(({ store }) => !store.memory.isRemoved);
    return all.sort((a, b) => (a.store.name < b.store.name ? -1 : 1));
  }
}

/** Nobody may begin to save any more; who has begun gives up at the next step. */
function awaitSaving({ memory }: GraphStore): void {
  const { ints } = memory.header;
  const giveUpAt = performance.now() + SAVE_TIMEOUT_MS;
  for (;;) {
    const saving = Atomics.load(ints, Header.Saving);
    if (saving === 0 || performance.now() > giveUpAt) return;
    Atomics.wait(ints, Header.Saving, saving, SLEEP_MS);
  }
}
