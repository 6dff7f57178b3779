// Graph of one session: vertices, arcs, and locks on vertices. A lightweight object that is created
// for each request; all data is in the store.

import { randomUUID } from "node:crypto";
import { batch } from "../changes/batch.js";
import { type ArcInput, connectMany, createVertices, type VertexInput } from "../changes/bulk.js";
import { type ArcSpec, type ConnectOptions, connect } from "../changes/connect.js";
import { accumulate, count } from "../changes/count.js";
import { disconnect } from "../changes/disconnect.js";
import {
  type AccessMode,
  type OpenRequest,
  openVertex,
  openVertexAsync,
  openVertices,
  openVerticesAsync,
} from "../changes/sessions/open-vertices.js";
import { ReadHandle } from "../changes/sessions/read-handle.js";
import { type CreateOptions, createVertex, deleteVertex } from "../changes/vertices.js";
import { view } from "../changes/view.js";
import {
  checkFunction,
  checkInteger,
  checkObject,
  checkOptions,
  checkText,
  checkTextOrNull,
  refuseFurther,
} from "../model/check-argument.js";
import { IndexError, KeyError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { firstNeighbor } from "../query/calls/lists.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import { toVertexKey, toVertexKeys, toVertexList, type VertexName } from "./call-arguments.js";
import { GraphManagement } from "./graph-management.js";
import { Vertex } from "./vertex.js";

/** A locked vertex: `RO` read-only, `WL` writable. */
export type OpenVertexInfo = readonly [id: string, session: number, mode: "RO" | "WL"];

const VIEW_OPTIONS: ReadonlySet<string> = new Set(["timeout"]);
/** Name that `synchronized` locks. */
const SYNCHRONIZED = "_SYN";
const SYNCHRONIZED_TIMEOUT_MS = 5000;
/** Default timeout of asynchronous locks, which ends deadlocks between threads. */
const ASYNC_TIMEOUT_MS = 10_000;
/** Random handles to try before a scan, because any of them may be unused. */
const RANDOM_ATTEMPTS = 64;
const LOCK_TYPE = "lock_";

/**
 * A graph: vertices, arcs between them, properties, and queries. Plugins receive one as the
 * argument `graph`; `new Graph(name)` opens one at module level.
 */
export class Graph extends GraphManagement {
  /**
   * Creates a vertex, or makes a virtual one real; on an existing one sets properties and expiry.
   * @returns 1 if it was created or made real, 0 if it existed
   * @throws VertexError, AccessError, ValueError
   */
  createVertex(
    id: string,
    type?: string | null | CreateOptions,
    options?: CreateOptions,
    ...further: never[]
  ): number {
    refuseFurther(further, "options");
    return createVertex(this.access, id, createOptions(type, options));
  }

  /**
   * Creates vertices atomically, from ids or from objects with `id`, `type`, `properties` ….
   * @returns number of vertices created or made real
   * @throws VertexError, AccessError, ValueError; CapacityError for too many at once
   */
  createVertices(vertices: readonly VertexInput[], ...further: never[]): number {
    refuseFurther(further, "the list");
    return createVertices(this.access, vertices);
  }

  /**
   * Creates a vertex if it does not exist, and opens it for writing.
   * @throws VertexError, AccessError, ValueError
   */
  newVertex(
    id: string,
    type?: string | null | CreateOptions,
    options?: CreateOptions,
    ...further: never[]
  ): Vertex {
    refuseFurther(further, "options");
    return new Vertex(this, openVertex(this.access, id, newRequest(type, options)));
  }

  /** As `newVertex`, without blocking the thread; waits up to 10 seconds by default. */
  async newVertexAsync(
    id: string,
    type?: string | null | CreateOptions,
    options?: CreateOptions,
    ...further: never[]
  ): Promise<Vertex> {
    refuseFurther(further, "options");
    const request = newRequest({ timeout: ASYNC_TIMEOUT_MS, ...createOptions(type, options) });
    return new Vertex(this, await openVertexAsync(this.access, id, request));
  }

  /**
   * Removes a vertex; one that arcs lead to remains as a virtual vertex.
   * @param timeout milliseconds to wait for locks; negative: no limit
   * @returns 1, or 0 if there was no real vertex
   * @throws AccessError
   */
  deleteVertex(id: VertexName, timeout = 0, ...further: never[]): number {
    refuseFurther(further, "timeout");
    const { access } = this;
    return deleteVertex(access, toVertexKey(access.store, id), timeout);
  }

  /**
   * Opens a vertex.
   * @param id id or address
   * @param mode `r` read-only, `a` writable, `w` writable and created if it does not exist
   * @param timeout milliseconds to wait for locks; negative: no limit
   * @throws KeyError, AccessError, ValueError
   */
  openVertex(
    id: string | number,
    mode: AccessMode = "a",
    timeout = 0,
    ...further: never[]
  ): Vertex {
    refuseFurther(further, "timeout");
    return new Vertex(this, openVertex(this.access, id, { mode, timeout }));
  }

  /** As `openVertex`, without blocking the thread; waits up to 10 seconds by default. */
  async openVertexAsync(
    id: string | number,
    mode: AccessMode = "a",
    timeout = ASYNC_TIMEOUT_MS,
    ...further: never[]
  ): Promise<Vertex> {
    refuseFurther(further, "timeout");
    return new Vertex(this, await openVertexAsync(this.access, id, { mode, timeout }));
  }

  /**
   * Opens all vertices or none.
   * @throws KeyError, AccessError, ValueError
   */
  openVertices(
    ids: readonly VertexName[],
    mode: "r" | "a" = "a",
    timeout = 0,
    ...further: never[]
  ): Vertex[] {
    refuseFurther(further, "timeout");
    const { access } = this;
    const holds = openVertices(access, toVertexKeys(access.store, ids), { mode, timeout });
    return holds.map((hold) => new Vertex(this, hold));
  }

  /** As `openVertices`, without blocking the thread; waits up to 10 seconds by default. */
  async openVerticesAsync(
    ids: readonly VertexName[],
    mode: "r" | "a" = "a",
    timeout = ASYNC_TIMEOUT_MS,
    ...further: never[]
  ): Promise<Vertex[]> {
    refuseFurther(further, "timeout");
    const { access } = this;
    const holds = await openVerticesAsync(access, toVertexKeys(access.store, ids), {
      mode,
      timeout,
    });
    return holds.map((hold) => new Vertex(this, hold));
  }

  /**
   * Applies all changes of a function atomically, or none if it throws. The graph is locked for
   * others meanwhile; open the vertices before, and use no other graph.
   * @throws CapacityError, AccessError, TypeError, and what the function throws
   */
  batch<T>(run: () => T, ...further: never[]): T {
    refuseFurther(further, "the function");
    return batch(this.access.store, run);
  }

  /**
   * Reads a consistent state: runs a function that only reads, and repeats it if the graph changed
   * meanwhile.
   * @param options `timeout`: milliseconds to try again (default: 1000); negative: no limit
   * @throws AccessError if the graph changed during each attempt; TypeError
   */
  view<T>(run: () => T, options: { readonly timeout?: number } = {}, ...further: never[]): T {
    refuseFurther(further, "options");
    checkOptions(options, VIEW_OPTIONS);
    return view(this.access.store, run, options.timeout);
  }

  /** Commits and releases a vertex; false if it was already closed. */
  closeVertex(vertex: Vertex, ...further: never[]): boolean {
    refuseFurther(further, "vertex");
    return requireOpenVertex(vertex).close();
  }

  /** Returns the number of vertices that were open. */
  closeVertices(vertices: readonly Vertex[], ...further: never[]): number {
    refuseFurther(further, "vertices");
    return toVertexList(vertices).filter((vertex) => requireOpenVertex(vertex).close()).length;
  }

  /** Releases all vertices of this session; returns the number of locks. */
  closeAll(): number {
    return this.access.session.releaseAll();
  }

  /** Commits all writable vertices of this session; returns their number. */
  commitAll(): number {
    return this.access.session.writableHeld;
  }

  /**
   * Makes a read-only vertex writable.
   * @throws AccessError, ValueError
   */
  escalateVertex(vertex: Vertex, timeout = 0, ...further: never[]): void {
    refuseFurther(further, "timeout");
    requireOpenVertex(vertex).escalate(timeout);
  }

  /**
   * Commits and makes a writable vertex read-only; false if it is locked more than once.
   * @throws AccessError
   */
  relaxVertex(vertex: Vertex, ...further: never[]): boolean {
    refuseFurther(further, "vertex");
    return requireOpenVertex(vertex).relax();
  }

  /**
   * Returns the open vertices with their sessions.
   * @param session owner of the vertices; 0 for all sessions
   */
  getOpenVertices(session = 0, ...further: never[]): OpenVertexInfo[] {
    refuseFurther(further, "session");
    const { locks, ids } = this.access.store;
    checkInteger(session, "a session");
    return locks
      .entries()
      .filter((lock) => session === 0 || lock.session === session)
      .map((lock) => [ids.idOf(lock.vertex), lock.session, lock.isWritable ? "WL" : "RO"]);
  }

  /** Returns whether a vertex exists, real or virtual, locked or not. */
  hasVertex(id: string, ...further: never[]): boolean {
    refuseFurther(further, "id");
    if (typeof id !== "string") throw new TypeError("vertex identifier must be a string");
    return this.access.store.ids.resolve(id) !== 0;
  }

  /**
   * Returns a vertex for reading, without a lock: changes by others are visible, and do not wait.
   * @throws KeyError
   */
  getVertex(id: string, ...further: never[]): Vertex {
    refuseFurther(further, "id");
    checkText(id, "an id");
    return new Vertex(this, new ReadHandle(this.access.store, id));
  }

  /**
   * Opens the first matching neighbor.
   * @throws KeyError, AccessError, ValueError, QueryError
   */
  openNeighbor(
    id: VertexName,
    arc?: ArcFilter,
    mode: "r" | "a" = "r",
    timeout = 0,
    ...further: never[]
  ): Vertex {
    refuseFurther(further, "timeout");
    const { access } = this;
    const vertex = firstNeighbor(access.store, toVertexKey(access.store, id), arc);
    const [hold] = openVertices(access, [vertex], { mode, timeout });
    return new Vertex(this, hold!);
  }

  /**
   * Returns the id of a vertex by offset, negative from the end; of a random vertex without one.
   * @throws IndexError
   */
  getVertexID(offset?: number, ...further: never[]): string {
    refuseFurther(further, "offset");
    const { vertices, ids, order } = this.access.store;
    if (offset !== undefined && !Number.isInteger(offset)) {
      throw new TypeError("the offset of a vertex must be an integer");
    }
    if (offset === undefined) {
      for (let attempt = 0; attempt < RANDOM_ATTEMPTS; attempt++) {
        const vertex = 1 + Math.floor(Math.random() * (vertices.end - 1));
        if (vertices.isUsed(vertex)) return ids.idOf(vertex);
      }
    }
    const chosen = offset ?? Math.floor(Math.random() * order);
    const position = chosen < 0 ? order + chosen : chosen;
    let seen = -1;
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      if (vertices.isUsed(vertex) && ++seen === position) return ids.idOf(vertex);
    }
    throw new IndexError(`vertex offset ${chosen} out of range`);
  }

  /**
   * Returns the id of the vertex at an address.
   * @throws KeyError
   */
  vertexIdByAddress(address: number, ...further: never[]): string {
    refuseFurther(further, "address");
    const { vertices, ids } = this.access.store;
    checkInteger(address, "an address");
    if (vertices.isUsed(address)) return ids.idOf(address);
    throw new KeyError(`Object does not exist: '${address}'`);
  }

  /**
   * Locks a name by opening a vertex that stands for it, which excludes other sessions that lock
   * the same name. The vertex expires after it is closed.
   * @param id the name; omitted: a unique name, which excludes no session
   * @param linger minimum lifetime of the vertex in seconds; -1: no limit
   * @throws AccessError
   */
  lock(id: string | null = null, linger = 0, timeout = 0, ...further: never[]): Vertex {
    refuseFurther(further, "timeout");
    const request = newRequest(LOCK_TYPE, { lifespan: linger, timeout });
    return new Vertex(this, openVertex(this.access, this.#lockId(id), request));
  }

  /** As `lock`, without blocking the thread; waits up to 10 seconds by default. */
  async lockAsync(
    id: string | null = null,
    linger = 0,
    timeout = ASYNC_TIMEOUT_MS,
    ...further: never[]
  ): Promise<Vertex> {
    refuseFurther(further, "timeout");
    const request = newRequest(LOCK_TYPE, { lifespan: linger, timeout });
    return new Vertex(this, await openVertexAsync(this.access, this.#lockId(id), request));
  }

  /**
   * Runs a function under a lock shared by all calls of `synchronized` in all threads, until it
   * returns or its promise settles.
   * @throws AccessError after waiting for 5 seconds
   */
  synchronized<A extends unknown[], R>(run: (...args: A) => R, ...args: A): R {
    checkFunction(run);
    const lock = this.lock(SYNCHRONIZED, 0, SYNCHRONIZED_TIMEOUT_MS);
    let isPending = false;
    try {
      const result = run(...args);
      if (!(result instanceof Promise)) return result;
      isPending = true;
      return result.finally(() => lock.close()) as R;
    } finally {
      if (!isPending) lock.close();
    }
  }

  /**
   * Creates arcs from a vertex to one or several others, or updates their values.
   * @returns number of new arcs
   * @throws ArcError, AccessError, KeyError, VertexError
   */
  connect(
    initial: VertexName,
    arc: ArcSpec,
    terminals: VertexName | readonly VertexName[],
    options?: ConnectOptions,
    ...further: never[]
  ): number {
    refuseFurther(further, "options");
    const { access } = this;
    const ends = isList(terminals)
      ? toVertexKeys(access.store, terminals)
      : toVertexKey(access.store, terminals);
    return connect(access, toVertexKey(access.store, initial), arc, ends, options);
  }

  /**
   * Creates arcs of one vertex atomically: `[["likes", "tea"], [["drank", M_CNT], "milk"]]`.
   * @returns number of new arcs
   * @throws ArcError, AccessError, KeyError, VertexError; CapacityError for too many at once
   */
  connectMany(
    initial: VertexName,
    arcs: readonly ArcInput<VertexName>[],
    options?: ConnectOptions,
    ...further: never[]
  ): number {
    refuseFurther(further, "options");
    const { access } = this;
    return connectMany(access, toVertexKey(access.store, initial), arcs, toVertexKey, options);
  }

  /**
   * Removes the matching arcs of a vertex; without a filter all, in both directions.
   * @returns number of arcs removed
   */
  disconnect(
    id: VertexName,
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    timeout = 0,
    ...further: never[]
  ): number {
    refuseFurther(further, "timeout");
    const { access } = this;
    return disconnect(access, toVertexKey(access.store, id), { arc, neighbor, timeout });
  }

  /** Adds to the M_CNT arc between two vertices; returns the new value, at least 0. */
  count(
    initial: VertexName,
    relationship: string | null,
    terminal: VertexName,
    delta = 1,
    timeout = 0,
    ...further: never[]
  ): number {
    refuseFurther(further, "timeout");
    const { access } = this;
    const [from, to] = [toVertexKey(access.store, initial), toVertexKey(access.store, terminal)];
    return count(access, from, relationship, to, delta, timeout);
  }

  /** Adds to the M_ACC arc between two vertices; returns the new value. */
  accumulate(
    initial: VertexName,
    relationship: string | null,
    terminal: VertexName,
    delta = 1,
    timeout = 0,
    ...further: never[]
  ): number {
    refuseFurther(further, "timeout");
    const { access } = this;
    const [from, to] = [toVertexKey(access.store, initial), toVertexKey(access.store, terminal)];
    return accumulate(access, from, relationship, to, delta, timeout);
  }

  #lockId(id: string | null): string {
    checkTextOrNull(id, "the name of a lock");
    return `lock_::${this.name}::${id ?? randomUUID().replaceAll("-", "")}`;
  }
}

/** @throws TypeError not an open vertex */
function requireOpenVertex(vertex: Vertex): Vertex {
  if (vertex instanceof Vertex) return vertex;
  const error = new TypeError("expected an open vertex");
  throw withArgumentDetails(error, vertex, "a vertex that `openVertex` returned");
}

function isList(value: VertexName | readonly VertexName[]): value is readonly VertexName[] {
  return Array.isArray(value);
}

function createOptions(
  type: string | null | undefined | CreateOptions,
  options: CreateOptions | undefined,
): CreateOptions {
  if (typeof type === "object" && type !== null) {
    if (options !== undefined) refuseFurther([options], "the options");
    return type;
  }
  if (options !== undefined) checkObject(options, "options");
  return { ...options, type };
}

function newRequest(
  type: string | null | undefined | CreateOptions,
  options?: CreateOptions,
): OpenRequest {
  const create = createOptions(type, options);
  return { mode: "w", timeout: create.timeout ?? 0, create };
}
