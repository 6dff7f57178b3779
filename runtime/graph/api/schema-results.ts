// What queries of a graph with a schema give: what they give of any graph, and properties of the
// types that the schema has for them. Types only.

import type { GraphSchema, PropertiesOf, PropertyKey, PropertyOf, TypeName } from "./schema.js";

/** The type that a condition names; all types where it names none. */
type NamedType<S extends GraphSchema, C> = C extends { readonly type: infer T extends string }
  ? T & TypeName<S>
  : never;

/** Properties that entries have: those of the type, or any of any type. */
type Shown<S extends GraphSchema, T> = [T] extends [never]
  ? { readonly [K in PropertyKey<S>]?: PropertyOf<S, K> }
  : Readonly<PropertiesOf<S, T>>;

/** What the text of `select` named: null where a vertex has no such property. */
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

/** A result, with the properties of those that the condition `C` lets through. */
export type SchemaResult<S extends GraphSchema, C, R> = Entries<S, NamedType<S, C>, R>;
export type SchemaEntry<S extends GraphSchema, C, E> = Entry<S, NamedType<S, C>, E>;

/** The option of a name, of options that were written down. */
export type OptionOf<O, K extends string> = K extends keyof O ? O[K] : undefined;

/** Refuses keys in a condition that no type has; those of a type are refused where they stand. */
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
