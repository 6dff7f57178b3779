// Request rate and latency of each instance over the last polls, for small charts. The history
// continues when the user changes to another page.

import type { Instance } from "./instances.js";
import { isAt, numberAt } from "./node-stat.js";

export const MAX_VALUES = 60;
/** Larger systems have no charts. */
export const MAX_INSTANCES = 100;

interface History {
  readonly rates: (number | null)[];
  readonly latencies: (number | null)[];
}

const NONE: History = { rates: [], latencies: [] };
const histories = new Map<string, History>();

/** Adds one poll; large systems have no charts. */
export function recordHistory(instances: readonly Instance[]): void {
  if (instances.length > MAX_INSTANCES) return;
  for (const { id, node } of instances) {
    const { rates, latencies } = histories.get(id) ?? { rates: [], latencies: [] };
    const isKnown = node !== undefined && node !== null;
    push(rates, isKnown ? numberAt(node, "service-rate") : null);
    push(
      latencies,
      isKnown && isAt(node, "service-rate") ? numberAt(node, "service-95th-ms") : null,
    );
    histories.set(id, { rates, latencies });
  }
}

function push(values: (number | null)[], value: number | null): void {
  values.push(value);
  if (values.length > MAX_VALUES) values.shift();
}

export function readHistory(id: string): History {
  return histories.get(id) ?? NONE;
}

/** Sums of several instances, poll by poll. */
export function sumRates(ids: readonly string[]): readonly number[] {
  const all = ids.map((id) => readHistory(id).rates);
  const length = Math.max(0, ...all.map((rates) => rates.length));
  return Array.from({ length }, (_, index) =>
    all.reduce((sum, rates) => sum + (rates[rates.length - length + index] ?? 0), 0),
  );
}
