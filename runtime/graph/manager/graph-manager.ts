// Graph manager: creates, loads and periodically saves graphs, and runs their event and index
// processors. One thread per process owns it, so no graph is created twice.

import { MAX_GRAPHS } from "../../base/limits.js";
import type { LogLine } from "../../base/log-settings.js";
import { type Constraint, constrain } from "../changes/constraints.js";
import { type ConfiguredIndex, ensureIndex } from "../changes/ensure-indexes.js";
import { Session } from "../changes/sessions/session.js";
import {
  type ConfiguredVectors,
  changeVectorSettings,
  countOtherPrecision,
} from "../changes/vector-settings.js";
import { readIdentity } from "../memory/graph-identity.js";
import { type MemorySize, ReadonlyBy } from "../memory/layout.js";
import { DataError, InternalError } from "../model/errors.js";
import { EventPause, setEventsEnabled } from "../store/event-switches.js";
import { GraphStore } from "../store/graph-store.js";
import { TextProcessor } from "../texts/text-processor.js";
import { IndexProcessor } from "../vectors/index-processor.js";
import { EventProcessor } from "./event-processor.js";
import type { GraphLog, RecoverableGraph } from "./graph-log.js";
import type { SharedGraph } from "./graph-source.js";
import { saveGraphs } from "./save-graphs.js";
import { loadGraph } from "./snapshot/load-graph.js";
import { eraseStoredGraph } from "./snapshot/stored-graphs.js";
import { SYSTEM_GRAPH } from "./system-graph.js";
import { removeEverywhere, trackGraph } from "./track-graph.js";

export interface GraphManagerSettings {
  /** Whether expired vertices and arcs are removed; "paused": not before events are resumed. */
  readonly events: boolean | "paused";
  /** Seconds between saves, 0: never. */
  readonly saveEvery: number;
  /** If set, all graphs but local ones are replicas of another instance. */
  readonly txPort: number | null;
  readonly followStream: string | null;
  /** Indexes and constraints that graphs must have. */
  readonly graphs?: Readonly<Record<string, ConfiguredContents>>;
}

interface ConfiguredContents {
  readonly indexes: readonly object[];
  readonly constraints?: readonly object[];
  readonly vectors?: object | null;
}

/** Request to open a graph. */
export interface OpenGraphRequest {
  readonly name: string;
  /** Folder of its snapshots. */
  readonly folder: string;
  /** The folder relative to the data folder, with `/`. */
  readonly path: string;
  /** True if snapshots may be written to the folder. */
  readonly isStorable: boolean;
  /** True if changes are refused, because they would be lost. */
  readonly isLost?: boolean;
  readonly isLocal: boolean;
  readonly isReadonly: boolean;
  /** Identity of a new graph, if predetermined. */
  readonly identity?: string;
  readonly size?: MemorySize | undefined;
}

export interface RecoveredGraphs {
  readonly graphs: readonly SharedGraph[];
  /** Error messages of the graphs that failed. */
  readonly failures: readonly (readonly [name: string, message: string])[];
}

interface ManagedGraph {
  readonly store: GraphStore;
  readonly shared: SharedGraph;
  readonly events: EventProcessor;
  readonly indexes: IndexProcessor;
  readonly texts: TextProcessor;
}

export class GraphManager {
  readonly #thread: number;
  readonly #settings: GraphManagerSettings;
  readonly #log: LogLine;
  readonly #graphs = new Map<string, ManagedGraph>();
  /** Transaction log; null: changes are not logged. */
  readonly #graphLog: GraphLog | null;
  #isSaving = false;
  #isReplica: boolean;

  /** @param thread number of the calling thread */
  constructor(
    thread: number,
    settings: GraphManagerSettings,
    log: LogLine,
    changes: GraphLog | null = null,
  ) {
    this.#thread = thread;
    this.#settings = settings;
    this.#log = log;
    this.#graphLog = changes;
    this.#isReplica = settings.txPort !== null || settings.followStream !== null;
    changes?.onGrown(() => void this.#saveNow());
    const { saveEvery } = settings;
    if (saveEvery > 0) setInterval(() => this.#saveNow(), saveEvery * 1000).unref();
  }

  /**
   * Returns an open graph, or loads or creates it.
   * @throws DataError
   */
  open(request: OpenGraphRequest): SharedGraph {
    const open = this.find(request.name);
    if (open !== null) return open;
    const store = this.#load(request);
    const failure = this.#graphLog?.replay([store]).get(store);
    if (failure !== undefined) throw failure;
    return this.#publish(store, request);
  }

  /**
   * Opens the graphs with changes in the log; call it before all other methods.
   * @param requestOf returns the request for opening a graph
   */
  recover(requestOf: (graph: RecoverableGraph) => OpenGraphRequest): RecoveredGraphs {
    const failures: [name: string, message: string][] = [];
    const loaded = new Map<GraphStore, OpenGraphRequest>();
    for (const graph of this.#graphLog?.graphs() ?? []) {
      try {
        const request = requestOf(graph);
        loaded.set(this.#load(request), request);
      } catch (error) {
        failures.push([graph.name, (error as Error).message]);
      }
    }
    const failed = this.#graphLog?.replay([...loaded.keys()]);
    const graphs: SharedGraph[] = [];
    for (const [store, request] of loaded) {
      const failure = failed?.get(store);
      if (failure !== undefined) failures.push([store.name, failure.message]);
      else graphs.push(this.#publish(store, request));
    }
    return { graphs, failures };
  }

  /** Takes over a graph that a previous manager opened. */
  adopt(shared: SharedGraph, store = GraphStore.attach(shared.share, this.#thread)): SharedGraph {
    // Relocations require this thread, so the share is current.
    const forget = () => this.#forget(store.name, managed);
    if (!trackGraph(store, forget)) throw new InternalError("moved");
    const events = new EventProcessor({ store, session: new Session(store) });
    if (this.#settings.events !== false) events.start();
    const indexes = new IndexProcessor(store, this.#log);
    indexes.start();
    const texts = new TextProcessor(store, this.#log);
    texts.start();
    const managed = { store, shared, events, indexes, texts };
    if (store.memory.log !== null) this.#graphLog?.open(store, shared.logPath, shared.isLocal);
    this.#graphs.set(store.name, managed);
    return shared;
  }

  /** Returns an open graph, or null. */
  find(name: string): SharedGraph | null {
    const graph = this.#graphs.get(name);
    if (graph === undefined) return null;
    if (!graph.store.memory.isRemoved) return graph.shared;
    this.#forget(name, graph);
    return null;
  }

  /** Returns the graphs that are not local, by name. */
  replicated(): Map<string, GraphStore> {
    const stores = this.names().flatMap((name) => {
      const { store, shared } = this.#graphs.get(name)!;
      return isReplicated(name, shared.isLocal) ? store : [];
    });
    return new Map(stores.map((store) => [store.name, store]));
  }

  /** Replicas accept changes from their provider only. */
  set isReplica(isReplica: boolean) {
    this.#isReplica = isReplica;
    for (const store of this.replicated().values()) setReplicaMode(store, isReplica);
  }

  /** Saves a graph even if unchanged; resolves with its folder. */
  async saveNow(name: string, timeoutMs: number): Promise<string> {
    const graph = this.#graphs.get(name);
    if (graph === undefined || graph.shared.path === null) {
      throw new DataError(`graph "${name}" is not open or not persistent`);
    }
    const { path } = graph.shared;
    const options = { timeoutMs, isForced: true, keepsOne: this.#isLow };
    const isSaved = await saveGraphs([{ store: graph.store, path }], this.#log, options);
    if (!isSaved) throw new DataError(`graph "${name}" could not be saved`);
    return path;
  }

  /**
   * Closes a graph that the main thread has not received yet.
   * @param isErased also removes its files
   */
  drop(name: string, isErased: boolean): void {
    const graph = this.#graphs.get(name);
    if (graph === undefined || graph.store.memory.isRemoved) return;
    removeEverywhere(graph.store);
    if (!isErased) return;
    this.#graphLog?.erase(readIdentity(graph.store.memory)!);
    if (graph.shared.path !== null) eraseStoredGraph(graph.shared.path);
  }

  names(): readonly string[] {
    return [...this.#graphs.keys()].filter((name) => this.find(name) !== null).sort();
  }

  /**
   * Saves all changed graphs; returns whether all are saved.
   * @param timeoutMs maximum wait for another save of the same graph
   */
  async save(timeoutMs: number): Promise<boolean> {
    const graphs = this.names().map((name) => this.#graphs.get(name)!);
    const storable = graphs.map(({ store, shared: { path } }) => ({ store, path }));
    const options = { timeoutMs, keepsOne: this.#isLow };
    const isSaved = await saveGraphs(storable, this.#log, options);
    const pinning = this.#graphLog?.trim() ?? [];
    if (pinning.length === 0) return isSaved;
    // These graphs need a second snapshot. The save above skipped them if they had not changed
    // since their first one.
    const pinned = storable.filter(({ store }) => pinning.includes(store.name));
    await saveGraphs(pinned, this.#log, { ...options, isForced: true });
    this.#graphLog?.trim();
    return isSaved;
  }

  get #isLow(): boolean {
    return this.#graphLog?.isLow() ?? false;
  }

  /** Loads or creates a graph, before replay of the log. */
  #load({ name, folder, isStorable, identity: knownIdentity, size }: OpenGraphRequest): GraphStore {
    if (this.names().length >= MAX_GRAPHS) {
      throw new DataError(`open graph limit reached (${MAX_GRAPHS})`);
    }
    this.#requireOwnFolder(folder, name);
    const warn = this.#log;
    const changes = isStorable ? this.#graphLog : null;
    const log = changes?.share(name) ?? null;
    const loaded = loadGraph(name, folder, this.#thread, { warn, log, isStorable, size });
    if (loaded !== null && changes?.isErased(loaded) !== true) return loaded;
    // A former process ended before it could remove the files of the erased graph.
    if (loaded !== null) eraseStoredGraph(folder);
    const identity = knownIdentity ?? changes?.identityOf(name);
    return GraphStore.create(name, this.#thread, {
      log,
      values: isStorable ? { folder, isWritable: true } : null,
      size,
      ...(identity === undefined ? {} : { identity }),
    });
  }

  /** Publishes a graph to all threads. */
  #publish(store: GraphStore, request: OpenGraphRequest): SharedGraph {
    const { folder, path, isStorable, isLost = false, isLocal, isReadonly } = request;
    if (isLost) store.setReadonlyBy(ReadonlyBy.Storage, true);
    if (isReadonly) store.setReadonlyBy(ReadonlyBy.System, true);
    if (this.#isReplica && isReplicated(store.name, isLocal)) setReplicaMode(store, true);
    if (this.#settings.events === "paused") setEventsEnabled(store, false, EventPause.System);
    const shared = { share: store.share, path: isStorable ? folder : null, logPath: path, isLocal };
    this.adopt(shared, store);
    if (!store.isReadonly) this.#applyConfiguration(store);
    return shared;
  }

  /** Logs indexes and constraints that cannot be created; the graph is usable without them. */
  #applyConfiguration(store: GraphStore): void {
    const { graphs = {} } = this.#settings;
    if (!Object.hasOwn(graphs, store.name)) return;
    const { indexes, constraints = [], vectors = null } = graphs[store.name]!;
    if (vectors !== null) this.#configureVectors(store, vectors);
    const apply = <T>(event: string, list: string, items: readonly T[], run: (item: T) => void) => {
      for (const [index, item] of items.entries()) {
        try {
          run(item);
        } catch (error) {
          const setting = `graphs.${store.name}.${list}[${index}]`;
          this.#log(`${event}: ${setting}: ${(error as Error).message}`, "error");
        }
      }
    };
    apply("index not created", "indexes", indexes, (index) =>
      ensureIndex(store, index as ConfiguredIndex),
    );
    apply("constraint not declared", "constraints", constraints, (constraint) =>
      constrain(store, constraint as Constraint),
    );
  }

  /** Stored vectors keep their precision until they are converted. */
  #configureVectors(store: GraphStore, { named, ...unnamed }: ConfiguredVectors): void {
    for (const [name, settings] of Object.entries({ "": unnamed, ...named })) {
      try {
        changeVectorSettings(store, settings, name);
      } catch (error) {
        const setting = `graphs.${store.name}.vectors${name === "" ? "" : `.named.${name}`}`;
        this.#log(`vector settings not changed: ${setting}: ${(error as Error).message}`, "error");
      }
    }
    const others = countOtherPrecision(store);
    if (others === 0) return;
    const fix = `run "svc graph rebuild-vectors --graph ${store.name}"`;
    this.#log(`graph "${store.name}": ${others} vectors of another precision: ${fix}`, "warn");
  }

  /** Two graphs stored in one folder would overwrite each other. */
  #requireOwnFolder(folder: string, name: string): void {
    for (const other of this.names()) {
      if (this.#graphs.get(other)!.shared.path !== folder) continue;
      throw new DataError(`graph "${name}" cannot be opened: "${other}" is stored in ${folder}`);
    }
  }

  #forget(name: string, graph: ManagedGraph): void {
    graph.events.stop();
    graph.indexes.stop();
    graph.texts.stop();
    if (this.#graphs.get(name) === graph) this.#graphs.delete(name);
  }

  async #saveNow(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    try {
      await this.save(0);
    } catch (error) {
      // The next periodic save may succeed.
      this.#log(`graphs could not be saved: ${(error as Error).message}`, "error");
    } finally {
      this.#isSaving = false;
    }
  }
}

function setReplicaMode(store: GraphStore, isReplica: boolean): void {
  store.setReadonlyBy(ReadonlyBy.Replica, isReplica);
  setEventsEnabled(store, !isReplica, EventPause.Replica);
}

function isReplicated(name: string, isLocal: boolean): boolean {
  return !isLocal && name !== SYSTEM_GRAPH;
}
