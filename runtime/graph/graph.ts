// A graph, for one session: its vertices and arcs, and the locks on them (interface, "Graph"). It is
// a light object that each request gets anew; all data lies in the store.

import { type ArcSpec, type ConnectOptions, connect } from "./changes/connect.js";
import { accumulate, count } from "./changes/count.js";
import { disconnect } from "./changes/disconnect.js";
import type { VertexKey } from "./changes/vertex-key.js";
import { type CreateOptions, createVertex, deleteVertex } from "./changes/vertices.js";
import { InternalError } from "./errors.js";
import { GraphManagement } from "./graph-management.js";
import type { Anchor } from "./graph-queries.js";
import type { ArcFilter, VertexCondition } from "./query/query-options.js";
import type { AccessMode } from "./sessions/open-vertices.js";
import { Vertex } from "./vertex.js";

export type OpenVertexState = readonly [id: string, session: number, mode: "RO" | "WL"];

export class Graph extends GraphManagement {
  /**
   * Makes a vertex, or a virtual one real; sets properties and expiry of one that is there.
   * @returns 1 if it was made or made real, 0 if it was there
   * @throws VertexError, AccessError, ValueError
   */
  createVertex(id: string, type?: string | null | CreateOptions, options?: CreateOptions): number {
    const { store, session } = this.access;
    return createVertex(store, session, id, createOptions(type, options));
  }

  /** Makes a vertex if there is none, and opens it for writing. */
  newVertex(_id: string, _type?: string | null | CreateOptions, _options?: CreateOptions): Vertex {
    throw new InternalError("not written");
  }

  /**
   * Removes a vertex; one that arcs lead to stays as a virtual vertex.
   * @param timeout milliseconds to wait if others hold it; negative for ever
   * @returns 1, or 0 if there was no real vertex
   */
  deleteVertex(id: Anchor, timeout = 0): number {
    const { store, session } = this.access;
    return deleteVertex(store, session, this.#key(id), timeout);
  }

  /**
   * Opens a vertex.
   * @param _id id or address
   * @param _mode `r` readonly, `a` writable, `w` writable and made if there is none
   * @param _timeout milliseconds to wait if others hold it; negative for ever
   * @throws KeyError, AccessError, ValueError
   */
  openVertex(_id: string | number, _mode: AccessMode = "a", _timeout = 0): Vertex {
    throw new InternalError("not written");
  }

  /** The same without blocking the thread; waits its turn. */
  openVertexAsync(_id: string | number, _mode: AccessMode = "a", _timeout = 0): Promise<Vertex> {
    throw new InternalError("not written");
  }

  /** Opens all or none. */
  openVertices(_ids: readonly Anchor[], _mode: "r" | "a" = "a", _timeout = 0): Vertex[] {
    throw new InternalError("not written");
  }

  /** Commits and releases; false if it was closed before. */
  closeVertex(vertex: Vertex): boolean {
    return vertex.close();
  }

  /** Number of those that were open. */
  closeVertices(vertices: readonly Vertex[]): number {
    return vertices.filter((vertex) => vertex.close()).length;
  }

  /** Releases all that this session holds; returns the number of locks. */
  closeAll(): number {
    throw new InternalError("not written");
  }

  /** Commits all that this session holds writable; returns how many vertices. */
  commitAll(): number {
    throw new InternalError("not written");
  }

  escalateVertex(vertex: Vertex, timeout = 0): void {
    vertex.escalate(timeout);
  }

  relaxVertex(vertex: Vertex): boolean {
    return vertex.relax();
  }

  /** @param _session whose vertices; 0 for all */
  getOpenVertices(_session = 0): OpenVertexState[] {
    throw new InternalError("not written");
  }

  hasVertex(id: string): boolean {
    return this.access.store.ids.find(id) !== 0;
  }

  /** Opens a vertex readonly. */
  getVertex(id: string): Vertex {
    return this.openVertex(id, "r");
  }

  /** Opens the first neighbour that matches, readonly or writable. */
  openNeighbor(_id: Anchor, _arc?: ArcFilter, _mode: "r" | "a" = "r", _timeout = 0): Vertex {
    throw new InternalError("not written");
  }

  /** Id of a vertex by its position, of a random one without. */
  getVertexID(_offset?: number): string {
    throw new InternalError("not written");
  }

  vertexIdByAddress(_address: number): string {
    throw new InternalError("not written");
  }

  /**
   * Makes arcs from a vertex to another or to several, or changes their values.
   * @returns number of arcs that were not there before
   * @throws ArcError, AccessError, KeyError, VertexError
   */
  connect(
    initial: Anchor,
    arc: ArcSpec,
    terminals: Anchor | readonly Anchor[],
    options?: ConnectOptions,
  ): number {
    const { store, session } = this.access;
    const ends = isList(terminals)
      ? terminals.map((terminal) => this.#key(terminal))
      : this.#key(terminals);
    return connect(store, session, this.#key(initial), arc, ends, options);
  }

  /**
   * Removes the arcs of a vertex that match; all in both directions without a filter.
   * @returns number of arcs removed
   */
  disconnect(id: Anchor, arc?: ArcFilter, neighbor?: VertexCondition, timeout = 0): number {
    const { store, session } = this.access;
    return disconnect(store, session, this.#key(id), { arc, neighbor, timeout });
  }

  /** Adds to the M_CNT arc between two vertices; returns the new value. */
  count(
    initial: Anchor,
    relationship: string | null,
    terminal: Anchor,
    delta = 1,
    timeout = 0,
  ): number {
    const { store, session } = this.access;
    const [from, to] = [this.#key(initial), this.#key(terminal)];
    return count(store, session, from, relationship, to, delta, timeout);
  }

  /** Adds to the M_ACC arc between two vertices; returns the new value. */
  accumulate(
    initial: Anchor,
    relationship: string | null,
    terminal: Anchor,
    delta = 1,
    timeout = 0,
  ): number {
    const { store, session } = this.access;
    const [from, to] = [this.#key(initial), this.#key(terminal)];
    return accumulate(store, session, from, relationship, to, delta, timeout);
  }

  #key(vertex: Anchor): VertexKey {
    if (!(vertex instanceof Vertex)) return vertex;
    return vertex.handle;
  }
}

function isList(value: Anchor | readonly Anchor[]): value is readonly Anchor[] {
  return Array.isArray(value);
}

function createOptions(
  type: string | null | undefined | CreateOptions,
  options: CreateOptions | undefined,
): CreateOptions {
  if (typeof type === "object" && type !== null) return type;
  return { ...options, type };
}
