// Counts outcomes of requests per plugin; only the IO thread uses the counters. Names of back-end
// plugins come from clients. Therefore, a name gets counters only after a successful response, and
// the number of names is limited.

import { Log2Histogram } from "../base/log2-histogram.js";
import { PluginWindows } from "./plugin-windows.js";

const MAX_FORWARDED = 1000;
/** Plugin names never contain parentheses. */
const OTHER = "(other)";
const FIRST_ERROR = 400;

/** Counters of one plugin. */
class PluginCounts {
  latency = new Log2Histogram();
  /** Error responses by status. */
  readonly errors = new Map<number, number>();

  constructor(readonly name: string) {}

  count(status: number, latencyMs: number): void {
    this.latency.add(latencyMs);
    if (status >= FIRST_ERROR) this.errors.set(status, (this.errors.get(status) ?? 0) + 1);
  }

  forget(): void {
    this.latency = new Log2Histogram();
    this.errors.clear();
  }
}

/** Counters of the plugin of a request, or an unverified path from a client. */
export type CountedPlugin = PluginCounts | string;

export class PluginCounters {
  /** Counts over time. */
  readonly windows = new PluginWindows();
  /** By path. */
  readonly #own = new Map<string, PluginCounts>();
  /** Plugins of back-ends. */
  readonly #forwarded = new Map<string, PluginCounts>();
  readonly #other = new PluginCounts(OTHER);

  /** Returns the counters of a plugin of this instance. */
  own(path: string): PluginCounts {
    let counts = this.#own.get(path);
    if (counts === undefined) {
      counts = new PluginCounts(nameOf(path));
      this.#own.set(path, counts);
    }
    return counts;
  }

  /** Returns the counters of a back-end plugin, or its path if that is unverified. */
  forwarded(path: string): CountedPlugin {
    return this.#forwarded.get(path) ?? path;
  }

  /** Counts a response. */
  countResponse(counts: CountedPlugin, status: number, latencyMs: number): void {
    const counted = typeof counts === "string" ? this.#findOrCreate(counts, status) : counts;
    counted.count(status, latencyMs);
  }

  #findOrCreate(path: string, status: number): PluginCounts {
    const existing = this.#forwarded.get(path);
    if (existing !== undefined) return existing;
    if (status >= FIRST_ERROR || this.#forwarded.size >= MAX_FORWARDED) return this.#other;
    const counts = new PluginCounts(nameOf(path));
    this.#forwarded.set(path, counts);
    return counts;
  }

  /** Samples the windows; called once a second. */
  tick(atMs: number): void {
    this.windows.sample(atMs, this.all());
  }

  /** Clears all counters. Those of own plugins are reused, so that V8 need not recompile code. */
  forget(): void {
    this.windows.forget();
    for (const counts of this.#own.values()) counts.forget();
    this.#forwarded.clear();
  }

  /** Yields all counters in use; names are unique. */
  *all(): Generator<PluginCounts> {
    for (const [path, counts] of this.#forwarded) if (!this.#own.has(path)) yield counts;
    for (const counts of this.#own.values()) if (counts.latency.count > 0) yield counts;
    if (this.#other.latency.count > 0) yield this.#other;
  }
}

/** Returns `add` for `/svc/plugin/add`, `builtin/echo` for `/svc/builtin/echo`. */
function nameOf(path: string): string {
  return path.replace(/^\/svc\/(?:plugin\/)?/, "");
}
