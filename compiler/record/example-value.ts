// Example values as plain data, for rules and emitters.

import type { ExampleValue } from "./example.js";
import type { SourceRange } from "./source-position.js";

/** A value that is known only at run time. */
export const UNKNOWN_VALUE: unique symbol = Symbol("anything");

type ExampleObject = Extract<ExampleValue, { kind: "object" }>;

/** A path within a value: property names and item indexes. */
export type ValuePath = readonly (string | number)[];

export function plainValue(value: ExampleValue): unknown {
  switch (value.kind) {
    case "literal":
      return value.value;
    case "array":
      return value.items.map(plainValue);
    case "object":
      return Object.fromEntries(
        value.properties.map((property) => [property.name, plainValue(property.value)]),
      );
    case "unknown":
      return UNKNOWN_VALUE;
  }
}

/** Returns whether the value is completely literal. */
export function isLiteral(value: ExampleValue): boolean {
  switch (value.kind) {
    case "literal":
      return true;
    case "array":
      return value.items.every(isLiteral);
    case "object":
      return value.properties.every((property) => isLiteral(property.value));
    case "unknown":
      return false;
  }
}

/** Returns a part of a value, or the innermost enclosing one with its own position. */
export function partAt(value: ExampleValue, [key, ...rest]: ValuePath): ExampleValue {
  const part = key === undefined ? undefined : directPart(value, key);
  return part === undefined ? value : partAt(part, rest);
}

/** Returns the position of a property name, otherwise of the object. */
export function describePath(object: ExampleValue, name: string): SourceRange {
  return (object.kind === "object" && propertyOf(object, name)?.place) || object.place;
}

function directPart(value: ExampleValue, key: string | number): ExampleValue | undefined {
  if (value.kind === "array" && typeof key === "number") return value.items[key];
  return value.kind === "object" ? propertyOf(value, key)?.value : undefined;
}

/** Of several properties with one name the last counts. */
function propertyOf({ properties }: ExampleObject, key: string | number) {
  return properties.findLast(({ name }) => name === key);
}
