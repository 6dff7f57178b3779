// Example values as plain data, for rules and emitters.

import type { ExampleValue } from "./example.js";
import type { SourceRange } from "./source-position.js";

/** Stands for a value known only at run time. */
export const UNKNOWN_VALUE: unique symbol = Symbol("anything");

type ExampleObject = Extract<ExampleValue, { kind: "object" }>;

/** Where in a value something is: names of properties and numbers of items. */
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

/** Whether all of it is written out. */
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

/** A part of a value, or the innermost one on the way to it that is written by itself. */
export function partAt(value: ExampleValue, [key, ...rest]: ValuePath): ExampleValue {
  const part = key === undefined ? undefined : directPart(value, key);
  return part === undefined ? value : partAt(part, rest);
}

/** The place of a property's name, else of the object. */
export function describePath(object: ExampleValue, name: string): SourceRange {
  return (object.kind === "object" && propertyOf(object, name)?.place) || object.place;
}

function directPart(value: ExampleValue, key: string | number): ExampleValue | undefined {
  if (value.kind === "array" && typeof key === "number") return value.items[key];
  return value.kind === "object" ? propertyOf(value, key)?.value : undefined;
}

/** Of two properties with one name the last counts. */
function propertyOf({ properties }: ExampleObject, key: string | number) {
  return properties.findLast(({ name }) => name === key);
}
