// Readers for responses of the status services. Missing or unexpected fields read as empty: a newer
// server must not blank a page.

import { isRecord } from "./client.js";

/** Returns a value inside a response: `valueAt(answer, "request", "rate")`. */
export function readPath(value: unknown, ...path: string[]): unknown {
  return at(value, path);
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

export function numberAt(value: unknown, ...path: string[]): number {
  const found = at(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : 0;
}

export function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, path);
  return typeof found === "string" ? found : "";
}

/** True, or a number other than 0. */
export function isAt(value: unknown, ...path: string[]): boolean {
  const found = at(value, path);
  return found === true || (typeof found === "number" && found !== 0);
}

export function listAt(value: unknown, ...path: string[]): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

export function entriesAt(value: unknown, ...path: string[]): readonly [string, unknown][] {
  const found = at(value, path);
  return isRecord(found) ? Object.entries(found) : [];
}
