// Everything about a graph as a whole: counts, names, readonly state, events, saving (interface,
// "Graph": management, enumeration, events).

import { truncate } from "./changes/graph.js";
import { InternalError, UnsupportedError } from "./errors.js";
import { GraphQueries } from "./graph-queries.js";

export interface ObjectCounts {
  readonly order: number;
  readonly size: number;
  readonly properties: number;
  readonly vectors: number;
}

/** Names in use: code, and how often the name is used. */
export type NameList = Readonly<Record<string, readonly [code: number, count: number]>>;

export class GraphManagement extends GraphQueries {
  /** Full path of its folder, null where nothing is stored. */
  get path(): string | null {
    return this.access.path;
  }

  /** Number of vertices, virtual ones included. */
  get order(): number {
    return this.access.store.order;
  }

  /** Number of arcs. */
  get size(): number {
    return this.access.store.size;
  }

  get objcnt(): ObjectCounts {
    const { order, size, propertyCount } = this.access.store;
    return { order, size, properties: propertyCount, vectors: 0 };
  }

  /** The graph's clock: seconds since 1970. */
  get ts(): number {
    return Date.now() / 1000;
  }

  /** Number of vertices of a type; null: of those without. The interface's `Order(type)`. */
  orderOf(_type: string | null): number {
    throw new InternalError("not written");
  }

  /**
   * Removes all vertices, or those of a type, with their arcs; returns how many vertices.
   * @throws AccessError
   */
  truncate(type?: string | null): number {
    const { store, session } = this.access;
    return truncate(store, session, type);
  }

  /**
   * Stores the graph in its folder; returns the number of 8-byte words written.
   * @param _timeout milliseconds to wait for another save
   * @param _force writes everything, not only what has changed
   */
  save(_timeout = 1000, _force = false): number {
    throw new InternalError("not written");
  }

  /** Removes all data, on disk too, and closes the graph for everybody. */
  erase(): void {
    throw new InternalError("not written");
  }

  /** Pushes all data to attached instances. */
  sync(): never {
    throw new UnsupportedError("`sync` is not supported yet");
  }

  /**
   * Refuses all changes from now on; also pauses expiry.
   * @param _timeout milliseconds to wait for writable vertices
   * @throws OperationTimeout
   */
  setGraphReadonly(_timeout = 1000, _force = false): void {
    throw new InternalError("not written");
  }

  clearGraphReadonly(): void {
    throw new InternalError("not written");
  }

  isGraphReadonly(): boolean {
    return this.access.store.isReadonly;
  }

  isGraphLocal(): boolean {
    return this.access.isLocal;
  }

  status(): unknown {
    throw new InternalError("not written");
  }

  /** Bytes of memory by metric, or of one metric. */
  getMemoryUsage(): Record<string, number>;
  getMemoryUsage(metric: string): number;
  getMemoryUsage(_metric?: string): unknown {
    throw new InternalError("not written");
  }

  /** Sets the query counters to zero. */
  resetCounters(): void {
    throw new InternalError("not written");
  }

  /** Code of a relationship, which is given one if it has none. */
  enumRelationship(_name: string): number {
    throw new InternalError("not written");
  }

  relationship(_code: number): string {
    throw new InternalError("not written");
  }

  relationships(): NameList {
    return this.access.store.relationships.list();
  }

  enumVertexType(_name: string): number {
    throw new InternalError("not written");
  }

  vertexType(_code: number): string {
    throw new InternalError("not written");
  }

  vertexTypes(): NameList {
    return this.access.store.types.list();
  }

  enumKey(_name: string): number {
    throw new InternalError("not written");
  }

  key(_code: number): string {
    throw new InternalError("not written");
  }

  propertyKeys(): NameList {
    return this.access.store.keys.list();
  }

  /** Lets expired vertices and arcs be removed. */
  eventEnable(): void {
    throw new InternalError("not written");
  }

  eventDisable(): void {
    throw new InternalError("not written");
  }

  eventFlush(): void {
    throw new InternalError("not written");
  }

  /** State of the event processor in one line. */
  eventBacklog(): string {
    throw new InternalError("not written");
  }

  eventParam(): unknown {
    throw new InternalError("not written");
  }
}
