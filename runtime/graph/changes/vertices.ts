// Creates, changes and removes vertices.

import { Header } from "../memory/layout.js";
import { encodeSecond, freezeClock, nowSeconds, unfreezeClock } from "../memory/time.js";
import { checkOptions } from "../model/check-argument.js";
import { ValueError, VertexError } from "../model/errors.js";
import { NAMES, withArgumentDetails } from "../model/invalid-argument.js";
import { isName } from "../model/names.js";
import { apply } from "../operations/apply.js";
import { ensureTypeCode } from "../operations/name-codes.js";
import { UNTYPED } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { PropertyValue } from "../store/property-values.js";
import type { Access } from "../store/session-view.js";
import type { VectorLike } from "../vectors/vector.js";
import type { VectorParts } from "../vectors/vector-parts.js";
import { begin, beginChange, changeVertex } from "./change-vertex.js";
import { applyProperty, type CheckedProperties, validateProperties } from "./properties.js";
import { LockedChange, runWithLocks, waitForLock } from "./run-with-locks.js";
import { applyVector, toStoredParts, UNNAMED } from "./vectors.js";
import {
  findHandle,
  idForCreation,
  isLockedByOther,
  requireMutableArcs,
  requireWritable,
  type VertexKey,
} from "./vertex-key.js";

/** Options of a new vertex. */
export interface CreateOptions {
  readonly type?: string | null | undefined;
  /** Seconds until the vertex expires; -1: unchanged. */
  readonly lifespan?: number;
  readonly properties?: { readonly [key: string]: PropertyValue } | undefined;
  /** Null: unchanged; an empty one removes the vector. */
  readonly vector?: VectorLike | null | undefined;
  /** Vectors by name, in addition to `vector`. */
  readonly vectors?: { readonly [name: string]: VectorLike | null } | undefined;
  /** Milliseconds to wait for vertices held by others; negative: no limit. */
  readonly timeout?: number;
}

const NO_OPTIONS: CreateOptions = {};
const NO_PROPERTIES: CheckedProperties = [];
const NO_VECTORS: StoredVectors = [];
type StoredVectors = readonly (readonly [name: string, parts: VectorParts])[];
/** `id` is a member of the vertices passed to `createVertices`. */
const CREATE_NAMES = new Set([
  ...["type", "lifespan", "properties", "vector", "vectors", "timeout", "id"],
]);
const LIFESPANS = "seconds; -1: it never expires";

class Create extends LockedChange<number> {
  id: VertexKey = 0;
  type: string | null = null;
  lifespan = -1;
  properties: CheckedProperties = NO_PROPERTIES;
  vectors: StoredVectors = NO_VECTORS;

  protected try(access: Access): number {
    const { store } = access;
    const { id, type, lifespan, properties, vectors } = this;
    requireWritable(store);
    const found = findHandle(store, id);
    if (isLockedByOther(access, found)) waitForLock(store, found);
    const { checksOwner } = store;
    // One second for all operations: reading the clock costs as much as some of them.
    const isFrozenHere = freezeClock();
    try {
      const created = makeReal(store, id, found, type);
      const vertex = created === 1 ? store.operation.vertex : found;
      // The owner of a new one has just been checked.
      if (created === 1) store.checksOwner = false;
      if (lifespan >= 0) applyExpiry(store, vertex, nowSeconds() + lifespan);
      for (const [key, value] of properties) applyProperty(store, vertex, key, value);
      for (const [name, parts] of vectors) applyVector(store, vertex, parts, name);
      return created;
    } finally {
      store.checksOwner = checksOwner;
      if (isFrozenHere) unfreezeClock();
    }
  }
}

const CREATE = new Create();

/**
 * Creates a vertex or makes a virtual one real; sets properties and expiry of an existing one.
 * @returns 1 if it was created or made real, else 0
 * @throws VertexError, AccessError, EnumerationError, ValueError
 */
export function createVertex(access: Access, id: VertexKey, options = NO_OPTIONS): number {
  const { store } = access;
  if (options !== NO_OPTIONS) checkOptions(options, CREATE_NAMES);
  const { type = null, lifespan = -1, timeout = 0 } = options;
  if (typeof lifespan !== "number" || Number.isNaN(lifespan)) {
    throw withArgumentDetails(
      new TypeError("lifespan must be a number"),
      lifespan,
      LIFESPANS,
      ".lifespan",
    );
  }
  const { properties = null } = options;
  // Both calls may run user code, which may create the vertex.
  const checked = properties === null ? NO_PROPERTIES : validateProperties(store, properties);
  const vectors = collectVectors(store, options);
  CREATE.id = id;
  CREATE.type = type;
  CREATE.lifespan = lifespan;
  CREATE.properties = checked;
  CREATE.vectors = vectors;
  return CREATE.run(access, timeout);
}

/** @throws ValueError, TypeError */
function collectVectors(store: GraphStore, { vector, vectors }: CreateOptions): StoredVectors {
  if ((vector ?? null) === null && vectors === undefined) return NO_VECTORS;
  const named = Object.entries(vectors ?? {});
  if (named.some(([name]) => name === UNNAMED)) throw new ValueError("a vector's name is empty");
  return [[UNNAMED, vector] as const, ...named].flatMap(([name, components]) => {
    if (components === null || components === undefined) return [];
    return [[name, toStoredParts(store, components, name)] as const];
  });
}

/** Creates a missing vertex or makes a virtual one real; `store.operation` has its handle. */
function makeReal(store: GraphStore, id: VertexKey, found: number, type: string | null): number {
  const code = type === null || type === "" ? 0 : resolveNewType(store, type);
  if (found !== 0 && store.vertices.isReal(found)) {
    const old = store.vertices.typeOf(found);
    if (code === 0 || code === old) return 0;
    const was = store.types.nameOf(old);
    throw new VertexError(
      `Type mismatch for existing object: '${store.ids.idOf(found)}' (existing type: ${was})`,
    );
  }
  const operation = begin(store, OperationCode.CreateVertex, found);
  operation.id = idForCreation(id);
  // A virtual vertex may still have the type it had before it was deleted.
  operation.name = code === 0 ? UNTYPED : code;
  return apply(store, operation);
}

/** @throws VertexError, EnumerationError */
function resolveNewType(store: GraphStore, type: string): number {
  if (typeof type !== "string") {
    throw withArgumentDetails(new TypeError("a type is a text, or null"), type, NAMES, ".type");
  }
  if (!isName(type)) {
    throw new VertexError(`invalid vertex type: '${type}'`);
  }
  return ensureTypeCode(store, type);
}

/**
 * Removes a vertex; one with inarcs stays as a virtual vertex.
 * @returns 1, or 0 if there was no real vertex
 * @throws AccessError
 */
export function deleteVertex(access: Access, vertex: VertexKey, timeout = 0): number {
  const { store } = access;
  return runWithLocks(access, timeout, () => {
    requireMutableArcs(access);
    const found = findHandle(store, vertex);
    if (found === 0) return 0;
    waitIfNeighborHeld(access, found);
    return apply(store, begin(store, OperationCode.DeleteVertex, found));
  });
}

/** Ends the attempt while others hold a vertex or a terminal of its outarcs. */
function waitIfNeighborHeld(access: Access, vertex: number): void {
  const { store } = access;
  if (isLockedByOther(access, vertex)) waitForLock(store, vertex);
  if (store.memory.header.words[Header.LocksHeld] === 0) return;
  const { outArcs } = store;
  for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
    const terminal = outArcs.otherAt(vertex, position);
    if (isLockedByOther(access, terminal)) waitForLock(store, terminal);
  }
}

/**
 * Sets the type of a vertex; null or empty: untyped.
 * @throws EnumerationError, AccessError
 */
export function setType(access: Access, vertex: VertexKey, type: string | null): void {
  const { store } = access;
  if (typeof type !== "string" && type !== null) {
    throw withArgumentDetails(new TypeError("a type is a text, or null"), type, NAMES, ".type");
  }
  changeVertex(access, vertex, (found) => {
    const code = type === null || type === "" ? UNTYPED : ensureTypeCode(store, type);
    beginChange(store, OperationCode.SetType, found).name = code;
    return apply(store, store.operation);
  });
}

/**
 * Sets the second since 1970 at which the vertex expires; negative or T_NEVER: never.
 * @throws AccessError
 */
export function setExpiry(access: Access, vertex: VertexKey, second: number): void {
  const { store } = access;
  if (typeof second !== "number") throw new TypeError("expiration must be a number");
  changeVertex(access, vertex, (found) => applyExpiry(store, found, second));
}

/** @throws AccessError */
export function setRank(access: Access, vertex: VertexKey, c1: number, c0: number): void {
  const { store } = access;
  if (typeof c1 !== "number" || typeof c0 !== "number" || Number.isNaN(c1 + c0)) {
    throw new TypeError("a numeric coefficient is required");
  }
  changeVertex(access, vertex, (found) => {
    const operation = beginChange(store, OperationCode.SetRank, found);
    operation.c1 = c1;
    operation.c0 = c0;
    return apply(store, operation);
  });
}

function applyExpiry(store: GraphStore, vertex: number, second: number): number {
  beginChange(store, OperationCode.SetExpiry, vertex).expiresAt = encodeSecond(second);
  return apply(store, store.operation);
}
