// Schema of a graph as a type: vertex types with their properties, and relationship names. Types
// only, without effect at run time.

import type { ArcSpec, ConnectOptions } from "../changes/connect.js";
import type { CreateOptions } from "../changes/vertices.js";
import type { ArcDirection, ArcModifier, ValueComparison } from "../model/constants.js";
import type {
  AdjacencyRule,
  ArcFilter,
  ArcValue,
  CollectRule,
  Comparison,
  TraverseRule,
  ValueCondition,
  VertexConditionObject,
  VertexReference,
} from "../query/parse/query-options.js";
import type { VectorLike } from "../vectors/vector.js";

/**
 * `interface Shop { vertices: { person: { age: number } }; relationships: "knows" }`, for
 * `Graph<Shop>`. Without `relationships` any name is allowed, and without `vectors` any name of
 * vectors.
 */
export interface GraphSchema {
  /** Properties of vertices by type name. */
  readonly vertices: object;
  readonly relationships?: string;
  readonly vectors?: string;
}

export type TypeName<S extends GraphSchema> = keyof S["vertices"] & string;
export type PropertiesOf<S extends GraphSchema, T> = S["vertices"][T & keyof S["vertices"]];
/** Keys of one type, or of each of several. */
export type PropertyKey<S extends GraphSchema, T = TypeName<S>> = KeysOf<PropertiesOf<S, T>>;
export type PropertyOf<S extends GraphSchema, K, T = TypeName<S>> = Exclude<
  ValueOf<PropertiesOf<S, T>, K>,
  undefined
>;
type KeysOf<P> = P extends unknown ? keyof P & string : never;
type ValueOf<P, K> = P extends unknown ? (K extends keyof P ? P[K] : never) : never;

export type Relationship<S extends GraphSchema> = S extends {
  readonly relationships: infer R extends string;
}
  ? R
  : string;

export type VectorName<S extends GraphSchema> = S extends {
  readonly vectors: infer N extends string;
}
  ? N
  : string;

/** An arc to create. */
export type SchemaArc<S extends GraphSchema> =
  | null
  | undefined
  | Relationship<S>
  | readonly []
  | readonly [relationship: Relationship<S> | null, modifier?: ArcModifier, value?: number]
  | (Omit<Extract<ArcSpec, { readonly mod?: unknown }>, "rel"> & {
      readonly rel?: Relationship<S> | null;
    });

/** An arc filter. */
export type SchemaFilter<S extends GraphSchema> =
  | null
  | boolean
  | ArcDirection
  | Relationship<S>
  | "*"
  | readonly [
      rel?: Relationship<S> | "*" | null,
      dir?: ArcDirection | null,
      mod?: ArcModifier | null,
      cond?: ValueComparison | null,
      value?: ArcValue | null,
    ]
  | readonly [keep: boolean, filter: SchemaFilter<S>]
  | (Omit<Extract<ArcFilter, { readonly dir?: unknown }>, "rel"> & {
      readonly rel?: Relationship<S> | "*" | null;
    });

export type SchemaConnectOptions<S extends GraphSchema> = Omit<ConnectOptions, "condition"> & {
  readonly condition?: SchemaFilter<S>;
};

/** Options to create a vertex of a type: all required properties, or none. */
export type SchemaCreateOptions<S extends GraphSchema, T> = Omit<
  CreateOptions,
  "type" | "properties" | "vectors"
> & {
  readonly properties?: PropertiesOf<S, T>;
  readonly vectors?: { readonly [N in VectorName<S>]?: VectorLike | null };
};

/** Condition on a property; values without conditions can only be tested for presence. */
export type PropertyCondition<V> = [V] extends [number]
  ?
      | null
      | V
      | readonly [ValueComparison, number | readonly [number, number]]
      | Comparison
      | { readonly in: readonly V[] }
  : [V] extends [string | number | boolean]
    ? Extract<ValueCondition, readonly unknown[]> | null | V | ComparedTo<V>
    : ValueCondition;
type ComparedTo<V> = { readonly eq: V } | { readonly ne: V } | { readonly in: readonly V[] };

type Negatable<T> = T | readonly [keep: boolean, condition: T];
/** Conditions on the properties of one or several types; other keys are type errors. */
type PropertyConditions<S extends GraphSchema, T> = {
  readonly [K in PropertyKey<S, T>]?: PropertyCondition<PropertyOf<S, K, T>>;
} & { readonly [K in Exclude<PropertyKey<S>, PropertyKey<S, T>>]?: never };

type Nested = "neighbor" | "has_neighbor" | "not" | "and" | "or";
type Arcs = "arc" | "has_arc";
interface SchemaParts<S extends GraphSchema>
  extends Omit<
    VertexConditionObject,
    "type" | "property" | "adjacent" | "traverse" | "collect" | Nested | Arcs
  > {
  readonly arc?: SchemaFilter<S>;
  readonly has_arc?: SchemaFilter<S>;
  readonly neighbor?: SchemaCondition<S>;
  readonly has_neighbor?: SchemaCondition<S>;
  readonly not?: SchemaCondition<S>;
  readonly and?: readonly SchemaCondition<S>[];
  readonly or?: readonly SchemaCondition<S>[];
  readonly collect?: SchemaCollect<S>;
  readonly adjacent?: SchemaRule<S, AdjacencyRule>;
  readonly traverse?: SchemaRule<S, TraverseRule & { readonly collect?: SchemaCollect<S> }>;
}
export type SchemaCollect<S extends GraphSchema> =
  | Extract<CollectRule, boolean | null>
  | SchemaFilter<S>;
type SchemaRule<S extends GraphSchema, R> =
  | (Omit<R, "arc" | "neighbor" | "through"> & {
      readonly arc?: SchemaFilter<S>;
      readonly neighbor?: SchemaCondition<S>;
      readonly through?: SchemaCondition<S>;
    })
  | string
  | VertexReference
  | readonly (string | VertexReference)[]
  | Extract<SchemaFilter<S>, readonly unknown[]>;

/** Vertex condition; the type name determines the properties. */
export type SchemaConditionObject<S extends GraphSchema> =
  | {
      [T in TypeName<S>]: SchemaParts<S> & {
        readonly type: T;
        readonly property?: Negatable<PropertyConditions<S, T>>;
      };
    }[TypeName<S>]
  | (SchemaParts<S> & {
      readonly type?: null | readonly [code: ValueComparison, type: TypeName<S> | null];
      readonly property?: Negatable<PropertyConditions<S, TypeName<S>>>;
    });

export type SchemaCondition<S extends GraphSchema> =
  | null
  | string
  | VertexReference
  | SchemaConditionObject<S>
  | readonly string[]
  | readonly [keep: boolean, condition: SchemaCondition<S>];
