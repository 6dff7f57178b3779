// Defaults that TypeScript lets pass and the wire does not: `int` is a number to TypeScript, so
// `n: int = 2.5` is fine there.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import type { PropertyShape, TypeShape, TypeTable } from "../record/type-shape.js";
import { paramError } from "./findings.js";

const ANY_TYPE = new Set(["any", "unknown", "{}"]);

export function checkDefaults(plugin: PluginRecord, types: TypeTable): Diagnostic[] {
  return plugin.params.flatMap((param) => {
    if (param.kind !== "user" || param.default?.kind !== "value") return [];
    const { value } = param.default;
    // Such a parameter arrives as text, but its default may be anything.
    if (ANY_TYPE.has(param.typeText)) return [];
    if (fits(types, param.shape, value)) return [];
    const { name, typeText } = param;
    const message = `${JSON.stringify(value)}, default of \`${name}\`, is no \`${typeText}\``;
    return [paramError(param, "SVC1043", message, `a default of type \`${typeText}\``)];
  });
}

function fits(types: TypeTable, shape: TypeShape, value: unknown): boolean {
  switch (shape.kind) {
    case "json":
      return true;
    case "int":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "str":
      return typeof value === "string";
    case "bytes":
      return false;
    case "bool":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "literal":
      return value === shape.value;
    case "pattern":
      return typeof value === "string" && new RegExp(shape.source).test(value);
    case "array":
      return Array.isArray(value) && value.every((item) => fits(types, shape.items, item));
    case "tuple":
      return Array.isArray(value) && fitsTuple(types, shape, value);
    case "object":
      return isObject(value) && fitsObject(types, shape, value);
    case "union":
      return shape.members.some((member) => fits(types, member, value));
    case "ref":
      return fits(types, types[shape.name]!, value);
  }
}

function fitsTuple(
  types: TypeTable,
  { items, required, rest }: Extract<TypeShape, { kind: "tuple" }>,
  values: readonly unknown[],
): boolean {
  if (values.length < required) return false;
  return values.every((value, index) => {
    const shape = items[index] ?? rest;
    return shape !== null && fits(types, shape, value);
  });
}

function fitsObject(
  types: TypeTable,
  { properties, additional }: Extract<TypeShape, { kind: "object" }>,
  value: Readonly<Record<string, unknown>>,
): boolean {
  const known = new Set(properties.map((property) => property.name));
  const others = Object.keys(value).filter((key) => !known.has(key));
  return (
    properties.every((property) => fitsProperty(types, property, value)) &&
    others.every((key) => additional === null || fits(types, additional, value[key]))
  );
}

function fitsProperty(
  types: TypeTable,
  { name, optional, shape }: PropertyShape,
  value: Readonly<Record<string, unknown>>,
): boolean {
  return Object.hasOwn(value, name) ? fits(types, shape, value[name]) : optional;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
