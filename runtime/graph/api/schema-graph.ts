// `Graph<Schema>`: typed vertices, properties and relationships. The same class and objects at run
// time; only the types differ.

import type { AccessMode } from "../changes/sessions/open-vertices.js";
import type { VectorSettings } from "../changes/vector-settings.js";
import type { ChangeKind } from "../log/graph-change.js";
import type { GraphOptions } from "../manager/thread-graphs.js";
import type { AdjacentOptions } from "../query/calls/adjacent.js";
import type { AggregateOptions } from "../query/calls/aggregate.js";
import type { NearestResult } from "../query/calls/nearest.js";
import type { NeighborhoodOptions } from "../query/calls/neighborhood.js";
import type {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "../query/calls/prepared-query.js";
import type { ScanOptions } from "../query/calls/stream.js";
import type { VerticesOptions } from "../query/calls/vertices.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ExecuteOptions,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
  SummaryOptions,
} from "../query/parse/query-options.js";
import type { Explain, Explained } from "../query/render/explained.js";
import type {
  AggregateResult,
  ArcsResult,
  NeighborhoodResult,
  ScannedArc,
  ScannedVertex,
  SearchResult,
  VerticesResult,
} from "../query/render/typed-results.js";
import type { Vector, VectorLike } from "../vectors/vector.js";
import type { VertexName } from "./call-arguments.js";
import { Graph } from "./graph.js";
import type {
  GraphSchema,
  PropertiesOf,
  PropertyCondition,
  PropertyKey,
  PropertyOf,
  Relationship,
  SchemaArc,
  SchemaCollect,
  SchemaCondition,
  SchemaConnectOptions,
  SchemaCreateOptions,
  SchemaFilter,
  TypeName,
  VectorName,
} from "./schema.js";
import type { SchemaChange, SchemaChangesOptions } from "./schema-changes.js";
import type { SchemaConstraint, SchemaProperty } from "./schema-constraints.js";
import type { LiteralOf, OptionOf, SchemaEntry, SchemaResult } from "./schema-results.js";
import type {
  LiteralFacets,
  SchemaSummary,
  SchemaTextIndex,
  SchemaTexts,
} from "./schema-search.js";
import type {
  SchemaNearest,
  SchemaProbe,
  SchemaVectorIndex,
  SchemaVectorIndexName,
} from "./schema-vectors.js";
import type { Vertex } from "./vertex.js";

type SchemaGlobal<S extends GraphSchema, O = VerticesOptions> = Omit<
  O,
  "condition" | keyof SummaryOptions
> &
  SchemaSummary<S> & { readonly condition?: SchemaCondition<S> };
type SchemaSearch<S extends GraphSchema> = SchemaTexts<S> &
  SchemaSummary<S> & { readonly condition?: SchemaCondition<S> };
type SchemaScan<S extends GraphSchema> = Omit<ScanOptions, "condition"> & {
  readonly condition?: SchemaCondition<S>;
};
type SchemaNeighborhood<S extends GraphSchema, O = NeighborhoodOptions> = SchemaAnchored<
  S,
  Omit<O, keyof SummaryOptions>
> &
  SchemaSummary<S>;
type SchemaAnchored<S extends GraphSchema, O> = Omit<
  O,
  "arc" | "neighbor" | "through" | "collect"
> & {
  readonly arc?: SchemaFilter<S>;
  readonly neighbor?: SchemaCondition<S>;
  readonly through?: SchemaCondition<S>;
  readonly collect?: SchemaCollect<S>;
};

/** Base of the `execute` types of prepared queries. */
interface Executes<R, O = ExecuteOptions> {
  execute(options?: O & { readonly cache?: boolean }): R;
}

/** A vertex of a graph with a schema: of the given type, or of any. */
export interface SchemaVertex<S extends GraphSchema, T extends TypeName<S> = TypeName<S>>
  extends Vertex {
  setProperty(this: never, ...given: never[]): never;
  setProperty<K extends PropertyKey<S, T>>(key: K, value: PropertyOf<S, K, T>): void;
  setProperties(this: never, ...given: never[]): never;
  setProperties(properties: Partial<PropertiesOf<S, T>>): void;
  getProperty(this: never, ...given: never[]): never;
  getProperty<K extends PropertyKey<S, T>>(key: K): PropertyOf<S, K, T> | null;
  getProperty<K extends PropertyKey<S, T>, F>(key: K, fallback: F): PropertyOf<S, K, T> | F;
  requireProperty(this: never, ...given: never[]): never;
  requireProperty<K extends PropertyKey<S, T>>(key: K): PropertyOf<S, K, T>;
  hasProperty(this: never, ...given: never[]): never;
  hasProperty<K extends PropertyKey<S, T>>(
    key: K,
    condition?: PropertyCondition<PropertyOf<S, K, T>>,
  ): boolean;
  removeProperty(this: never, ...given: never[]): never;
  removeProperty(key: PropertyKey<S, T>): void;
  incProperty(this: never, ...given: never[]): never;
  incProperty(key: PropertyKey<S, T>, by?: number): number;
  setType(this: never, ...given: never[]): never;
  setType(type: TypeName<S> | null): void;
  setVector(this: never, ...given: never[]): never;
  setVector(vector: VectorLike, name?: VectorName<S>): void;
  getVector(this: never, ...given: never[]): never;
  getVector(name?: VectorName<S>): Vector;
  hasVector(this: never, ...given: never[]): never;
  hasVector(name?: VectorName<S>): boolean;
  removeVector(this: never, ...given: never[]): never;
  removeVector(name?: VectorName<S>): boolean;
}

/**
 * `Graph<Schema>`, assignable to `Graph`: the uncallable signatures for `this: never` exist only
 * for that.
 */
export interface TypedGraph<S extends GraphSchema> extends Graph {
  createVertex<T extends TypeName<S>>(
    id: string,
    type?: T | null | (SchemaCreateOptions<S, T> & { readonly type: T }),
    options?: SchemaCreateOptions<S, T>,
  ): number;
  createVertex(this: never, ...given: never[]): never;
  createVertices<T extends TypeName<S>>(
    vertices: readonly (
      | string
      | (SchemaCreateOptions<S, T> & { readonly id: string; readonly type?: T | null })
    )[],
  ): number;
  createVertices(this: never, ...given: never[]): never;
  newVertex<T extends TypeName<S>>(
    id: string,
    type?: T | null | (SchemaCreateOptions<S, T> & { readonly type: T }),
    options?: SchemaCreateOptions<S, T>,
  ): SchemaVertex<S, T>;
  newVertex(this: never, ...given: never[]): never;
  openVertex(this: never, ...given: never[]): never;
  openVertex<T extends TypeName<S> = TypeName<S>>(
    id: string | number,
    mode?: AccessMode,
    timeout?: number,
  ): SchemaVertex<S, T>;
  getVertex(this: never, ...given: never[]): never;
  getVertex<T extends TypeName<S> = TypeName<S>>(id: string): SchemaVertex<S, T>;
  connect(
    initial: VertexName,
    arc: SchemaArc<S>,
    terminals: VertexName | readonly VertexName[],
    options?: SchemaConnectOptions<S>,
  ): number;
  connect(this: never, ...given: never[]): never;
  connectMany(
    initial: VertexName,
    arcs: readonly (readonly [arc: SchemaArc<S>, terminal: VertexName])[],
    options?: SchemaConnectOptions<S>,
  ): number;
  connectMany(this: never, ...given: never[]): never;
  disconnect(this: never, ...given: never[]): never;
  disconnect(
    id: VertexName,
    arc?: SchemaFilter<S>,
    neighbor?: SchemaCondition<S>,
    timeout?: number,
  ): number;
  count(
    initial: VertexName,
    relationship: Relationship<S> | null,
    terminal: VertexName,
    delta?: number,
    timeout?: number,
  ): number;
  count(this: never, ...given: never[]): never;
  accumulate(
    initial: VertexName,
    relationship: Relationship<S> | null,
    terminal: VertexName,
    delta?: number,
    timeout?: number,
  ): number;
  accumulate(this: never, ...given: never[]): never;
  vertices(this: never, ...given: never[]): never;
  vertices<const O extends SchemaGlobal<S> = object>(
    options?: O & SchemaGlobal<S> & LiteralOf<S, O, "condition"> & LiteralFacets<S, O>,
  ): SchemaResult<S, OptionOf<O, "condition">, VerticesResult<O>>;
  search(this: never, ...given: never[]): never;
  search<const O extends SchemaSearch<S> = object>(
    text: string,
    options?: O & SchemaSearch<S> & LiteralOf<S, O, "condition"> & LiteralFacets<S, O>,
  ): SchemaResult<S, OptionOf<O, "condition">, SearchResult<O>>;
  index(this: never, ...given: never[]): never;
  index(what: "vectors", options: SchemaVectorIndex<S>): void;
  index(what: "property", options: { readonly key: PropertyKey<S> }): void;
  index(what: "ids"): void;
  index(what: "text", options: SchemaTextIndex<S, TypeName<S>>): void;
  dropIndex(this: never, ...given: never[]): never;
  dropIndex(what: "vectors", options: SchemaVectorIndexName<S>): boolean;
  dropIndex(what: "property", options: { readonly key: PropertyKey<S> }): boolean;
  dropIndex(what: "ids"): boolean;
  dropIndex(what: "text", options?: { readonly name?: string }): boolean;
  setVectorSettings(this: never, ...given: never[]): never;
  setVectorSettings(settings: Partial<VectorSettings>, name?: VectorName<S>): void;
  nearest(this: never, ...given: never[]): never;
  nearest(
    probe: SchemaProbe<S>,
    options: SchemaNearest<S> & Explain,
  ): Explained<"nearest", NearestResult[]>;
  nearest(probe: SchemaProbe<S>, options?: SchemaNearest<S>): NearestResult[];
  constrain(this: never, ...given: never[]): never;
  constrain<T extends TypeName<S>, K extends PropertyKey<S, T>>(
    constraint: SchemaConstraint<S, T, K>,
  ): boolean;
  dropConstraint(this: never, ...given: never[]): never;
  dropConstraint<T extends TypeName<S>, K extends PropertyKey<S, T>>(
    property: SchemaProperty<S, T, K>,
  ): boolean;
  changes(this: never, ...given: never[]): never;
  changes<const K extends ChangeKind = ChangeKind>(
    options?: SchemaChangesOptions<S, K>,
  ): AsyncIterableIterator<Extract<SchemaChange<S>, { readonly kind: K }>, undefined, undefined>;
  scan(this: never, ...given: never[]): never;
  scan<const O extends SchemaScan<S> = object>(
    options?: O & SchemaScan<S> & LiteralOf<S, O, "condition">,
  ): IterableIterator<SchemaEntry<S, OptionOf<O, "condition">, ScannedVertex<O>>>;
  neighborhood(this: never, ...given: never[]): never;
  neighborhood<const O extends SchemaNeighborhood<S> = object>(
    id: VertexName,
    options?: O & SchemaNeighborhood<S> & LiteralOf<S, O, "neighbor"> & LiteralFacets<S, O>,
  ): SchemaResult<S, OptionOf<O, "neighbor">, NeighborhoodResult<O>>;
  degree(this: never, ...given: never[]): never;
  degree(id: VertexName, arc?: SchemaFilter<S>, options?: Parameters<Graph["degree"]>[2]): number;
  arcValue(this: never, ...given: never[]): never;
  arcValue(initial: VertexName, arc: SchemaFilter<S>, terminal: VertexName): number | null;
  arcs(this: never, ...given: never[]): never;
  arcs<const O extends SchemaGlobal<S> = object>(
    options?: O & SchemaGlobal<S> & LiteralOf<S, O, "condition"> & LiteralFacets<S, O>,
  ): ArcsResult<O>;
  scanArcs(this: never, ...given: never[]): never;
  scanArcs<const O extends SchemaScan<S> = object>(
    options?: O & SchemaScan<S> & LiteralOf<S, O, "condition">,
  ): IterableIterator<ScannedArc<O>>;
  adjacent(this: never, ...given: never[]): never;
  adjacent(
    id: VertexName,
    arc?: SchemaFilter<S>,
    neighbor?: SchemaCondition<S>,
    options?: SchemaAnchored<S, AdjacentOptions>,
  ): boolean;
  aggregate(this: never, ...given: never[]): never;
  aggregate<const O extends SchemaAnchored<S, AggregateOptions> = object>(
    id: VertexName,
    options?: O & SchemaAnchored<S, AggregateOptions> & LiteralOf<S, O, "neighbor">,
  ): AggregateResult<O>;
  newNeighborhoodQuery(this: never, ...given: never[]): never;
  newNeighborhoodQuery<const O extends SchemaNeighborhood<S, NeighborhoodQueryOptions> = object>(
    id?: VertexName | null,
    options?: O & SchemaNeighborhood<S, NeighborhoodQueryOptions> & LiteralOf<S, O, "neighbor">,
  ): Executes<SchemaResult<S, OptionOf<O, "neighbor">, NeighborhoodResult<O>>> & NeighborhoodQuery;
  newVerticesQuery(this: never, ...given: never[]): never;
  newVerticesQuery<const O extends SchemaGlobal<S, GlobalQueryOptions> = object>(
    options?: O & SchemaGlobal<S, GlobalQueryOptions> & LiteralOf<S, O, "condition">,
  ): Executes<SchemaResult<S, OptionOf<O, "condition">, VerticesResult<O>>> & VerticesQuery;
  newArcsQuery(this: never, ...given: never[]): never;
  newArcsQuery<const O extends SchemaGlobal<S, GlobalQueryOptions> = object>(
    options?: O & SchemaGlobal<S, GlobalQueryOptions> & LiteralOf<S, O, "condition">,
  ): Executes<ArcsResult<O>> & ArcsQuery;
  newAdjacencyQuery(this: never, ...given: never[]): never;
  newAdjacencyQuery(
    id?: VertexName | null,
    options?: SchemaAnchored<S, AdjacencyQueryOptions>,
  ): AdjacencyQuery;
  newAggregatorQuery(this: never, ...given: never[]): never;
  newAggregatorQuery<const O extends SchemaAnchored<S, AggregateQueryOptions> = object>(
    id?: VertexName | null,
    options?: O & SchemaAnchored<S, AggregateQueryOptions> & LiteralOf<S, O, "neighbor">,
  ): Executes<AggregateResult<O>, Omit<ExecuteOptions, "hits" | "offset">> & AggregatorQuery;
  openVertexAsync(this: never, ...given: never[]): never;
  openVertexAsync<T extends TypeName<S> = TypeName<S>>(
    id: string | number,
    mode?: AccessMode,
    timeout?: number,
  ): Promise<SchemaVertex<S, T>>;
  openNeighbor(this: never, ...given: never[]): never;
  openNeighbor<T extends TypeName<S> = TypeName<S>>(
    id: VertexName,
    arc?: SchemaFilter<S>,
    mode?: "r" | "a",
    timeout?: number,
  ): SchemaVertex<S, T>;
  verticesType(this: never, ...given: never[]): never;
  verticesType(type: TypeName<S> | null): string[];
}

/** A graph of any content, or of a schema. */
export type SchemaGraph<S extends GraphSchema | undefined = undefined> = S extends GraphSchema
  ? TypedGraph<S>
  : Graph;

/** `new Graph<Schema>("shop")`. */
export interface TypedGraphConstructor {
  new <S extends GraphSchema>(name: string, options?: GraphOptions): TypedGraph<S>;
}

/** The class itself. */
export const SchemaGraph: typeof Graph & TypedGraphConstructor = Graph as typeof Graph &
  TypedGraphConstructor;
