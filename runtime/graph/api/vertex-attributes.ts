// What a vertex handle shows of its vertex. Every read looks at
// shared memory: nothing is kept here but which vertex it is and how it is held.

import { NEVER, RecordWord } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
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
} from "../query/attributes/vertex-attributes.js";
import type { GraphAccess } from "../sessions/graph-access.js";
import type { AccessMode } from "../sessions/open-vertices.js";
import type { HeldVertex } from "../sessions/session.js";
import type { GraphStore } from "../store/graph-store.js";
import type { PropertyValue } from "../store/property-values.js";
import { arcBits } from "../vectors/projections.js";
import { Vector } from "../vectors/vector.js";
import type { VectorComponents } from "../vectors/vector-parts.js";
import { projectionSize } from "./graph-similarity.js";

/** Seconds until it expires, of a vertex that never does. */
const NO_EXPIRY = 0xffff_ffff;

/** What `asDict` tells of a vertex. */
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

/** Where this implementation keeps a vertex. */
export interface VertexPlace {
  readonly handle: number;
  /** Raised when the handle is used for another vertex. */
  readonly generation: number;
  /** How often it is held. */
  readonly refc: number;
}

/** Handle of an open vertex, which must be of the graph that it is used with. */
export let handleIn: (store: GraphStore, vertex: VertexAttributes) => number;

export class VertexAttributes {
  readonly #access: GraphAccess;
  #hold: HeldVertex | null;

  protected constructor(access: GraphAccess, hold: HeldVertex) {
    this.#access = access;
    this.#hold = hold;
  }

  /** Unique name of the vertex. */
  get id(): string {
    return ID.of(this.#store, this.#vertex);
  }

  /** The same as `id`. */
  get identifier(): string {
    return this.id;
  }

  /** Digest of the id, 32 hex digits; stands for the id wherever one is taken. */
  get internalid(): string {
    return INTERNALID.of(this.#store, this.#vertex);
  }

  /** Name of its type; `__vertex__` when it has none. */
  get type(): string {
    return TYPE.of(this.#store, this.#vertex);
  }

  /** Arcs in and out. */
  get deg(): number {
    return DEG.of(this.#store, this.#vertex);
  }

  /** Arcs that lead to it. */
  get ideg(): number {
    return IDEG.of(this.#store, this.#vertex);
  }

  /** Arcs that lead from it. */
  get odeg(): number {
    return ODEG.of(this.#store, this.#vertex);
  }

  /** The same as `ideg`. */
  get indegree(): number {
    return this.ideg;
  }

  /** The same as `odeg`. */
  get outdegree(): number {
    return this.odeg;
  }

  /** True when it has no arcs. */
  get isolated(): boolean {
    return this.deg === 0;
  }

  /** True when it is there only because arcs lead to it. */
  get virtual(): boolean {
    return VIRTUAL.of(this.#store, this.#vertex) === 1;
  }

  /** `VIRTUAL` when it is there only because arcs lead to it. */
  get man(): "REAL" | "VIRTUAL" {
    return this.virtual ? "VIRTUAL" : "REAL";
  }

  /** The same as `man`. */
  get manifestation(): "REAL" | "VIRTUAL" {
    return this.man;
  }

  /** All properties, as a copy. */
  get properties(): Record<string, PropertyValue> {
    return this.#store.properties.all(this.#vertex);
  }

  /** Components of its vector, as a copy, weights of features; none when it has no vector. */
  get vector(): number[] {
    return new Vector(this.#store.vectors.get(this.#vertex)).external;
  }

  /** Second since 1970 at which it was created. */
  get tmc(): number {
    return TMC.of(this.#store, this.#vertex);
  }

  /** The same as `tmc`. */
  get TMC(): number {
    return this.tmc;
  }

  /** Second since 1970 of the last commit. */
  get tmm(): number {
    return TMM.of(this.#store, this.#vertex);
  }

  /** The same as `tmm`. */
  get TMM(): number {
    return this.tmm;
  }

  /** Second since 1970 at which it expires, T_NEVER for never. */
  get tmx(): number {
    return TMX.of(this.#store, this.#vertex);
  }

  /** The same as `tmx`. */
  get TMX(): number {
    return this.tmx;
  }

  /** Seconds until it expires: 0 when it has, 4294967295 when it never does. */
  get rtx(): number {
    const second = this.#store.vertices.expiresAt(this.#vertex);
    return second === NEVER ? NO_EXPIRY : Math.max(0, second - nowSeconds());
  }

  /** Operation id of the last commit. */
  get op(): number {
    return OP.of(this.#store, this.#vertex);
  }

  /** Session that holds it writable, 0 for none. */
  get owner(): number {
    return this.#store.vertices.fieldOf(this.#vertex, RecordWord.Owner);
  }

  /** How often its owner holds it. */
  get xrecursion(): number {
    return this.owner === 0 ? 0 : this.#lockCount;
  }

  /** How often it is held readonly, all sessions together. */
  get readers(): number {
    return this.owner === 0 ? this.#lockCount : 0;
  }

  /** Number of the vertex within its graph; does not change while the vertex is there. */
  get handle(): number {
    return this.#vertex;
  }

  /** The same as `handle`; `openVertex` and `vertexIdByAddress` take it. */
  get address(): number {
    return this.#vertex;
  }

  /** The same as `handle`. */
  get index(): number {
    return this.#vertex;
  }

  /** The same as `handle`. */
  get enum(): number {
    return this.#vertex;
  }

  /** Which group of 64 vertices it belongs to, and which of them it is, as a bit. */
  get bitindex(): number {
    return Math.floor(this.#vertex / 64);
  }

  get bitvector(): number {
    return 2 ** (this.#vertex & 63);
  }

  /** Code of its type, and flags * 256: real 1, virtual 2, has properties 4, expires 8. */
  get descriptor(): number {
    return DESCRIPTOR.of(this.#store, this.#vertex);
  }

  /** Where it is kept. */
  get allocator(): VertexPlace {
    const generation = this.#store.vertices.generationOf(this.#vertex);
    return { handle: this.#vertex, generation, refc: this.#lockCount };
  }

  get #lockCount(): number {
    return this.#store.vertices.fieldOf(this.#vertex, RecordWord.LockCount);
  }

  get #store(): GraphStore {
    return this.#access.store;
  }

  /** The vertex, for an attribute. */
  get #vertex(): number {
    return this.holdFor("Vertex is not accessible").vertex;
  }

  /** Its vector; the null vector, of length 0, when it has none. */
  getVector(): Vector {
    return new Vector(this.access.store.vectors.get(this.hold.vertex));
  }

  /** True if it has a vector. */
  hasVector(): boolean {
    return this.access.store.vectors.has(this.hold.vertex);
  }

  /**
   * Of an anchor of projections: what an arc from it to an item has as M_LSH value.
   * @param lsh fingerprint of the item's vector, as `graph.sim.projections` tells it
   * @throws ValueError a vertex that is no anchor, or a graph without projection sets
   */
  arcLSH(lsh: bigint): number {
    return arcBits(this.id, projectionSize(this.access), lsh);
  }

  /** For the methods: the store and session that they work with. */
  protected get access(): GraphAccess {
    return this.#access;
  }

  /** For the methods. */
  protected get hold(): HeldVertex {
    return this.holdFor("Vertex cannot be accessed");
  }

  /** How the vertex is held, if it still is; never throws. */
  protected get heldAs(): AccessMode | null {
    if (this.#hold === null || this.#hold.count === 0) return null;
    return this.#hold.isWritable ? "w" : "r";
  }

  /** Lets go of the vertex. */
  protected drop(): void {
    this.#hold = null;
  }

  static {
    handleIn = (store, vertex) => {
      if (vertex.#store !== store) throw new AccessError("Vertex not readable");
      return vertex.hold.vertex;
    };
  }

  private holdFor(failure: string): HeldVertex {
    const hold = this.#hold;
    if (hold === null || hold.count === 0) throw new AccessError(failure);
    return hold;
  }
}
