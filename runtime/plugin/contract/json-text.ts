// Serializes any value that a plugin returns as JSON. Plain data takes a single JSON.stringify;
// only values that it would drop or change (Map, bigint, bytes, NaN …) take the slower writer
// below.

import { inspect } from "node:util";
import { errorText } from "./describe-error.js";

/** Objects are serialized as the value of this method, which precedes `toJSON`. */
export const jsonFields: unique symbol = Symbol("svc.jsonFields");

/** Error for a number that JSON cannot represent, if the declared type is number. */
const NAN_ERROR = "NaN or an infinite number, but the declared result type is number";

/** Depth limit of the fast check; deeper values go to the writer. */
const MAX_PLAIN_DEPTH = 100;

/**
 * Returns the JSON text of any value. `undefined` becomes null, a Map an object, a Set an array,
 * bytes their UTF-8 text, an error `Name('message')`; values without a JSON form become a string
 * with their `util.inspect` text.
 * @throws TypeError for a cyclic value; also errors of getters and `toJSON`
 */
export function jsonText(value: unknown): string {
  return isPlain(value, 0) ? JSON.stringify(value) : write(value, "", []);
}

/** Returns the same for values that JSON can represent exactly; null for all others. */
export function plainJson(value: unknown): string | null {
  return isPlain(value, 0) ? JSON.stringify(value) : null;
}

/** Returns whether JSON.stringify serializes the value as specified. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  // Within arrays and objects, JSON.stringify and the writer treat undefined alike.
  if (value === undefined) return depth > 0;
  if (typeof value !== "object" || depth > MAX_PLAIN_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const fields = value as Record<string, unknown>;
  if (typeof fields.toJSON === "function") return false;
  for (const key in fields) if (!isPlain(fields[key], depth + 1)) return false;
  return true;
}

/** Returns whether a value contains NaN or an infinite number. */
function containsNaN(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null || depth > MAX_PLAIN_DEPTH) return false;
  if (value instanceof Float64Array || value instanceof Float32Array) {
    return !value.every(Number.isFinite);
  }
  if (ArrayBuffer.isView(value)) return false;
  if (value instanceof Map || value instanceof Set) {
    return containsNaN([...value.values()], depth + 1);
  }
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => containsNaN(part, depth + 1));
}

/** Returns the error for a value with such a number, or null. */
export function nanFault(value: unknown): string | null {
  return containsNaN(value) ? NAN_ERROR : null;
}

function write(value: unknown, key: string, parents: object[]): string {
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    case "bigint":
      return value.toString();
    case "undefined":
      return "null";
    case "object":
      return value === null ? "null" : writeObject(value, key, parents);
    default:
      return JSON.stringify(inspect(value));
  }
}

function writeObject(value: object, key: string, parents: object[]): string {
  if (parents.includes(value)) throw new TypeError("cyclic value cannot be rendered as JSON");
  parents.push(value);
  const text = writeKind(value, key, parents);
  parents.pop();
  return text;
}

function writeKind(value: object, key: string, parents: object[]): string {
  if (Array.isArray(value)) return writeItems(value, parents);
  if (value instanceof Uint8Array) return JSON.stringify(utf8Text(value));
  if (jsonFields in value) {
    return write((value as { [jsonFields](): unknown })[jsonFields](), key, parents);
  }
  if (value instanceof Map) return writeEntries(mapEntries(value), parents);
  if (value instanceof Set) return writeItems([...value], parents);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return write(toJSON.call(value, key), key, parents);
  if (value instanceof Error) return JSON.stringify(errorText(value));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return write(value.valueOf(), key, parents);
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return writeItems(Array.from(value as unknown as ArrayLike<number>), parents);
  }
  return isInexpressible(value)
    ? JSON.stringify(inspect(value))
    : writeEntries(Object.entries(value), parents);
}

function isInexpressible(value: object): boolean {
  return (
    value instanceof RegExp ||
    value instanceof Promise ||
    value instanceof WeakMap ||
    value instanceof WeakSet ||
    value instanceof WeakRef ||
    value instanceof ArrayBuffer ||
    value instanceof SharedArrayBuffer ||
    value instanceof DataView ||
    Symbol.iterator in value
  );
}

function mapEntries(map: Map<unknown, unknown>): [string, unknown][] {
  // The last of equal keys wins, as in an object.
  const byText = new Map<string, unknown>();
  for (const [key, item] of map) byText.set(keyText(key), item);
  return [...byText];
}

function keyText(key: unknown): string {
  if (key instanceof Uint8Array) return utf8Text(key);
  return typeof key === "string" ? key : inspect(key);
}

function utf8Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function writeItems(items: readonly unknown[], parents: object[]): string {
  const texts: string[] = [];
  for (let i = 0; i < items.length; i++) texts.push(write(items[i], String(i), parents));
  return `[${texts.join(",")}]`;
}

function writeEntries(entries: Iterable<[string, unknown]>, parents: object[]): string {
  const texts: string[] = [];
  for (const [key, item] of entries) {
    if (item !== undefined) texts.push(`${JSON.stringify(key)}:${write(item, key, parents)}`);
  }
  return `{${texts.join(",")}}`;
}
