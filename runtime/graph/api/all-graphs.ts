// Operations of the library's `system` on all graphs (http-interface, "Management operations").
// Available in every thread that has graphs, in plugins and in programs that use the library.

import { dirname, resolve } from "node:path";
import { SvcError } from "../../base/errors.js";
import { type KeySlots, threadSlots } from "../../base/instance-slots.js";
import { keepAlive } from "../../base/keep-alive.js";
import { type MemoryStats, memoryStats } from "../../base/memory-stats.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { makeReadonly } from "../changes/sessions/make-readonly.js";
import { runTransaction } from "../changes/transaction.js";
import { saveGraph } from "../manager/snapshot/save-graph.js";
import { isSystemGraph } from "../manager/system-graph.js";
import { threadGraphs } from "../manager/thread-graphs.js";
import { Header, ReadonlyBy } from "../memory/layout.js";
import { refuseFurther } from "../model/check-argument.js";
import { KeyError } from "../model/errors.js";
import { EventPause, setEventsEnabled } from "../store/event-switches.js";
import type { GraphStore } from "../store/graph-store.js";
import { lockDeadlineAfter } from "../store/session-view.js";
import { Graph } from "./graph.js";
import { getAccess } from "./graph-handle.js";
import { graphStatus } from "./status/graph-status.js";
import { graphDigest } from "./status/graph-totals.js";
import { SystemProperties } from "./system-properties.js";

const READONLY_TIMEOUT_MS = 1000;

type GraphStatus = ReturnType<typeof graphStatus>;

/** Parameter types for a list of graphs, so that a function may omit the last ones. */
type GraphsOf<G extends readonly Graph[]> = { -readonly [Position in keyof G]: G[Position] };

export class AllGraphs extends SystemProperties {
  /** The slots of the system descriptor; null: the system has none. */
  get slots(): KeySlots | null {
    return threadSlots();
  }

  /** Returns order and size of all open graphs by name. */
  registry(): Record<string, readonly [order: number, size: number]> {
    const entries = userGraphs().map(
      ({ store }) => [store.name, [store.order, store.size]] as const,
    );
    return Object.fromEntries(entries);
  }

  /**
   * Returns an open graph.
   * @throws KeyError
   */
  getGraph(name: string, ...further: never[]): Graph {
    refuseFurther(further, "name");
    const access = threadGraphs().find(name);
    if (access === null) throw new KeyError(`Graph instance not available: ${name}`);
    return new Graph(access);
  }

  /** Closes a graph for all threads; its stored data remains. False if there is none. */
  deleteGraph(name: string, ...further: never[]): boolean {
    refuseFurther(further, "name");
    return threadGraphs().remove(name, false);
  }

  /**
   * Saves all graphs; returns the number of 8-byte words written.
   * @param timeout milliseconds to wait for another save of a graph
   * @param force also saves graphs that have not changed
   * @throws OperationTimeout, DataError
   */
  persist(timeout = 1000, force = false, ...further: never[]): number {
    refuseFurther(further, "force");
    let words = 0;
    for (const { store, path } of all()) {
      if (path === null) continue;
      words += saveGraph(store, path, { isForced: force, timeoutMs: timeout });
    }
    return words;
  }

  /**
   * Resolves when all changes so far, of every thread, are durable.
   * @throws SvcError SVC2502 the transaction log has failed or is disabled
   */
  async waitDurable(): Promise<void> {
    const clock = all()
      .map(({ store }) => store.memory.log?.clock)
      .find((candidate) => candidate !== undefined);
    if (clock === undefined) {
      throw new SvcError("SVC2502", "transaction log is disabled: the setting `durability` is off");
    }
    if (await keepAlive(clock.waitConfirmed(clock.nextFlush))) return;
    throw new SvcError("SVC2502", "transaction log has failed: graphs are read-only");
  }

  /**
   * Makes all open graphs read-only until `clearReadonly` or the end of the process, or none if one
   * fails. The system's own properties stay writable.
   * @throws OperationTimeout while vertices are locked for writing
   */
  setReadonly(): void {
    const changed: GraphStore[] = [];
    try {
      for (const access of userGraphs()) {
        const { store } = access;
        if (isSystemReadonly(store)) continue;
        makeReadonly(access, setSystemReadonly, lockDeadlineAfter(READONLY_TIMEOUT_MS), false);
        changed.push(store);
      }
    } catch (error) {
      for (const store of changed) setSystemReadonly(store, false);
      throw error;
    }
  }

  /** Makes graphs writable again, except graphs with a read-only flag of their own. */
  clearReadonly(): void {
    for (const { store } of all()) setSystemReadonly(store, false);
  }

  /** Returns the number of read-only graphs. */
  countReadonly(): number {
    return userGraphs().filter(({ store }) => store.isReadonly).length;
  }

  /** Suspends the removal of expired vertices and arcs in all graphs. */
  suspendEvents(): void {
    for (const { store } of all()) setEventsEnabled(store, false, EventPause.System);
  }

  resumeEvents(): void {
    for (const { store } of all()) setEventsEnabled(store, true, EventPause.System);
  }

  /** Returns whether events are suspended. */
  eventsResumable(): boolean {
    return all().some(
      ({ store }) => (store.memory.header.words[Header.EventsSuspended]! & EventPause.System) !== 0,
    );
  }

  /**
   * Applies all changes of a function to several graphs atomically, or none if it throws. The
   * graphs are locked for others meanwhile; open the vertices before, and use no other graph.
   * @throws AccessError for a read-only graph, before anything is done; CapacityError,
   *   ConstraintError, TypeError, and what the function throws
   */
  transaction<const G extends readonly Graph[], T>(
    graphs: G,
    run: (...graphs: GraphsOf<G>) => T,
    ...further: never[]
  ): T {
    refuseFurther(further, "the function");
    const isList = Array.isArray(graphs) && graphs.every((graph) => graph instanceof Graph);
    if (!isList) throw new TypeError("transaction requires a list of graphs");
    if (typeof run !== "function") throw new TypeError("transaction requires a function");
    return runTransaction(graphs.map(getAccess), () => run(...(graphs as G)));
  }

  /** Returns the folder that graphs are stored in. */
  root(): string {
    return dirname(threadGraphs().system().path ?? resolve("_"));
  }

  /** Returns 32 hex digits that change with every change of a replicated graph. */
  fingerprint(): string {
    return graphDigest(userGraphs().filter(({ isLocal }) => !isLocal));
  }

  /** Returns bytes of memory: of the machine, free, used by this process, and its peak. */
  meminfo(): MemoryStats {
    return memoryStats();
  }

  /** Returns the number of vertices locked for writing. */
  writableVertices(): number {
    const writable = all().map(({ store }) => store.locks.entries().filter(isWritable).length);
    return writable.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Returns the state of one graph, or of each open graph by name.
   * @throws KeyError
   */
  status(graph: string): GraphStatus;
  status(): Record<string, GraphStatus>;
  status(graph?: string, ...further: never[]): GraphStatus | Record<string, GraphStatus> {
    refuseFurther(further, "graph");
    if (graph !== undefined) return this.getGraph(graph).status();
    const states = all().map(({ store, path }) => [store.name, graphStatus(store, path)] as const);
    return Object.fromEntries(states);
  }
}

function all(): GraphAccess[] {
  return threadGraphs().all();
}

/** Returns all graphs except the system's own. */
function userGraphs(): GraphAccess[] {
  return all().filter(({ store }) => !isSystemGraph(store.name));
}

function isSystemReadonly({ memory }: GraphStore): boolean {
  return (memory.header.words[Header.Readonly]! & ReadonlyBy.System) !== 0;
}

function isWritable(lock: { readonly isWritable: boolean }): boolean {
  return lock.isWritable;
}

function setSystemReadonly(store: GraphStore, isReadonly: boolean): void {
  store.setReadonlyBy(ReadonlyBy.System, isReadonly);
}
