// Sets and removes properties of a vertex. Values are validated and packed before the mutex is
// taken, because that may run user code.

import type { Float } from "../../base/float.js";
import { checkObject, checkText } from "../model/check-argument.js";
import { DataError } from "../model/errors.js";
import { inMember, NAMES, withArgumentDetails } from "../model/invalid-argument.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { storeExternally } from "../store/property-codec.js";
import {
  incrementValue,
  type PropertyValue,
  type StoredValue,
  toNumber,
  validatePropertyKey,
  validatePropertyValue,
} from "../store/property-values.js";
import type { Access } from "../store/session-view.js";
import { begin, beginChange, changeVertex, requireWritableVertex } from "./change-vertex.js";
import { LockedChange } from "./run-with-locks.js";
import type { VertexKey } from "./vertex-key.js";

const ARGUMENTS: ArgumentPaths = { key: () => ".key", value: () => ".value" };
const VALUES =
  "integers up to 2 ** 53 - 1, float(x), 131,000 bytes of text or others, 16,375 numbers, " +
  "a map of 5,406";

/** Prefix of a key whose value is stored externally; not part of the key. */
const ON_DISK = "*";

class SetProperty extends LockedChange<number> {
  vertex: VertexKey = 0;
  name = "";
  value: StoredValue = null;

  protected try(access: Access): number {
    return applyProperty(
      access.store,
      requireWritableVertex(access, this.vertex),
      this.name,
      this.value,
    );
  }
}

const SET_PROPERTY = new SetProperty();

/**
 * Sets a property.
 * @param isVirtual stores the value externally, as the key prefix `*` does
 * @throws ValueError, TypeError, AccessError, DataError
 */
export function setProperty(
  access: Access,
  vertex: VertexKey,
  key: string,
  value: PropertyValue,
  isVirtual = false,
): void {
  const { store } = access;
  const [name, stored] = validateProperty(store, key, value, ARGUMENTS, isVirtual);
  SET_PROPERTY.vertex = vertex;
  SET_PROPERTY.name = name;
  SET_PROPERTY.value = stored;
  SET_PROPERTY.run(access, 0);
}

/**
 * Adds to a number, or sets a missing property; returns the new value.
 * @throws ValueError, TypeError, AccessError
 */
export function incProperty(
  access: Access,
  vertex: VertexKey,
  key: string,
  by: number | Float = 1,
): number {
  const { store } = access;
  const name = validatePropertyKey(key);
  return changeVertex(access, vertex, (found) => {
    const code = store.keys.codeOf(name);
    const old = code === 0 ? undefined : store.properties.stored(found, code);
    const value = incrementValue(old, by);
    applyProperty(store, found, name, value);
    return toNumber(value);
  });
}

/**
 * Removes a property; false if it was missing.
 * @throws AccessError
 */
export function removeProperty(access: Access, vertex: VertexKey, key: string): boolean {
  const { store } = access;
  checkText(key, "a property key");
  return changeVertex(access, vertex, (found) => {
    const code = store.keys.codeOf(key);
    if (code === 0 || !store.properties.has(found, code)) return false;
    begin(store, OperationCode.RemoveProperty, found).name = code;
    return apply(store, store.operation) > 0;
  });
}

/**
 * Removes all properties of a vertex; returns their number.
 * @throws AccessError
 */
export function removeProperties(access: Access, vertex: VertexKey): number {
  const { store } = access;
  return changeVertex(access, vertex, (found) =>
    apply(store, beginChange(store, OperationCode.RemoveProperties, found)),
  );
}

export type CheckedProperties = readonly (readonly [key: string, value: StoredValue])[];

/**
 * Returns keys and values in stored form; undefined values are omitted.
 * @throws ValueError, TypeError
 */
export function validateProperties(
  store: GraphStore,
  properties: Readonly<Record<string, unknown>>,
): CheckedProperties {
  checkObject(properties, "properties", ".properties");
  const checked: [key: string, value: StoredValue][] = [];
  for (const key of Object.keys(properties)) {
    const value = properties[key];
    if (value !== undefined) checked.push(validateProperty(store, key, value, PROPERTIES));
  }
  return checked;
}

/** Names of the arguments with the key and the value, for errors. */
interface ArgumentPaths {
  key(name: unknown): string;
  value(name: unknown): string;
}

const inProperties = (name: unknown): string => `.properties${inMember(String(name))}`;
const PROPERTIES: ArgumentPaths = { key: inProperties, value: inProperties };

function validateProperty(
  store: GraphStore,
  key: unknown,
  value: unknown,
  paths: ArgumentPaths,
  isVirtual = false,
): [key: string, value: StoredValue] {
  const isMarked = typeof key === "string" && key.startsWith(ON_DISK);
  let name: string;
  try {
    name = validatePropertyKey(isMarked ? key.slice(ON_DISK.length) : key);
  } catch (error) {
    throw withArgumentDetails(error as Error, key, NAMES, paths.key(key));
  }
  try {
    const isOnDisk = isMarked || isVirtual;
    return [name, isOnDisk ? storeExternally(store.values, value) : validatePropertyValue(value)];
  } catch (error) {
    // A disk failure is not an invalid argument.
    if (error instanceof DataError) throw error;
    throw withArgumentDetails(error as Error, value, VALUES, paths.value(key));
  }
}

/** Sets a property to a validated value. Requires a mutation. */
export function applyProperty(
  store: GraphStore,
  vertex: number,
  key: string,
  value: StoredValue,
): number {
  const code = ensureKeyCode(store, key);
  const operation = beginChange(store, OperationCode.SetProperty, vertex);
  operation.name = code;
  operation.property = value;
  return apply(store, operation);
}
