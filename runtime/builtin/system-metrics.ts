// Parts of what other instances say, of which nothing is believed to be there.

import { isPlainObject } from "../settings/rules.js";

/** Names in a list; blanks do not count. */
export function readIds(idlist: string): string[] {
  return idlist.replaceAll(/\s/g, "").split(",");
}

/** A value for each name, by the keys that lead to it; null when there is nothing at all. */
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

/** Latencies and the rate of requests, from what `metrics` tells. */
export function readRates(metrics: unknown): object | null {
  const latency = inside(metrics, ["latency_ms", "current"]);
  if (!isPlainObject(latency)) return null;
  return { ...latency, rate: inside(metrics, ["request_rate", "current"]) };
}
