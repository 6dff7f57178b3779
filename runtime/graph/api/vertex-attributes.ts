// Attributes of a vertex. Every access reads shared memory; the object stores only the handle and
// its lock.

import type { GraphAccess } from "../changes/sessions/graph-access.js";
import type { AccessMode } from "../changes/sessions/open-vertices.js";
import { ReadHandle } from "../changes/sessions/read-handle.js";
import type { HeldVertex } from "../changes/sessions/session.js";
import { findVectors } from "../changes/vectors.js";
import { NEVER, RecordWord } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { refuseFurther } from "../model/check-argument.js";
import { AccessError } from "../model/errors.js";
import {
  DEG,
  DESCRIPTOR,
  ID,
  IDEG,
  INTERNALID,
  ODEG,
  OP,
  TMC,
  TMM,
  TMX,
  TYPE,
  VIRTUAL,
} from "../store/attributes/vertex-attributes.js";
import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";
import { arcBits } from "../vectors/projections.js";
import { Vector } from "../vectors/vector.js";
import type { VectorComponents } from "../vectors/vector-parts.js";
import { projectionSize } from "./graph-similarity.js";

/** Remaining seconds of a vertex that does not expire. */
const NO_EXPIRY = 0xffff_ffff;

/** Result of `asDict`. */
export interface VertexRecord {
  readonly id: string;
  readonly internalid: string;
  readonly odeg: number;
  readonly ideg: number;
  readonly deg: number;
  readonly descriptor: number;
  readonly type: string;
  readonly man: "REAL" | "VIRTUAL";
  readonly vector: VectorComponents;
  readonly properties: Record<string, PropertyValue>;
  readonly tmc: number;
  readonly tmm: number;
  readonly tmx: number;
  readonly rank: { readonly c1: number; readonly c0: number };
  readonly virtual: boolean;
  readonly address: number;
  readonly index: number;
  readonly bitindex: number;
  readonly bitvector: number;
  readonly op: number;
  readonly enum: number;
  readonly owner: number;
  readonly readers: number;
  readonly xrecursion: number;
  readonly allocator: VertexPlace;
}

/** Storage location of a vertex in this implementation. */
export interface VertexPlace {
  readonly handle: number;
  /** Incremented when the handle is reused for another vertex. */
  readonly generation: number;
  /** Number of locks on it. */
  readonly refc: number;
}

/** Returns the handle of an open vertex, which must be of the given graph. */
export let getHandle: (store: GraphStore, vertex: VertexAttributes) => number;
/** Returns its handle; without a lock its id, because the handle may be reused. */
export let getVertexKey: (store: GraphStore, vertex: VertexAttributes) => number | string;

export class VertexAttributes {
  readonly #access: GraphAccess;
  #hold: HeldVertex | ReadHandle | null;

  protected constructor(access: GraphAccess, hold: HeldVertex | ReadHandle) {
    this.#access = access;
    this.#hold = hold;
  }

  /** Unique name of the vertex. */
  get id(): string {
    return this.confirmed(ID.of(this.#store, this.#vertex));
  }

  /** Same as `id`. */
  get identifier(): string {
    return this.id;
  }

  /** Digest of the id, 32 hex digits; accepted wherever an id is. */
  get internalid(): string {
    return this.confirmed(INTERNALID.of(this.#store, this.#vertex));
  }

  /** Name of its type; `__vertex__` if it has none. */
  get type(): string {
    return this.confirmed(TYPE.of(this.#store, this.#vertex));
  }

  /** Number of inbound and outbound arcs. */
  get deg(): number {
    return this.confirmed(DEG.of(this.#store, this.#vertex));
  }

  /** Number of inbound arcs. */
  get ideg(): number {
    return this.confirmed(IDEG.of(this.#store, this.#vertex));
  }

  /** Number of outbound arcs. */
  get odeg(): number {
    return this.confirmed(ODEG.of(this.#store, this.#vertex));
  }

  /** Same as `ideg`. */
  get indegree(): number {
    return this.ideg;
  }

  /** Same as `odeg`. */
  get outdegree(): number {
    return this.odeg;
  }

  /** True if it has no arcs. */
  get isolated(): boolean {
    return this.deg === 0;
  }

  /** True if it exists only because arcs lead to it. */
  get virtual(): boolean {
    return this.confirmed(VIRTUAL.of(this.#store, this.#vertex) === 1);
  }

  /** `VIRTUAL` if it exists only because arcs lead to it. */
  get man(): "REAL" | "VIRTUAL" {
    return this.virtual ? "VIRTUAL" : "REAL";
  }

  /** Same as `man`. */
  get manifestation(): "REAL" | "VIRTUAL" {
    return this.man;
  }

  /** A copy of all properties. */
  get properties(): Record<string, PropertyValue> {
    return this.confirmed(this.#store.properties.all(this.#vertex));
  }

  /** A copy of its vector's components, or of the weights of features; empty without a vector. */
  get vector(): number[] {
    return this.confirmed(new Vector(this.#store.vectors.get(this.#vertex)).external);
  }

  /** Creation time in seconds since 1970. */
  get tmc(): number {
    return this.confirmed(TMC.of(this.#store, this.#vertex));
  }

  /** Same as `tmc`. */
  get TMC(): number {
    return this.tmc;
  }

  /** Time of the last commit in seconds since 1970. */
  get tmm(): number {
    return this.confirmed(TMM.of(this.#store, this.#vertex));
  }

  /** Same as `tmm`. */
  get TMM(): number {
    return this.tmm;
  }

  /** Expiry time in seconds since 1970; T_NEVER if it does not expire. */
  get tmx(): number {
    return this.confirmed(TMX.of(this.#store, this.#vertex));
  }

  /** Same as `tmx`. */
  get TMX(): number {
    return this.tmx;
  }

  /** Seconds until it expires: 0 if it has, 4294967295 if it does not expire. */
  get rtx(): number {
    const second = this.confirmed(this.#store.vertices.expiresAt(this.#vertex));
    return second === NEVER ? NO_EXPIRY : Math.max(0, second - nowSeconds());
  }

  /** Operation id of the last commit. */
  get op(): number {
    return this.confirmed(OP.of(this.#store, this.#vertex));
  }

  /** Session that has it open for writing; 0 for none. */
  get owner(): number {
    return this.confirmed(this.#store.vertices.fieldOf(this.#vertex, RecordWord.Owner));
  }

  /** Number of write locks of its owner. */
  get xrecursion(): number {
    return this.confirmed(this.owner === 0 ? 0 : this.#lockCount);
  }

  /** Number of read locks of all sessions. */
  get readers(): number {
    return this.confirmed(this.owner === 0 ? this.#lockCount : 0);
  }

  /** Number of the vertex within its graph, constant while the vertex exists. */
  get handle(): number {
    return this.confirmed(this.#vertex);
  }

  /** Same as `handle`; accepted by `openVertex` and `vertexIdByAddress`. */
  get address(): number {
    return this.confirmed(this.#vertex);
  }

  /** Same as `handle`. */
  get index(): number {
    return this.confirmed(this.#vertex);
  }

  /** Same as `handle`. */
  get enum(): number {
    return this.confirmed(this.#vertex);
  }

  /** Number of its group of 64 vertices. */
  get bitindex(): number {
    return this.confirmed(Math.floor(this.#vertex / 64));
  }

  /** Bit of the vertex in its group of 64 vertices. */
  get bitvector(): number {
    return this.confirmed(2 ** (this.#vertex & 63));
  }

  /** Code of its type, plus 256 * flags: real 1, virtual 2, has properties 4, expires 8. */
  get descriptor(): number {
    return this.confirmed(DESCRIPTOR.of(this.#store, this.#vertex));
  }

  /** Its storage location. */
  get allocator(): VertexPlace {
    const generation = this.#store.vertices.generationOf(this.#vertex);
    return this.confirmed({ handle: this.#vertex, generation, refc: this.#lockCount });
  }

  get #lockCount(): number {
    return this.#store.vertices.fieldOf(this.#vertex, RecordWord.LockCount);
  }

  get #store(): GraphStore {
    return this.#access.store;
  }

  /** Handle of the vertex, checked for access. */
  get #vertex(): number {
    return this.holdFor("Vertex is not accessible").vertex;
  }

  /** Returns its vector, or that of a name; the null vector, of length 0, if it has none. */
  getVector(name = "", ...further: never[]): Vector {
    refuseFurther(further, "name");
    const parts = findVectors(this.access.store, name)?.get(this.hold.vertex);
    return this.confirmed(new Vector(parts ?? []));
  }

  /** Returns whether it has a vector, or one of a name. */
  hasVector(name = "", ...further: never[]): boolean {
    refuseFurther(further, "name");
    const { vertex } = this.hold;
    return this.confirmed(findVectors(this.access.store, name)?.has(vertex) === true);
  }

  /**
   * Returns the M_LSH value of an arc from this anchor of projections to an item.
   * @param lsh fingerprint of the item's vector, from `graph.sim.projections`
   * @throws ValueError not an anchor, or a graph without projection sets
   */
  arcLSH(lsh: bigint, ...further: never[]): number {
    refuseFurther(further, "lsh");
    return arcBits(this.id, projectionSize(this.access), lsh);
  }

  /** For methods: store and session. */
  protected get access(): GraphAccess {
    return this.#access;
  }

  /** For methods: the lock on the vertex, or the handle that reads it without one. */
  protected get hold(): HeldVertex | ReadHandle {
    return this.holdFor("Vertex cannot be accessed");
  }

  /** Mode of the lock; null if it is released. Never throws. */
  protected get heldAs(): AccessMode | null {
    if (this.#hold === null || this.#hold.count === 0) return null;
    return this.#hold.isWritable ? "w" : "r";
  }

  /** Replaces the lock; null removes it. */
  protected replaceHold(hold: HeldVertex | null): void {
    this.#hold = hold;
  }

  /**
   * Returns a value that was read from the vertex.
   * @throws AccessError if the vertex was removed meanwhile
   */
  protected confirmed<T>(value: T): T {
    this.holdFor("Vertex is not accessible");
    return value;
  }

  static {
    getHandle = (store, vertex) => {
      if (vertex.#store !== store) throw new AccessError("Vertex not readable");
      return vertex.hold.vertex;
    };
    getVertexKey = (store, vertex) => {
      const handle = getHandle(store, vertex);
      return vertex.#hold instanceof ReadHandle ? vertex.id : handle;
    };
  }

  private holdFor(failure: string): HeldVertex | ReadHandle {
    const hold = this.#hold;
    if (hold === null || hold.count === 0) throw new AccessError(failure);
    return hold;
  }
}
