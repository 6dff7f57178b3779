// A graph, for one session: its vertices and arcs, and the locks on them. A
// light object that each request gets anew; all data lies in the store.

import { randomUUID } from "node:crypto";
import { batch } from "../changes/batch.js";
import { type ArcInput, connectMany, createVertices, type VertexInput } from "../changes/bulk.js";
import { type ArcSpec, type ConnectOptions, connect } from "../changes/connect.js";
import { accumulate, count } from "../changes/count.js";
import { disconnect } from "../changes/disconnect.js";
import { type CreateOptions, createVertex, deleteVertex } from "../changes/vertices.js";
import {
  checkFunction,
  checkInteger,
  checkObject,
  checkTextOrNull,
} from "../model/check-argument.js";
import { IndexError, KeyError } from "../model/errors.js";
import { withArgumentDetails } from "../model/invalid-argument.js";
import { firstNeighbor } from "../query/calls/lists.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import {
  type AccessMode,
  type OpenRequest,
  openVertex,
  openVertexAsync,
  openVertices,
  openVerticesAsync,
} from "../sessions/open-vertices.js";
import { toVertexKey, toVertexKeys, toVertexList, type VertexName } from "./call-arguments.js";
import { GraphManagement } from "./graph-management.js";
import { Vertex } from "./vertex.js";

/** A vertex that a session holds: `RO` readonly, `WL` writable. */
export type OpenVertexInfo = readonly [id: string, session: number, mode: "RO" | "WL"];

/** What keeps others out of a section of code. */
const SYNCHRONIZED = "_SYN";
const SYNCHRONIZED_TIMEOUT_MS = 5000;
/** Two requests that wait for each other in two threads end so. */
const ASYNC_TIMEOUT_MS = 10_000;
/** How often a random handle may turn out to be free before all are gone through. */
const RANDOM_ATTEMPTS = 64;
const LOCK_TYPE = "lock_";

/**
 * A graph: vertices, arcs between them, properties, and the queries over all that. The argument
 * `graph` of a plugin is one; `new Graph(name)` opens one at module level.
 */
export class Graph extends GraphManagement {
  /**
   * Makes a vertex, or a virtual one real; sets properties and expiry of one that is there.
   * @returns 1 if it was made or made real, 0 if it was there
   * @throws VertexError, AccessError, ValueError
   */
  createVertex(id: string, type?: string | null | CreateOptions, options?: CreateOptions): number {
    return createVertex(this.access, id, createOptions(type, options));
  }

  /**
   * Makes vertices together, or none: of ids, or of objects with `id`, `type`, `properties` ….
   * @returns how many were made or made real
   * @throws VertexError, AccessError, ValueError; CapacityError for too many at once
   */
  createVertices(vertices: readonly VertexInput[]): number {
    return createVertices(this.access, vertices);
  }

  /**
   * Makes a vertex if there is none, and opens it for writing.
   * @throws VertexError, AccessError, ValueError
   */
  newVertex(id: string, type?: string | null | CreateOptions, options?: CreateOptions): Vertex {
    return new Vertex(this, openVertex(this.access, id, newRequest(type, options)));
  }

  /** The same without blocking the thread; waits its turn, for 10 seconds by default. */
  async newVertexAsync(
    id: string,
    type?: string | null | CreateOptions,
    options?: CreateOptions,
  ): Promise<Vertex> {
    if (options !== undefined) checkObject(options, "options");
    const request = newRequest(type, { timeout: ASYNC_TIMEOUT_MS, ...options });
    return new Vertex(this, await openVertexAsync(this.access, id, request));
  }

  /**
   * Removes a vertex; one that arcs lead to stays as a virtual vertex.
   * @param timeout milliseconds to wait if others hold it; negative for ever
   * @returns 1, or 0 if there was no real vertex
   * @throws AccessError
   */
  deleteVertex(id: VertexName, timeout = 0): number {
    const { access } = this;
    return deleteVertex(access, toVertexKey(access.store, id), timeout);
  }

  /**
   * Opens a vertex.
   * @param id id or address
   * @param mode `r` readonly, `a` writable, `w` writable and made if there is none
   * @param timeout milliseconds to wait if others hold it; negative for ever
   * @throws KeyError, AccessError, ValueError
   */
  openVertex(id: string | number, mode: AccessMode = "a", timeout = 0): Vertex {
    return new Vertex(this, openVertex(this.access, id, { mode, timeout }));
  }

  /** The same without blocking the thread; waits its turn, for 10 seconds by default. */
  async openVertexAsync(
    id: string | number,
    mode: AccessMode = "a",
    timeout = ASYNC_TIMEOUT_MS,
  ): Promise<Vertex> {
    return new Vertex(this, await openVertexAsync(this.access, id, { mode, timeout }));
  }

  /**
   * Opens all or none.
   * @throws KeyError, AccessError, ValueError
   */
  openVertices(ids: readonly VertexName[], mode: "r" | "a" = "a", timeout = 0): Vertex[] {
    const { access } = this;
    const holds = openVertices(access, toVertexKeys(access.store, ids), { mode, timeout });
    return holds.map((hold) => new Vertex(this, hold));
  }

  /** The same without blocking the thread; waits for 10 seconds by default. */
  async openVerticesAsync(
    ids: readonly VertexName[],
    mode: "r" | "a" = "a",
    timeout = ASYNC_TIMEOUT_MS,
  ): Promise<Vertex[]> {
    const { access } = this;
    const holds = await openVerticesAsync(access, toVertexKeys(access.store, ids), {
      mode,
      timeout,
    });
    return holds.map((hold) => new Vertex(this, hold));
  }

  /**
   * Makes all changes of a function together, or none when it throws. Nobody else can change the
   * graph meanwhile; vertices are opened before, and only this graph is touched.
   * @throws CapacityError, AccessError, TypeError, and what the function throws
   */
  batch<T>(run: () => T): T {
    return batch(this.access.store, run);
  }

  /** Commits and releases; false if it was closed before. */
  closeVertex(vertex: Vertex): boolean {
    return openOne(vertex).close();
  }

  /** Number of those that were open. */
  closeVertices(vertices: readonly Vertex[]): number {
    return toVertexList(vertices).filter((vertex) => openOne(vertex).close()).length;
  }

  /** Releases all that this session holds; returns the number of locks. */
  closeAll(): number {
    return this.access.session.releaseAll();
  }

  /** Commits all that this session holds writable; returns how many vertices. */
  commitAll(): number {
    return this.access.session.writableHeld;
  }

  /** @throws AccessError, ValueError */
  escalateVertex(vertex: Vertex, timeout = 0): void {
    openOne(vertex).escalate(timeout);
  }

  /** @throws AccessError */
  relaxVertex(vertex: Vertex): boolean {
    return openOne(vertex).relax();
  }

  /** @param session whose vertices; 0 for all */
  getOpenVertices(session = 0): OpenVertexInfo[] {
    const { locks, ids } = this.access.store;
    checkInteger(session, "a session");
    return locks
      .entries()
      .filter((lock) => session === 0 || lock.session === session)
      .map((lock) => [ids.idOf(lock.vertex), lock.session, lock.isWritable ? "WL" : "RO"]);
  }

  /** True if there is a vertex of this id, real or virtual, whoever holds it. */
  hasVertex(id: string): boolean {
    if (typeof id !== "string") throw new TypeError("a vertex identifier must be a string");
    return this.access.store.ids.resolve(id) !== 0;
  }

  /**
   * Opens a vertex readonly.
   * @throws KeyError, AccessError
   */
  getVertex(id: string): Vertex {
    return this.openVertex(id, "r");
  }

  /**
   * Opens the first neighbour that matches.
   * @throws KeyError, AccessError, ValueError, QueryError
   */
  openNeighbor(id: VertexName, arc?: ArcFilter, mode: "r" | "a" = "r", timeout = 0): Vertex {
    const { access } = this;
    const vertex = firstNeighbor(access.store, toVertexKey(access.store, id), arc);
    const [hold] = openVertices(access, [vertex], { mode, timeout });
    return new Vertex(this, hold!);
  }

  /**
   * Id of a vertex by its position, from the end when negative; of a random one without.
   * @throws IndexError
   */
  getVertexID(offset?: number): string {
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
    const wanted = offset ?? Math.floor(Math.random() * order);
    const position = wanted < 0 ? order + wanted : wanted;
    let seen = -1;
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      if (vertices.isUsed(vertex) && ++seen === position) return ids.idOf(vertex);
    }
    throw new IndexError(`vertex offset ${wanted} out of range`);
  }

  /** @throws KeyError */
  vertexIdByAddress(address: number): string {
    const { vertices, ids } = this.access.store;
    checkInteger(address, "an address");
    if (vertices.isUsed(address)) return ids.idOf(address);
    throw new KeyError(`Object does not exist: '${address}'`);
  }

  /**
   * Holds a vertex that stands for a name, which keeps out everybody else who locks the same name.
   * It goes away some time after it is closed.
   * @param id the name; without one nobody else is kept out
   * @param linger seconds that the vertex stays at least; -1 for ever
   * @throws AccessError
   */
  lock(id: string | null = null, linger = 0, timeout = 0): Vertex {
    const request = newRequest(LOCK_TYPE, { lifespan: linger, timeout });
    return new Vertex(this, openVertex(this.access, this.#lockId(id), request));
  }

  /** The same without blocking the thread; waits its turn, for 10 seconds by default. */
  async lockAsync(
    id: string | null = null,
    linger = 0,
    timeout = ASYNC_TIMEOUT_MS,
  ): Promise<Vertex> {
    const request = newRequest(LOCK_TYPE, { lifespan: linger, timeout });
    return new Vertex(this, await openVertexAsync(this.access, this.#lockId(id), request));
  }

  /**
   * Runs a function while no other one runs that was given to `synchronized`, in any thread; until
   * its promise settles if it returns one.
   * @throws AccessError after waiting for 5 seconds
   */
  synchronized<A extends unknown[], R>(run: (...given: A) => R, ...given: A): R {
    checkFunction(run);
    const lock = this.lock(SYNCHRONIZED, 0, SYNCHRONIZED_TIMEOUT_MS);
    let isOver = true;
    try {
      const result = run(...given);
      if (!(result instanceof Promise)) return result;
      isOver = false;
      return result.finally(() => lock.close()) as R;
    } finally {
      if (isOver) lock.close();
    }
  }

  /**
   * Makes arcs from a vertex to another or to several, or changes their values.
   * @returns number of arcs that were not there before
   * @throws ArcError, AccessError, KeyError, VertexError
   */
  connect(
    initial: VertexName,
    arc: ArcSpec,
    terminals: VertexName | readonly VertexName[],
    options?: ConnectOptions,
  ): number {
    const { access } = this;
    const ends = isList(terminals)
      ? toVertexKeys(access.store, terminals)
      : toVertexKey(access.store, terminals);
    return connect(access, toVertexKey(access.store, initial), arc, ends, options);
  }

  /**
   * Makes arcs of one vertex together, or none: `[["likes", "tea"], [["drank", M_CNT], "milk"]]`.
   * @returns number of arcs that were not there before
   * @throws ArcError, AccessError, KeyError, VertexError; CapacityError for too many at once
   */
  connectMany(
    initial: VertexName,
    arcs: readonly ArcInput<VertexName>[],
    options?: ConnectOptions,
  ): number {
    const { access } = this;
    return connectMany(access, toVertexKey(access.store, initial), arcs, toVertexKey, options);
  }

  /**
   * Removes the arcs of a vertex that match; all in both directions without a filter.
   * @returns number of arcs removed
   */
  disconnect(id: VertexName, arc?: ArcFilter, neighbor?: VertexCondition, timeout = 0): number {
    const { access } = this;
    return disconnect(access, toVertexKey(access.store, id), { arc, neighbor, timeout });
  }

  /** Adds to the M_CNT arc between two vertices; returns the new value. */
  count(
    initial: VertexName,
    relationship: string | null,
    terminal: VertexName,
    delta = 1,
    timeout = 0,
  ): number {
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
  ): number {
    const { access } = this;
    const [from, to] = [toVertexKey(access.store, initial), toVertexKey(access.store, terminal)];
    return accumulate(access, from, relationship, to, delta, timeout);
  }

  #lockId(id: string | null): string {
    checkTextOrNull(id, "the name of a lock");
    return `lock_::${this.name}::${id ?? randomUUID().replaceAll("-", "")}`;
  }
}

/** @throws TypeError what is no vertex that was opened */
function openOne(vertex: Vertex): Vertex {
  if (vertex instanceof Vertex) return vertex;
  const error = new TypeError("a vertex that was opened is required");
  throw withArgumentDetails(error, vertex, "what `openVertex` and its like return");
}

function isList(value: VertexName | readonly VertexName[]): value is readonly VertexName[] {
  return Array.isArray(value);
}

function createOptions(
  type: string | null | undefined | CreateOptions,
  options: CreateOptions | undefined,
): CreateOptions {
  if (typeof type === "object" && type !== null) return type;
  if (options !== undefined) checkObject(options, "options");
  return { ...options, type };
}

function newRequest(
  type: string | null | undefined | CreateOptions,
  options: CreateOptions | undefined,
): OpenRequest {
  const create = createOptions(type, options);
  return { mode: "w", timeout: create.timeout ?? 0, create };
}
