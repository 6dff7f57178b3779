// Graphs open in one thread, each attached once. Module-level code shares one session per graph;
// every request gets its own.

import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { Session } from "../changes/sessions/session.js";
import type { OpenTransactionReader } from "../log/transaction-reader.js";
import { MEMORY_SIZES, type MemorySize } from "../memory/layout.js";
import { AccessError, DataError, ValueError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { GraphStore } from "../store/graph-store.js";
import { lockDeadlineAfter } from "../store/session-view.js";
import * as engine from "./engine-parts.js";
import { installGraphEngine } from "./graph-engine.js";
import {
  checkGraphName,
  type GraphSource,
  type RepairAction,
  type SharedGraph,
} from "./graph-source.js";
import { type InstalledGraphs, installedGraphs, installThreadGraphs } from "./installed-graphs.js";
import { isSystemGraph, REQUESTS_GRAPH, SYSTEM_GRAPH } from "./system-graph.js";
import { trackGraph } from "./track-graph.js";

// Callers of this class open graphs synchronously, so the engine must be loaded.
installGraphEngine(engine);

/** Options for opening a graph. */
export interface GraphOptions {
  /** Folder below the data folder; default: the name. */
  readonly path?: string | null | undefined;
  /** Not replicated to other instances. Default false. */
  readonly local?: boolean | undefined;
  /**
   * Addresses to reserve: "auto" 3 GiB, and more on demand; "large" 63 GiB at once; "small" 3 GiB
   * and never more, which allows 128 MiB per kind of data, and no vectors. Default: "small" for a
   * graph stored as such, else "auto".
   */
  readonly memory?: MemorySize | undefined;
  /** Milliseconds until the graph must be open; default: no limit. */
  readonly timeout?: number | undefined;
}

export const GRAPH_OPTIONS: ReadonlySet<string> = new Set<keyof GraphOptions>([
  ...(["path", "local", "memory", "timeout"] as const),
]);

/** Returns the graphs of this thread, or null. */
export function findThreadGraphs(): ThreadGraphs | null {
  const installed = installedGraphs();
  if (installed === null || installed instanceof ThreadGraphs) return installed;
  const { thread, source, openTransactions } = installed;
  const graphs = new ThreadGraphs(thread, source, openTransactions);
  installThreadGraphs(graphs);
  return graphs;
}

/** @throws AccessError if graphs are not available yet */
export function threadGraphs(): ThreadGraphs {
  const graphs = findThreadGraphs();
  if (graphs !== null) return graphs;
  throw new AccessError("graphs are not available before system.initialize()");
}

export class ThreadGraphs implements InstalledGraphs {
  readonly thread: number;
  readonly source: GraphSource;
  readonly openTransactions: OpenTransactionReader | null;
  readonly #open = new Map<string, GraphAccess>();

  constructor(
    thread: number,
    source: GraphSource,
    openTransactions: OpenTransactionReader | null = null,
  ) {
    this.thread = thread;
    this.source = source;
    this.openTransactions = openTransactions;
  }

  /**
   * Opens or creates a graph.
   * @throws DataError for an invalid name or path, or if the graph is open with another path;
   *   OperationTimeout
   */
  open(name: string, options: GraphOptions = {}): GraphAccess {
    const { path = null, local = false, timeout = -1, memory: size } = options;
    if (name === REQUESTS_GRAPH) throw new DataError(`reserved graph name: '${name}'`);
    const known = this.#known(name);
    if (known !== undefined && path === null) return known;
    if (size !== undefined && !MEMORY_SIZES.includes(size)) throw sizeError(size);
    const request = { name: checkGraphName(name), path, isLocal: local, size };
    const shared = this.source.open(request, lockDeadlineAfter(timeout));
    return this.#known(name) ?? this.#attach(shared) ?? this.open(name, options);
  }

  /** Returns the system graph, created on first use. */
  system(): GraphAccess {
    return this.#own(SYSTEM_GRAPH);
  }

  /**
   * Returns the graph of idempotency keys, or null.
   * @param isNeeded false: the graph is created only if this thread has opened user graphs
   */
  requests(isNeeded: boolean): GraphAccess | null {
    const isInUse = [...this.#open.keys()].some((name) => !isSystemGraph(name));
    return isNeeded || isInUse ? this.#own(REQUESTS_GRAPH) : this.#find(REQUESTS_GRAPH);
  }

  /** Returns a graph that is open in some thread, or null. */
  find(name: string): GraphAccess | null {
    return name === REQUESTS_GRAPH ? null : this.#find(name);
  }

  /** Returns all graphs open in some thread, sorted by name. */
  all(): GraphAccess[] {
    return this.source.names().flatMap((name) => this.find(name) ?? []);
  }

  /** Returns a graph with a new session for a request. */
  createForRequest(name: string): GraphAccess {
    const access = this.open(name);
    return { ...access, session: new Session(access.store, true) };
  }

  /** Closes a graph for all threads; false if it was not open. */
  remove(name: string, isErased: boolean): boolean {
    if (name === REQUESTS_GRAPH) return false;
    this.#open.delete(name);
    return this.source.remove(name, isErased);
  }

  /** Resends graphs to subscribers; false if a sync is still in progress. */
  sync(repair: RepairAction, timeoutMs: number): boolean {
    return this.source.sync(repair, timeoutMs);
  }

  #own(name: string): GraphAccess {
    const known = this.#find(name);
    if (known !== null) return known;
    const request = { name, path: null, isLocal: false, size: "small" } as const;
    return this.#attach(this.source.open(request, lockDeadlineAfter(-1))) ?? this.#own(name);
  }

  #find(name: string): GraphAccess | null {
    const known = this.#known(name);
    if (known !== undefined) return known;
    const shared = this.source.find(name);
    return shared === null ? null : (this.#attach(shared) ?? this.#find(name));
  }

  #known(name: string): GraphAccess | undefined {
    const access = this.#open.get(name);
    if (access === undefined || !access.store.memory.isRemoved) return access;
    this.#open.delete(name);
    return undefined;
  }

  /** Attaches to a graph; null if it was relocated meanwhile and must be requested again. */
  #attach({ share, path, isLocal }: SharedGraph): GraphAccess | null {
    const store = GraphStore.attach(share, this.thread);
    const access = { store, session: new Session(store), path, isLocal };
    const isCurrent = trackGraph(store, () => {
      if (this.#open.get(store.name) === access) this.#open.delete(store.name);
    });
    if (!isCurrent) return null;
    this.#open.set(store.name, access);
    return access;
  }
}

function sizeError(size: unknown): Error {
  const fits = MEMORY_SIZES.map((known) => `"${known}"`).join(", ");
  return withArgumentDetails(
    new ValueError(`memory must be one of ${fits}`),
    size,
    fits,
    ".memory",
  );
}
