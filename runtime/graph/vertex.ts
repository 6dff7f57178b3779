// A vertex that a session holds, readonly or writable, until it is closed (interface, "Vertex").
// Changes are visible to everybody at once; closing and committing stamp them.

import {
  incProperty,
  removeProperties,
  removeProperty,
  setProperty,
} from "./changes/properties.js";
import { setExpiry, setRank, setType } from "./changes/vertices.js";
import { AccessError, InternalError, LookupError, ValueError } from "./errors.js";
import { accessOf, type GraphAccess, type GraphHandle } from "./graph-handle.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ArcFilter,
  ExecuteOptions,
  ListQueryOptions,
  NeighborhoodQueryOptions,
  ValueCondition,
  VertexCondition,
} from "./query/query-options.js";
import type { AccessMode } from "./sessions/open-vertices.js";
import type { Hold } from "./sessions/session.js";
import type { PropertyValue } from "./store/property-values.js";
import { nowSeconds } from "./time.js";
import { VertexAttributes } from "./vertex-attributes.js";

export type ArcTuple = readonly [
  direction: string,
  relationship: string,
  modifier: string,
  value: number,
  id: string,
];

export class Vertex extends VertexAttributes {
  /**
   * Opens a vertex; the same as `graph.openVertex`.
   * @param id id of the vertex; the runtime itself gives what it holds
   * @param type of a vertex that mode `w` creates
   * @throws AccessError, KeyError, ValueError
   */
  constructor(
    graph: GraphHandle,
    id: string | Hold,
    type: string | null = null,
    mode: AccessMode = "a",
    timeout = 0,
  ) {
    const access = accessOf(graph);
    super(access, typeof id === "object" ? id : openHold(access, id, type, mode, timeout));
  }

  /** True while it can be read. */
  readable(): boolean {
    return this.heldAs !== null;
  }

  readonly(): boolean {
    return this.heldAs === "r";
  }

  writable(): boolean {
    return this.heldAs === "w";
  }

  /** Commits and lets go of the vertex; false if that was done before. */
  close(): boolean {
    throw new InternalError("not written");
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Makes a readonly vertex writable.
   * @param timeout milliseconds to wait for other readers; negative is refused
   * @throws AccessError, ValueError
   */
  escalate(_timeout = 0): void {
    throw new InternalError("not written");
  }

  /**
   * Commits and makes a writable vertex readonly; false if it is held more than once.
   * @throws AccessError
   */
  relax(): boolean {
    throw new InternalError("not written");
  }

  /** Stamps what was changed; returns the operation id, negative for a readonly vertex. */
  commit(): number {
    throw new InternalError("not written");
  }

  /** Rank coefficient, 1.0 at first. */
  get c1(): number {
    return this.access.store.vertices.c1(this.hold.vertex);
  }

  set c1(value: number) {
    this.setRank(value);
  }

  /** Rank coefficient, 0.0 at first. */
  get c0(): number {
    return this.access.store.vertices.c0(this.hold.vertex);
  }

  set c0(value: number) {
    this.setRank(undefined, value);
  }

  /**
   * @throws ValueError for a key or value that cannot be stored; AccessError
   */
  setProperty(key: string, value: PropertyValue = null): void {
    const { store, session } = this.access;
    setProperty(store, session, this.#writable, key, value);
  }

  /** Sets one after the other until one is refused. */
  setProperties(properties: { readonly [key: string]: PropertyValue }): void {
    for (const [key, value] of Object.entries(properties)) this.setProperty(key, value);
  }

  getProperty(key: string): PropertyValue | null;
  getProperty<T>(key: string, fallback: T): PropertyValue | T;
  getProperty(key: string, fallback: unknown = null): unknown {
    return this.#property(key) ?? fallback;
  }

  /** @throws LookupError when there is none */
  requireProperty(key: string): PropertyValue {
    const value = this.#property(key);
    if (value === undefined) throw new LookupError(`Vertex has no property '${key}'`);
    return value;
  }

  /** @param _condition what its value must fulfil */
  hasProperty(key: string, _condition?: ValueCondition): boolean {
    return this.#property(key) !== undefined;
  }

  /** @throws LookupError when there is none */
  removeProperty(key: string): void {
    const { store, session } = this.access;
    if (removeProperty(store, session, this.#writable, key)) return;
    throw new LookupError(`Vertex has no property '${key}'`);
  }

  /** Removes all; returns how many there were. */
  removeProperties(): number {
    const { store, session } = this.access;
    return removeProperties(store, session, this.#writable);
  }

  numProperties(): number {
    return this.access.store.properties.keysOf(this.hold.vertex).length;
  }

  hasProperties(): boolean {
    return this.numProperties() > 0;
  }

  getProperties(): Record<string, PropertyValue> {
    return this.access.store.properties.all(this.hold.vertex);
  }

  /** Adds to a number, which is `by` when there is none; returns the new value. */
  incProperty(key: string, by = 1): number {
    const { store, session } = this.access;
    return incProperty(store, session, this.#writable, key, by);
  }

  keys(): string[] {
    return Object.keys(this.getProperties());
  }

  values(): PropertyValue[] {
    return Object.values(this.getProperties());
  }

  items(): [key: string, value: PropertyValue][] {
    return Object.entries(this.getProperties());
  }

  /**
   * @param type null or empty for none
   * @throws EnumerationError, AccessError
   */
  setType(type: string | null): void {
    const { store, session } = this.access;
    setType(store, session, this.#writable, type);
  }

  getType(): string {
    return this.type;
  }

  /** Code of the type. */
  getTypeEnum(): number {
    return this.access.store.vertices.typeOf(this.hold.vertex);
  }

  /** Sets the rank coefficients, those that are given; returns both. */
  setRank(c1: number = this.c1, c0: number = this.c0): [c1: number, c0: number] {
    if (typeof c1 !== "number" || typeof c0 !== "number") {
      throw new TypeError("a numeric coefficient is required");
    }
    const { store, session } = this.access;
    setRank(store, session, this.#writable, c1, c0);
    return this.getRank();
  }

  getRank(): [c1: number, c0: number] {
    return [this.c1, this.c0];
  }

  /**
   * @param second since 1970, or from now when `relative`
   * @throws ValueError, AccessError
   */
  setExpiration(second: number, relative = false): void {
    if (!Number.isSafeInteger(second)) throw new ValueError("expiration must be whole seconds");
    const { store, session } = this.access;
    setExpiry(store, session, this.#writable, relative ? nowSeconds() + second : second);
  }

  getExpiration(): number {
    return this.tmx;
  }

  isExpired(): boolean {
    return this.rtx === 0;
  }

  clearExpiration(): void {
    this.setExpiration(-1);
  }

  isVirtual(): boolean {
    return this.virtual;
  }

  /** Arcs of the vertex that match, and what lies behind them; see `Graph.neighborhood`. */
  neighborhood(_options?: NeighborhoodQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  aggregate(_options?: AggregateQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  adjacent(
    _arc?: ArcFilter,
    _neighbor?: VertexCondition,
    _options?: AdjacencyQueryOptions & ExecuteOptions,
  ): boolean {
    throw new InternalError("not written");
  }

  arcValue(_arc: ArcFilter, _terminal: string | Vertex): number | null {
    throw new InternalError("not written");
  }

  degree(_arc?: ArcFilter): number {
    throw new InternalError("not written");
  }

  inarcs(_options?: ExecuteOptions): ArcTuple[] {
    throw new InternalError("not written");
  }

  outarcs(_options?: ExecuteOptions): ArcTuple[] {
    throw new InternalError("not written");
  }

  initials(_options?: ListQueryOptions & ExecuteOptions): string[] {
    throw new InternalError("not written");
  }

  terminals(_options?: ListQueryOptions & ExecuteOptions): string[] {
    throw new InternalError("not written");
  }

  /** Ids of all neighbours, each once; with an arc filter one for each arc that matches. */
  neighbors(_arc?: ArcFilter): string[] {
    throw new InternalError("not written");
  }

  /** The handle of a vertex held for writing. */
  get #writable(): number {
    const { vertex, isWritable } = this.hold;
    if (!isWritable) throw new AccessError("Vertex not writable");
    return vertex;
  }

  #property(key: string): PropertyValue | undefined {
    const { vertex } = this.hold;
    const { keys, properties } = this.access.store;
    const code = keys.codeOf(key);
    return code === 0 ? undefined : properties.get(vertex, code);
  }
}

function openHold(
  _access: GraphAccess,
  id: string,
  _type: string | null,
  _mode: AccessMode,
  _timeout: number,
): Hold {
  throw new InternalError(`not written: opening ${id}`);
}
