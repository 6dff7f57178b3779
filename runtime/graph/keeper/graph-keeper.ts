// Makes and loads graphs, lets their time pass and saves them now and then. One thread of a process
// does that, so that no graph is made twice; it knows nothing of who uses them.

import { MAX_GRAPHS } from "../../base/limits.js";
import { setSystemReadonly } from "../changes/graph.js";
import { EventPause, setEventsEnabled } from "../expiry/event-control.js";
import { EventProcessor } from "../expiry/event-processor.js";
import { DataError } from "../model/errors.js";
import { Session } from "../sessions/session.js";
import { loadGraph } from "../snapshot/load-graph.js";
import { GraphStore } from "../store/graph-store.js";
import { IndexProcessor } from "../vectors/index-processor.js";
import type { SharedGraph } from "./graph-source.js";
import { onRemoved } from "./removed-graphs.js";
import { saveGraphs } from "./save-graphs.js";

export interface KeeperSettings {
  /** Expired vertices and arcs are removed. */
  readonly events: boolean;
  /** Events are suspended at first. */
  readonly idle: boolean;
  /** Seconds between saves, 0 for none. */
  readonly saveEvery: number;
}

/** A graph that is to be there, readonly if that is wanted. */
export interface KeepRequest {
  readonly name: string;
  /** Where its snapshots are looked for. */
  readonly folder: string;
  /** New ones may be written there. */
  readonly isStorable: boolean;
  readonly isLocal: boolean;
  readonly isReadonly: boolean;
}

interface Kept {
  readonly store: GraphStore;
  readonly shared: SharedGraph;
  readonly events: EventProcessor;
  readonly indexes: IndexProcessor;
}

export class GraphKeeper {
  readonly #thread: number;
  readonly #settings: KeeperSettings;
  readonly #log: (line: string) => void;
  readonly #graphs = new Map<string, Kept>();
  #isSaving = false;

  /** @param thread number of the calling thread */
  constructor(thread: number, settings: KeeperSettings, log: (line: string) => void) {
    this.#thread = thread;
    this.#settings = settings;
    this.#log = log;
    const { saveEvery } = settings;
    if (saveEvery > 0) setInterval(() => this.#saveNow(), saveEvery * 1000).unref();
  }

  /**
   * A graph that is open already, is loaded, or is made.
   * @throws DataError
   */
  keep({ name, folder, isStorable, isLocal, isReadonly }: KeepRequest): SharedGraph {
    const known = this.find(name);
    if (known !== null) return known;
    if (this.names().length >= MAX_GRAPHS) {
      throw new DataError(`there are ${MAX_GRAPHS} graphs open, which is all that there can be`);
    }
    this.#refuseShared(folder, name);
    const warn = this.#log;
    const loaded = loadGraph(name, folder, this.#thread, { warn });
    const store = loaded ?? GraphStore.make(name, this.#thread);
    if (isReadonly) setSystemReadonly(store, true);
    if (this.#settings.idle) setEventsEnabled(store, false, EventPause.System);
    return this.adopt({ share: store.share, path: isStorable ? folder : null, isLocal }, store);
  }

  /** Keeps a graph that a former keeper has made. */
  adopt(shared: SharedGraph, store = GraphStore.attach(shared.share, this.#thread)): SharedGraph {
    const events = new EventProcessor(store, new Session(store));
    if (this.#settings.events) events.start();
    const indexes = new IndexProcessor(store, this.#log);
    indexes.start();
    const kept = { store, shared, events, indexes };
    this.#graphs.set(store.name, kept);
    onRemoved(store, () => this.#forget(store.name, kept));
    return shared;
  }

  /** A graph that is open; null if there is none. */
  find(name: string): SharedGraph | null {
    const kept = this.#graphs.get(name);
    if (kept === undefined) return null;
    if (!kept.store.memory.isRemoved) return kept.shared;
    this.#forget(name, kept);
    return null;
  }

  names(): readonly string[] {
    return [...this.#graphs.keys()].filter((name) => this.find(name) !== null).sort();
  }

  /**
   * Saves all graphs that have changed; returns whether all are saved.
   * @param timeoutMs how long to wait for another save of the same graph
   */
  save(timeoutMs: number): Promise<boolean> {
    const graphs = this.names().map((name) => this.#graphs.get(name)!);
    const storable = graphs.map(({ store, shared: { path } }) => ({ store, path }));
    return saveGraphs(storable, timeoutMs, this.#log);
  }

  /** What two graphs store in one folder would take each other's place. */
  #refuseShared(folder: string, name: string): void {
    for (const other of this.names()) {
      if (this.#graphs.get(other)!.shared.path !== folder) continue;
      throw new DataError(`graph "${name}" cannot be opened: "${other}" is stored in ${folder}`);
    }
  }

  #forget(name: string, kept: Kept): void {
    kept.events.stop();
    kept.indexes.stop();
    if (this.#graphs.get(name) === kept) this.#graphs.delete(name);
  }

  async #saveNow(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    await this.save(0);
    this.#isSaving = false;
  }
}
