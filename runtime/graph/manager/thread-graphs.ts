// The graphs that one thread has open: each is attached once, however often it is asked for. Code
// at module level shares one session a graph; every request gets a session of its own.

import { lockDeadlineAfter } from "../changes/session-view.js";
import type { GraphAccess } from "../sessions/graph-access.js";
import { Session } from "../sessions/session.js";
import { GraphStore } from "../store/graph-store.js";
import {
  checkGraphName,
  type GraphSource,
  type RepairAction,
  type SharedGraph,
} from "./graph-source.js";
import { SYSTEM_GRAPH } from "./system-graph.js";
import { trackGraph } from "./track-graph.js";

/** How a graph is opened. */
export interface GraphOptions {
  /** Folder below the root; default: the name. */
  readonly path?: string | null | undefined;
  /** Operations are not passed on to other instances. Default false. */
  readonly local?: boolean | undefined;
  /** Milliseconds until the graph must be open; default: however long it takes to load. */
  readonly timeout?: number | undefined;
}

export class ThreadGraphs {
  readonly #thread: number;
  readonly #source: GraphSource;
  readonly #open = new Map<string, GraphAccess>();

  constructor(thread: number, source: GraphSource) {
    this.#thread = thread;
    this.#source = source;
  }

  /**
   * Opens a graph, or makes it.
   * @throws DataError for a bad name or path, for another path than it has; OperationTimeout
   */
  open(name: string, options: GraphOptions = {}): GraphAccess {
    const { path = null, local = false, timeout = -1 } = options;
    const known = this.#known(name);
    if (known !== undefined && path === null) return known;
    const request = { name: checkGraphName(name), path, isLocal: local };
    const shared = this.#source.open(request, lockDeadlineAfter(timeout));
    return this.#known(name) ?? this.#attach(shared) ?? this.open(name, options);
  }

  /** The graph of the process itself, which is made when it is first needed. */
  system(): GraphAccess {
    const known = this.find(SYSTEM_GRAPH);
    if (known !== null) return known;
    const request = { name: SYSTEM_GRAPH, path: null, isLocal: false };
    return this.#attach(this.#source.open(request, lockDeadlineAfter(-1))) ?? this.system();
  }

  /** A graph that is open in some thread; null if there is none. */
  find(name: string): GraphAccess | null {
    const known = this.#known(name);
    if (known !== undefined) return known;
    const shared = this.#source.find(name);
    return shared === null ? null : (this.#attach(shared) ?? this.find(name));
  }

  /** All graphs that are open in some thread, sorted by name. */
  all(): GraphAccess[] {
    return this.#source.names().flatMap((name) => this.find(name) ?? []);
  }

  /** A graph for a request. */
  createForRequest(name: string): GraphAccess {
    const access = this.open(name);
    return { ...access, session: new Session(access.store) };
  }

  /** Lets a graph go, for all threads; false if there was none. */
  remove(name: string, isErased: boolean): boolean {
    this.#open.delete(name);
    return this.#source.remove(name, isErased);
  }

  /** Sends graphs to those that follow them; false if that is still under way. */
  sync(repair: RepairAction, timeoutMs: number): boolean {
    return this.#source.sync(repair, timeoutMs);
  }

  #known(name: string): GraphAccess | undefined {
    const access = this.#open.get(name);
    if (access === undefined || !access.store.memory.isRemoved) return access;
    this.#open.delete(name);
    return undefined;
  }

  /** Null if the graph has gone to other memory since: it is to be asked for again. */
  #attach({ share, path, isLocal }: SharedGraph): GraphAccess | null {
    const store = GraphStore.attach(share, this.#thread);
    const access = { store, session: new Session(store), path, isLocal };
    const isCurrent = trackGraph(store, () => {
      if (this.#open.get(store.name) === access) this.#open.delete(store.name);
    });
    if (!isCurrent) return null;
    this.#open.set(store.name, access);
    return access;
  }
}
