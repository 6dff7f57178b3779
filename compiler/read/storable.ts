// Decides which readings may be stored for a later build.

import type { FileReading } from "./file-reading.js";
import type { NamedShape } from "./named-type.js";
import type { StoredFile } from "./stored-readings.js";
import { findReachableTypes } from "./type-table.js";

/**
 * Returns false for a reading with diagnostics, with types that have no name in their source, or
 * with values that JSON cannot carry.
 */
export function isStorable(
  { plugins, moduleState, diagnostics }: FileReading,
  named: ReadonlyMap<string, NamedShape>,
): boolean {
  if (diagnostics.length > 0) return false;
  const types = findReachableTypes(plugins, named);
  if (types.some(({ isGenerated }) => isGenerated)) return false;
  return isPlain(plugins) && isPlain(moduleState) && isPlain(types);
}

/** Returns the named types that stored readings refer to. */
export function collectNamed(
  files: Iterable<StoredFile>,
  named: ReadonlyMap<string, NamedShape>,
): Map<string, NamedShape> {
  const plugins = [...files].flatMap(({ reading }) => reading?.plugins ?? []);
  return new Map(findReachableTypes(plugins, named).map((type) => [type.key, type]));
}

/** Returns whether JSON carries a value unchanged. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).every(
    ([name, part]) => name !== "__proto__" && (part === undefined || isPlain(part)),
  );
}
