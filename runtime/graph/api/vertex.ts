// A vertex that a session has open, read-only or writable, until it is closed. Changes are visible
// to all sessions at once; closing and committing set its operation id and time.

// Declares `Symbol.dispose` for projects with an older `lib`.
/// <reference lib="esnext.disposable" preserve="true" />

import {
  incProperty,
  removeProperties,
  removeProperty,
  setProperty,
} from "../changes/properties.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { type AccessMode, openVertex, openVertices } from "../changes/sessions/open-vertices.js";
import { ReadHandle } from "../changes/sessions/read-handle.js";
import type { HeldVertex } from "../changes/sessions/session.js";
import { removeVector, setVector, toStoredParts } from "../changes/vectors.js";
import { setExpiry, setRank, setType } from "../changes/vertices.js";
import { nowSeconds } from "../memory/time.js";
import { checkObject, checkText, checkTimeout, refuseFurther } from "../model/check-argument.js";
import { AccessError, LookupError, ValueError } from "../model/errors.js";
import { firstNeighbor } from "../query/calls/lists.js";
import { parseValueCondition, testValue } from "../query/match/value-condition.js";
import type { ArcFilter, ValueCondition } from "../query/parse/query-options.js";
import type { PropertyValue } from "../store/property-values.js";
import { readConsistently } from "../store/read-consistently.js";
import { lockDeadlineAfter } from "../store/session-view.js";
import type { VectorLike } from "../vectors/vector.js";
import { GraphHandle, getAccess } from "./graph-handle.js";
import type { VertexRecord } from "./vertex-attributes.js";
import { VertexQueries } from "./vertex-queries.js";

/** An open vertex. It is closed by `close`, by `using`, or at the end of the request. */
export class Vertex extends VertexQueries {
  /**
   * Opens a vertex; same as `graph.openVertex`.
   * @param id id of the vertex; the runtime passes an existing lock or handle
   * @param type type of a vertex that mode `w` creates
   * @throws AccessError, KeyError, ValueError
   */
  constructor(
    graph: GraphHandle | GraphAccess,
    id: string | HeldVertex | ReadHandle,
    type: string | null = null,
    mode: AccessMode = "a",
    timeout = 0,
  ) {
    const access = graph instanceof GraphHandle ? getAccess(graph) : graph;
    super(access, typeof id === "object" ? id : openHold(access, id, type, mode, timeout));
  }

  /** Returns whether it is open. */
  readable(): boolean {
    return this.heldAs !== null;
  }

  /** Returns whether it is open read-only. */
  readonly(): boolean {
    return this.heldAs === "r";
  }

  /** Returns whether it is open for writing. */
  writable(): boolean {
    return this.heldAs === "w";
  }

  /** Commits and releases the vertex; false if it was already closed. */
  close(): boolean {
    if (this.heldAs === null) return false;
    const { hold } = this;
    const { session } = this.access;
    if (hold instanceof ReadHandle) {
      this.replaceHold(null);
      return true;
    }
    session.requireNoBatch();
    this.replaceHold(null);
    session.release(hold);
    return true;
  }

  /** Closes it: `using vertex = graph.openVertex("a");`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * Makes a read-only vertex writable.
   * @param timeout milliseconds to wait for other readers; must not be negative
   * @throws AccessError, ValueError
   */
  escalate(timeout = 0, ...further: never[]): void {
    refuseFurther(further, "timeout");
    checkTimeout(timeout);
    if (timeout < 0) throw new ValueError("Infinite timeout not allowed for this operation");
    const { hold } = this;
    if (hold instanceof ReadHandle) {
      this.replaceHold(openVertex(this.access, this.id, { mode: "a", timeout }));
    } else this.access.session.escalate(hold, lockDeadlineAfter(timeout));
  }

  /**
   * Commits and makes a writable vertex read-only; false if it is locked more than once.
   * @throws AccessError
   */
  relax(): boolean {
    const { hold } = this;
    return hold instanceof ReadHandle || this.access.session.relax(hold);
  }

  /** Commits all changes; returns the operation id of the last one, -1 for a read-only vertex. */
  commit(): number {
    return this.hold.isWritable ? this.op : -1;
  }

  /** Rank coefficient, initially 1.0. */
  get c1(): number {
    return this.confirmed(this.access.store.vertices.c1(this.hold.vertex));
  }

  set c1(value: number) {
    this.setRank(value);
  }

  /** Rank coefficient, initially 0.0. */
  get c0(): number {
    return this.confirmed(this.access.store.vertices.c0(this.hold.vertex));
  }

  set c0(value: number) {
    this.setRank(undefined, value);
  }

  /**
   * Sets a property.
   * @param isVirtual stores the value on disk, as the key prefix `*` does: up to 4 MiB, read on
   * each access, and invisible to filters
   * @throws ValueError invalid key or value; AccessError, DataError
   */
  setProperty(
    key: string,
    value: PropertyValue = null,
    isVirtual = false,
    ...further: never[]
  ): void {
    refuseFurther(further, "isVirtual");
    setProperty(this.access, this.#writable, key, value, isVirtual);
  }

  /** Sets properties in order until one fails. */
  setProperties(properties: { readonly [key: string]: PropertyValue }, ...further: never[]): void {
    refuseFurther(further, "properties");
    checkObject(properties, "properties");
    for (const [key, value] of Object.entries(properties)) this.setProperty(key, value);
  }

  /** Returns the value of a property; `fallback` (default: null) if there is none. */
  getProperty(key: string): PropertyValue | null;
  getProperty<T>(key: string, fallback: T): PropertyValue | T;
  getProperty(key: string, fallback: unknown = null, ...further: never[]): unknown {
    refuseFurther(further, "fallback");
    const value = this.#property(key);
    return value === undefined ? fallback : value;
  }

  /**
   * Returns the value of a property that must exist.
   * @throws LookupError no such property
   */
  requireProperty(key: string, ...further: never[]): PropertyValue {
    refuseFurther(further, "key");
    const value = this.#property(key);
    if (value === undefined) throw new LookupError(`Vertex has no property '${key}'`);
    return value;
  }

  /**
   * Returns whether a property exists and matches a condition.
   * @param condition condition on its value
   */
  hasProperty(key: string, condition?: ValueCondition, ...further: never[]): boolean {
    refuseFurther(further, "condition");
    const value = this.#property(key);
    if (value === undefined || condition === undefined) return value !== undefined;
    return testValue(parseValueCondition(condition), value);
  }

  /**
   * Removes a property.
   * @throws LookupError no such property
   */
  removeProperty(key: string, ...further: never[]): void {
    refuseFurther(further, "key");
    if (removeProperty(this.access, this.#writable, key)) return;
    throw new LookupError(`Vertex has no property '${key}'`);
  }

  /** Removes all properties; returns their number. */
  removeProperties(): number {
    return removeProperties(this.access, this.#writable);
  }

  /** Returns the number of properties. */
  numProperties(): number {
    return this.confirmed(this.access.store.properties.keysOf(this.hold.vertex).length);
  }

  /** Returns whether there are properties. */
  hasProperties(): boolean {
    return this.numProperties() > 0;
  }

  /** Returns a copy of all properties. */
  getProperties(): Record<string, PropertyValue> {
    return this.confirmed(this.access.store.properties.all(this.hold.vertex));
  }

  /** Adds to a number, 0 if there is none; returns the new value. */
  incProperty(key: string, by = 1, ...further: never[]): number {
    refuseFurther(further, "by");
    return incProperty(this.access, this.#writable, key, by);
  }

  /** Returns the keys of all properties, in no particular order. */
  keys(): string[] {
    return Object.keys(this.getProperties());
  }

  /** Returns the values of all properties, in the order of `keys`. */
  values(): PropertyValue[] {
    return Object.values(this.getProperties());
  }

  /** Returns keys and values of all properties. */
  items(): [key: string, value: PropertyValue][] {
    return Object.entries(this.getProperties());
  }

  /**
   * Sets or replaces the vector, or that of a name; the null vector removes it.
   * @throws ValueError, TypeError, AccessError, CapacityError
   */
  setVector(vector: VectorLike, name = "", ...further: never[]): void {
    refuseFurther(further, "name");
    const parts = toStoredParts(this.access.store, vector, name);
    setVector(this.access, this.#writable, parts, name);
  }

  /**
   * Removes the vector, or that of a name; false if there was none.
   * @throws AccessError
   */
  removeVector(name = "", ...further: never[]): boolean {
    refuseFurther(further, "name");
    return removeVector(this.access, this.#writable, name);
  }

  /**
   * Sets the type.
   * @param type null or empty for none
   * @throws EnumerationError, AccessError
   */
  setType(type: string | null, ...further: never[]): void {
    refuseFurther(further, "type");
    setType(this.access, this.#writable, type);
  }

  /** Returns the name of its type; `__vertex__` if it has none. */
  getType(): string {
    return this.type;
  }

  /** Returns the code of its type. */
  getTypeEnum(): number {
    return this.confirmed(this.access.store.vertices.typeOf(this.hold.vertex));
  }

  /** Sets the given rank coefficients; returns both. */
  setRank(
    c1: number = this.c1,
    c0: number = this.c0,
    ...further: never[]
  ): [c1: number, c0: number] {
    refuseFurther(further, "c0");
    if (typeof c1 !== "number" || typeof c0 !== "number") {
      throw new TypeError("a numeric coefficient is required");
    }
    setRank(this.access, this.#writable, c1, c0);
    return this.getRank();
  }

  /** Returns both rank coefficients. */
  getRank(): [c1: number, c0: number] {
    return [this.c1, this.c0];
  }

  /**
   * Sets the expiry time.
   * @param second since 1970, or from now if `relative`
   * @throws ValueError, AccessError
   */
  setExpiration(second: number, relative = false, ...further: never[]): void {
    refuseFurther(further, "relative");
    if (!Number.isSafeInteger(second)) throw new ValueError("expiration must be whole seconds");
    setExpiry(this.access, this.#writable, relative ? nowSeconds() + second : second);
  }

  /** Returns the expiry time in seconds since 1970; T_NEVER if it does not expire. */
  getExpiration(): number {
    return this.tmx;
  }

  /** Returns whether it has expired; it is removed soon after it is closed. */
  isExpired(): boolean {
    return this.rtx === 0;
  }

  /** Removes the expiry time. */
  clearExpiration(): void {
    this.setExpiration(-1);
  }

  /** Returns whether it exists only because arcs lead to it. */
  isVirtual(): boolean {
    return this.virtual;
  }

  /** Returns all attributes, properties and the vector. */
  asDict(): VertexRecord {
    const { id, internalid, odeg, ideg, deg, type, man, properties, tmc, tmm, tmx } = this;
    const { c1, c0, virtual, address, index, op, owner, readers, xrecursion } = this;
    const { descriptor, bitindex, bitvector, allocator } = this;
    const vector = this.getVector().toJSON();
    return {
      ...{ id, internalid, odeg, ideg, deg, descriptor, type, man, vector, properties },
      ...{ tmc, tmm, tmx, rank: { c1, c0 }, virtual, address, index, bitindex, bitvector, op },
      ...{ enum: this.enum, owner, readers, xrecursion, allocator },
    };
  }

  /** Same as `asDict`, for `JSON.stringify`. */
  toJSON(): VertexRecord {
    return this.asDict();
  }

  /**
   * Opens the first neighbor that an arc filter leads to, by default outbound.
   * @throws KeyError, AccessError, ValueError, QueryError
   */
  openNeighbor(arc?: ArcFilter, mode: "r" | "a" = "r", timeout = 0, ...further: never[]): Vertex {
    refuseFurther(further, "timeout");
    const vertex = firstNeighbor(this.access.store, this.hold.vertex, arc);
    const [hold] = openVertices(this.access, [vertex], { mode, timeout });
    return new Vertex(this.access, hold!);
  }

  /** Handle of the vertex, checked for writing. */
  get #writable(): number {
    const { vertex, isWritable } = this.hold;
    if (!isWritable) throw new AccessError("Vertex not writable");
    return vertex;
  }

  #property(key: string): PropertyValue | undefined {
    const { vertex } = this.hold;
    const { store } = this.access;
    checkText(key, "a property key");
    const value = readConsistently(store, false, () => {
      const code = store.keys.codeOf(key);
      return code === 0 ? undefined : store.properties.get(vertex, code);
    });
    return this.confirmed(value);
  }
}

function openHold(
  access: GraphAccess,
  id: string,
  type: string | null,
  mode: AccessMode,
  timeout: number,
): HeldVertex {
  if (type === null) return openVertex(access, id, { mode, timeout });
  if (mode === "w") return openVertex(access, id, { mode, timeout, create: { type } });
  throw new ValueError("Vertex type argument not permitted for this access mode");
}
