// Mapped types over branded scalars. A type such as `DeepPartial`, `T extends object ? { [K in
// keyof T]?: … } : T`, also maps `int`, because its brand is an object type. Such a result
// represents the scalar that was mapped, with the scalar's constraints. So does one of a `Date`,
// `URL`, `Map` or `Set`, whose methods no value in JSON has.

import { ts } from "ts-morph";
import { isLibrary } from "./named-type.js";
import type { ReadContext } from "./read-context.js";
import { type TypeReading, unsupported } from "./reading.js";
import { readTextValue } from "./text-class.js";

const SCALAR = ts.TypeFlags.NumberLike | ts.TypeFlags.StringLike;
/** Each type is recognized by a method that no other has. */
const WRAPPERS = [
  { method: "toFixed", name: "a number", test: "T extends number ? T" },
  { method: "charCodeAt", name: "a string", test: "T extends string ? T" },
  { method: "findIndex", name: "an array", test: "T extends (infer E)[] ? E[]" },
];

/** Classes with a form in JSON, and a member that tells `Partial<Date>` from `Pick<…>`. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["Date", "getTimezoneOffset"],
  ["URL", "searchParams"],
  ...["Map", "Set", "ReadonlyMap", "ReadonlySet"].map((name) => [name, "forEach"] as const),
]);

/**
 * Returns the scalar, `Date`, `URL`, `Map` or `Set` that a mapped type was applied to; null for any
 * other type.
 */
export function findMappedValue(context: ReadContext, type: ts.Type): ts.Type | null {
  const source = isMapped(type) ? modifiersType(type) : undefined;
  return source && (isScalar(source) || hasMembers(context, type, source)) ? source : null;
}

/** Returns whether the source is an instance whose members the mapped type still has. */
function hasMembers(context: ReadContext, type: ts.Type, source: ts.Type): boolean {
  const symbol = source.getSymbol();
  const member = CLASSES.get(symbol?.name ?? "");
  const declaration = symbol?.declarations?.[0];
  if (member === undefined || !declaration) return false;
  // Types of Node.js, not a library of TypeScript, declare `URL`.
  if (readTextValue(source) === null && !isLibrary(context, declaration)) return false;
  return type.getProperty(member) !== undefined;
}

/**
 * Returns a problem for a type that maps the methods of a scalar or an array; null for any other.
 * JSON values have no such methods, so the plugin would reject every call.
 */
export function readMappedMethods(type: ts.Type): TypeReading | null {
  if (!isMapped(type)) return null;
  const wrapper = WRAPPERS.find(({ method }) => type.getProperty(method) !== undefined);
  if (!wrapper || !type.getProperty("toLocaleString")) return null;
  const { name, test } = wrapper;
  return unsupported(`a mapped type over ${name}`, `\`${test} : …\` before \`T extends object\``);
}

function isMapped(type: ts.Type): boolean {
  const { objectFlags } = type as ts.ObjectType;
  return (type.flags & ts.TypeFlags.Object) !== 0 && (objectFlags & ts.ObjectFlags.Mapped) !== 0;
}

/** `T` of `{ [K in keyof T as …]: … }`; the checker sets it as soon as properties are known. */
function modifiersType(type: ts.Type): ts.Type | undefined {
  type.getProperties();
  return (type as { readonly modifiersType?: ts.Type }).modifiersType;
}

function isScalar(type: ts.Type): boolean {
  if (!type.isIntersection()) return (type.flags & SCALAR) !== 0;
  return type.types.some(({ flags }) => (flags & SCALAR) !== 0);
}
