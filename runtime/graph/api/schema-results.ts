// Query results of a graph with a schema: the general results with the schema's property types.
// Types only.

import type { GraphSchema, PropertiesOf, PropertyKey, PropertyOf, TypeName } from "./schema.js";

/** The type that a condition names; all types if it names none. */
type NamedType<S extends GraphSchema, C> = C extends { readonly type: infer T extends string }
  ? T & TypeName<S>
  : never;

/** Properties of entries: those of the type, or of any type. */
type Shown<S extends GraphSchema, T> = [T] extends [never]
  ? { readonly [K in PropertyKey<S>]?: PropertyOf<S, K> }
  : Readonly<PropertiesOf<S, T>>;

/** Items of `select`; null if a vertex has no such property. */
type Named<S extends GraphSchema, T, E> = {
  [K in keyof E]: K extends PropertyKey<S>
    ? [T] extends [never]
      ? PropertyOf<S, K> | null
      : K extends keyof PropertiesOf<S, T>
        ? undefined extends PropertiesOf<S, T>[K]
          ? PropertyOf<S, K, T> | null
          : PropertiesOf<S, T>[K]
        : null
    : E[K];
};

type Properties<S extends GraphSchema, T, P> = string extends keyof P
  ? Shown<S, T>
  : Named<S, T, P>;

type Entry<S extends GraphSchema, T, E> = E extends { readonly properties: infer P }
  ? string extends keyof E
    ? E
    : { [K in keyof E]: K extends "properties" ? Properties<S, T, P> : E[K] }
  : E;

type Entries<S extends GraphSchema, T, R> = unknown extends R
  ? R
  : R extends readonly (infer E)[]
    ? Entry<S, T, E>[]
    : { [K in keyof R]: R[K] extends readonly (infer E)[] ? Entry<S, T, E>[] : R[K] };

/** A result with the properties of vertices that meet condition `C`. */
export type SchemaResult<S extends GraphSchema, C, R> = Entries<S, NamedType<S, C>, R>;
export type SchemaEntry<S extends GraphSchema, C, E> = Entry<S, NamedType<S, C>, E>;

/** A literal option by name. */
export type OptionOf<O, K extends string> = K extends keyof O ? O[K] : undefined;

/** Rejects keys in a condition that no type has; keys of other types are rejected in place. */
export type LiteralOf<S extends GraphSchema, O, K extends string> =
  OptionOf<O, K> extends {
    readonly property: infer P extends object;
  }
    ? P extends readonly unknown[]
      ? unknown
      : {
          readonly [N in K]: {
            readonly property: { readonly [N in Exclude<keyof P, PropertyKey<S>>]: never };
          };
        }
    : unknown;
