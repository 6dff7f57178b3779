// Example values as plain data, for rules and emitters.

import type { ExampleValue } from "./example.js";
import type { SourceRange } from "./source-position.js";

/** Stands for a value that is known only at run time. */
export const UNKNOWN_VALUE: unique symbol = Symbol("anything");

type ExampleObject = Extract<ExampleValue, { kind: "object" }>;

/** A path within a value: property names and item indexes. */
export type ValuePath = readonly (string | number)[];

/** Converts an example value to plain data. */
export function toPlainValue(value: ExampleValue): unknown {
  switch (value.kind) {
    case "literal":
      return value.value;
    case "array":
      return value.items.map(toPlainValue);
    case "object":
      return Object.fromEntries(
        value.properties.map((property) => [property.name, toPlainValue(property.value)]),
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

/** Returns the part of a value at a path, or else the innermost enclosing part that exists. */
export function findPart(value: ExampleValue, [key, ...rest]: ValuePath): ExampleValue {
  const part = key === undefined ? undefined : findChild(value, key);
  return part === undefined ? value : findPart(part, rest);
}

/** Returns the position of a property name, or else of the object. */
export function findNamePosition(object: ExampleValue, name: string): SourceRange {
  return (object.kind === "object" && findProperty(object, name)?.range) || object.range;
}

function findChild(value: ExampleValue, key: string | number): ExampleValue | undefined {
  if (value.kind === "array" && typeof key === "number") return value.items[key];
  return value.kind === "object" ? findProperty(value, key)?.value : undefined;
}

/** Returns the last property with a name, as in JavaScript. */
function findProperty({ properties }: ExampleObject, key: string | number) {
  return properties.findLast(({ name }) => name === key);
}
