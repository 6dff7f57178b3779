// Constraints of a graph with a schema: only its types and properties, and only the kinds of values
// that a property can have.

import type { ValueKind } from "../store/constraint-rules.js";
import type { GraphSchema, PropertyKey, PropertyOf, TypeName } from "./schema.js";

/** Kinds of the values of a type of TypeScript. */
type KindOf<V> = [V] extends [boolean]
  ? "boolean"
  : [V] extends [number]
    ? "number" | "integer" | "boolean"
    : [V] extends [string]
      ? "string"
      : [V] extends [Uint8Array]
        ? "bytes"
        : [V] extends [readonly number[]]
          ? "list"
          : ValueKind;

export interface SchemaProperty<S extends GraphSchema, T, K> {
  readonly type: T & TypeName<S>;
  readonly key: K & PropertyKey<S, T>;
}

export interface SchemaConstraint<S extends GraphSchema, T, K> extends SchemaProperty<S, T, K> {
  readonly unique?: boolean;
  readonly required?: boolean;
  readonly value?: KindOf<PropertyOf<S, K, T>> | undefined;
}
