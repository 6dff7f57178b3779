// Changes of a graph with a schema. Types only.

import type { ChangeFilter, ChangeKind, GraphChange, PropertySet } from "../log/graph-change.js";
import type { GraphSchema, PropertyKey, PropertyOf, Relationship, TypeName } from "./schema.js";

/** The same change with the names of the schema. */
type WithNames<S extends GraphSchema, C> = C extends unknown
  ? {
      readonly [M in keyof C]: M extends "type"
        ? TypeName<S> | null
        : M extends "property"
          ? PropertyKey<S> | Extract<C[M], null>
          : M extends "relationship"
            ? Relationship<S> | Extract<C[M], null>
            : C[M];
    }
  : never;

type SetOf<S extends GraphSchema, T, K, O = T> = Omit<
  PropertySet,
  "type" | "property" | "value"
> & {
  readonly type: O;
  readonly property: K;
  readonly value: PropertyOf<S, K, T>;
};

/** `type` and `property` determine the value. */
type SchemaPropertySet<S extends GraphSchema> =
  | {
      [T in TypeName<S>]: { [K in PropertyKey<S, T>]: SetOf<S, T, K> }[PropertyKey<S, T>];
    }[TypeName<S>]
  | { [K in PropertyKey<S>]: SetOf<S, TypeName<S>, K, null> }[PropertyKey<S>];

export type SchemaChange<S extends GraphSchema> =
  | WithNames<S, Exclude<GraphChange, PropertySet>>
  | SchemaPropertySet<S>;

export interface SchemaChangesOptions<S extends GraphSchema, K extends ChangeKind> {
  readonly since?: string | undefined;
  readonly filter?:
    | (Omit<ChangeFilter, "kinds" | "types" | "properties"> & {
        readonly kinds?: readonly K[] | undefined;
        readonly types?: readonly TypeName<S>[] | undefined;
        readonly properties?: readonly PropertyKey<S>[] | undefined;
      })
    | undefined;
}
