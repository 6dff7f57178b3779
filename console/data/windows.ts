// Windows of requests over time: rates, errors and percentiles, per plugin and of all. Percentiles
// are computed from merged buckets, never averaged.

import { entriesAt, listAt, numberAt, textAt } from "./node-stat.js";

/** Fewer responses have no 99th percentile, and so on. */
const MIN_RESPONSES: ReadonlyMap<number, number> = new Map([
  [50, 2],
  [95, 20],
  [99, 100],
]);

export interface PluginWindow {
  readonly name: string;
  readonly counts: readonly number[];
  readonly errors: readonly (readonly [code: string, counts: readonly number[]])[];
  readonly buckets: readonly (readonly number[])[];
}

export interface Windows {
  readonly stepS: number;
  /** Seconds since 1970, the start of each step. */
  readonly times: readonly number[];
  readonly boundsMs: readonly number[];
  readonly plugins: readonly PluginWindow[];
}

export function parseWindows(answer: unknown): Windows | null {
  const stepMs = numberAt(answer, "stepMs");
  if (stepMs <= 0) return null;
  const plugins = listAt(answer, "plugins").map((plugin) => ({
    name: textAt(plugin, "name"),
    counts: numbers(listAt(plugin, "counts")),
    errors: entriesAt(plugin, "errors").map(
      ([code, counts]) => [code, numbers(Array.isArray(counts) ? counts : [])] as const,
    ),
    buckets: listAt(plugin, "buckets").map((step) => (Array.isArray(step) ? numbers(step) : [])),
  }));
  const steps = plugins[0]?.counts.length ?? 0;
  const last = Math.floor(numberAt(answer, "now") / stepMs);
  const times = Array.from({ length: steps }, (_, index) => {
    return ((last - steps + 1 + index) * stepMs) / 1000;
  });
  const boundsMs = numbers(listAt(answer, "boundsMs"));
  return { stepS: stepMs / 1000, times, boundsMs, plugins };
}

function numbers(list: readonly unknown[]): readonly number[] {
  return list.map((value) => (typeof value === "number" ? value : 0));
}

/** Adds lists, position by position. */
export function addLists(lists: readonly (readonly number[])[]): readonly number[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, index) =>
    lists.reduce((sum, list) => sum + (list[index] ?? 0), 0),
  );
}

/** Milliseconds below which a percentage of the responses lie; null for too few responses. */
export function percentile(
  buckets: readonly number[],
  boundsMs: readonly number[],
  percent: number,
): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total < (MIN_RESPONSES.get(percent) ?? 2)) return null;
  const rank = (total * percent) / 100;
  let below = 0;
  for (let at = 0; at < buckets.length; at++) {
    const count = buckets[at]!;
    if (count > 0 && below + count >= rank) {
      const low = at === 0 ? 0 : boundsMs[at - 1]!;
      const high = boundsMs[at] ?? 2 * low;
      return low + ((high - low) * (rank - below)) / count;
    }
    below += count;
  }
  return null;
}

/** Percentile of each step, over it and the steps before it, so that few requests suffice. */
export function slidingPercentile(
  steps: readonly (readonly number[])[],
  boundsMs: readonly number[],
  percent: number,
  width = 3,
): readonly (number | null)[] {
  return steps.map((_, index) =>
    percentile(addLists(steps.slice(Math.max(0, index - width + 1), index + 1)), boundsMs, percent),
  );
}

/** Buckets of all plugins, step by step. */
export function mergeBuckets(plugins: readonly PluginWindow[]): readonly (readonly number[])[] {
  const length = Math.max(0, ...plugins.map(({ counts }) => counts.length));
  return Array.from({ length }, (_, index) =>
    addLists(plugins.map(({ buckets }) => buckets[index] ?? [])),
  );
}

export function sum(list: readonly number[]): number {
  return list.reduce((all, value) => all + value, 0);
}

export function sumErrors({ errors }: PluginWindow): number {
  return sum(errors.map(([, counts]) => sum(counts)));
}

/** Total time of responses, estimated from the middles of the buckets. */
export function timeSpentMs({ buckets }: PluginWindow, boundsMs: readonly number[]): number {
  const counts = addLists(buckets);
  return counts.reduce((all, count, at) => {
    const low = at === 0 ? 0 : boundsMs[at - 1]!;
    return all + count * ((low + (boundsMs[at] ?? 2 * low)) / 2);
  }, 0);
}
