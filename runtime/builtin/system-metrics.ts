// Reads metrics reported by other instances, of which any part may be missing.

import { isPlainObject } from "../base/plain-object.js";

/** Parses a list of names; blanks are ignored. */
export function readIds(idlist: string): string[] {
  return idlist.replaceAll(/\s/g, "").split(",");
}

/** Returns the value at a path of keys for each name; null if all are missing. */
export function metricAt(
  value: unknown,
  paths: Readonly<Record<string, readonly string[]>>,
): object | null {
  if (!isPlainObject(value)) return null;
  const entries = Object.entries(paths).map(([name, path]) => [name, inside(value, path)]);
  return Object.fromEntries(entries);
}

function inside(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : null;
  return at;
}

/** Extracts latencies and the request rate from the response of `metrics`. */
export function readRates(metrics: unknown): object | null {
  const latency = inside(metrics, ["latency_ms", "current"]);
  if (!isPlainObject(latency)) return null;
  return { ...latency, rate: inside(metrics, ["request_rate", "current"]) };
}
