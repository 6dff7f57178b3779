// Requests per plugin over time: numbers per step, by latency and by error code. Sampled once a
// second from the counters, so that requests cost nothing more. A plugin has three rings (15 kB)
// for the last five minutes, hour and day.

import { boundMs, LOG2_BUCKETS, type Log2Histogram } from "../base/log2-histogram.js";

/** Number and length of steps per ring, shortest range first. */
const RINGS = [
  { stepMs: 5000, steps: 60 },
  { stepMs: 60_000, steps: 60 },
  { stepMs: 1_800_000, steps: 48 },
] as const;
/** Maximum number of plugins with windows. */
const MAX_PLUGINS = 200;

/** The counters of a plugin, which only grow until they are cleared. */
export interface WindowSource {
  readonly name: string;
  readonly latency: Log2Histogram;
  readonly errors: ReadonlyMap<number, number>;
}

/** Numbers by step, oldest first; the last step is incomplete. */
export interface PluginWindow {
  readonly name: string;
  readonly counts: readonly number[];
  /** By error code. */
  readonly errors: Readonly<Record<string, readonly number[]>>;
  /** Latencies by step and bucket; 0: no requests in the step. */
  readonly buckets: readonly (readonly number[] | 0)[];
}

export interface Windows {
  readonly now: number;
  readonly stepMs: number;
  /** Upper bounds of the buckets in milliseconds; the last bucket has none. */
  readonly boundsMs: readonly number[];
  readonly plugins: readonly PluginWindow[];
}

class Ring {
  readonly #stepMs: number;
  readonly #steps: number;
  readonly #buckets: Uint32Array;
  readonly #errors: (Map<number, number> | null)[];
  /** Number of the current step since 1970. */
  #current = 0;

  constructor(stepMs: number, steps: number) {
    this.#stepMs = stepMs;
    this.#steps = steps;
    this.#buckets = new Uint32Array(steps * LOG2_BUCKETS);
    this.#errors = Array.from({ length: steps }, () => null);
  }

  /** Moves to the current step, and clears the steps since the last one. */
  #advance(atMs: number): void {
    const step = Math.floor(atMs / this.#stepMs);
    const passed = Math.min(this.#steps, step - this.#current);
    for (let back = 0; back < passed; back++) {
      const slot = (step - back) % this.#steps;
      this.#buckets.fill(0, slot * LOG2_BUCKETS, (slot + 1) * LOG2_BUCKETS);
      this.#errors[slot] = null;
    }
    if (passed > 0) this.#current = step;
  }

  add(atMs: number, buckets: Float64Array, errors: readonly (readonly [number, number])[]): void {
    this.#advance(atMs);
    const slot = this.#current % this.#steps;
    for (let bucket = 0; bucket < LOG2_BUCKETS; bucket++) {
      this.#buckets[slot * LOG2_BUCKETS + bucket]! += buckets[bucket]!;
    }
    for (const [code, count] of errors) {
      const counts = this.#errors[slot] ?? new Map<number, number>();
      this.#errors[slot] = counts.set(code, (counts.get(code) ?? 0) + count);
    }
  }

  read(atMs: number, name: string): PluginWindow {
    this.#advance(atMs);
    const slots = Array.from(
      { length: this.#steps },
      (_, index) => (this.#current + 1 + index) % this.#steps,
    );
    const buckets = slots.map((slot) => [
      ...this.#buckets.subarray(slot * LOG2_BUCKETS, (slot + 1) * LOG2_BUCKETS),
    ]);
    const counts = buckets.map((step) => step.reduce((sum, count) => sum + count, 0));
    const codes = new Set(slots.flatMap((slot) => [...(this.#errors[slot]?.keys() ?? [])]));
    const errors = [...codes].map((code) => [
      code,
      slots.map((slot) => this.#errors[slot]?.get(code) ?? 0),
    ]);
    return {
      ...{ name, counts, errors: Object.fromEntries(errors) },
      buckets: buckets.map((step, index) => (counts[index] === 0 ? 0 : step)),
    };
  }
}

/** The rings of one plugin, and its counters at the last sample. */
class PluginHistory {
  readonly rings = RINGS.map(({ stepMs, steps }) => new Ring(stepMs, steps));
  readonly buckets = new Float64Array(LOG2_BUCKETS);
  readonly errors = new Map<number, number>();
}

export class PluginWindows {
  /** By name, because a reset replaces the counters, but not the history. */
  readonly #plugins = new Map<string, PluginHistory>();
  readonly #fresh = new Float64Array(LOG2_BUCKETS);

  forget(): void {
    this.#plugins.clear();
  }

  /** Adds the changes since the last sample. */
  sample(atMs: number, sources: Iterable<WindowSource>): void {
    for (const source of sources) this.#sampleOne(atMs, source);
  }

  #sampleOne(atMs: number, { name, latency, errors }: WindowSource): void {
    let history = this.#plugins.get(name);
    if (history === undefined) {
      if (this.#plugins.size >= MAX_PLUGINS) return;
      history = new PluginHistory();
      this.#plugins.set(name, history);
    }
    const isChanged = latency.takeChanges(history.buckets, this.#fresh);
    if (!isChanged) return;
    const fresh: [number, number][] = [];
    for (const [code, count] of errors) {
      const lastCount = history.errors.get(code) ?? 0;
      const increase = count < lastCount ? count : count - lastCount;
      if (increase > 0) fresh.push([code, increase]);
      history.errors.set(code, count);
    }
    for (const ring of history.rings) ring.add(atMs, this.#fresh, fresh);
  }

  /**
   * Returns the windows of the shortest range that covers a time.
   * @param plugin name; null: all plugins
   */
  read(atMs: number, rangeSeconds: number, plugin: string | null): Windows {
    const ringIndex = RINGS.findIndex(({ stepMs, steps }) => stepMs * steps >= rangeSeconds * 1000);
    const index = ringIndex < 0 ? RINGS.length - 1 : ringIndex;
    const names = plugin === null ? [...this.#plugins.keys()] : [plugin];
    return {
      now: atMs,
      stepMs: RINGS[index]!.stepMs,
      boundsMs: Array.from({ length: LOG2_BUCKETS - 1 }, (_, bucket) => boundMs(bucket)),
      plugins: names.flatMap((name) => {
        const ring = this.#plugins.get(name)?.rings[index];
        return ring === undefined ? [] : [ring.read(atMs, name)];
      }),
    };
  }
}
