// Outcomes of requests per plugin, counted and read by the IO thread only. Names of back-end
// plugins come from clients, so a name gets its own counters only after a successful response, and
// their number is limited.

import { Log2Histogram } from "../base/log2-histogram.js";
import { PluginWindows } from "./plugin-windows.js";

const MAX_FORWARDED = 1000;
/** Plugin names never contain parentheses. */
const OTHER = "(other)";
const FIRST_ERROR = 400;

/** Counters of one plugin. */
class PluginTally {
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

/** The counters of a request's plugin, or an unverified path from a client. */
export type CountedPlugin = PluginTally | string;

export class PluginCounters {
  /** Counts over time. */
  readonly windows = new PluginWindows();
  /** By path. */
  readonly #own = new Map<string, PluginTally>();
  /** Plugins of back-ends. */
  readonly #forwarded = new Map<string, PluginTally>();
  readonly #other = new PluginTally(OTHER);

  /** Returns the counters of a plugin of this instance. */
  own(path: string): PluginTally {
    let tally = this.#own.get(path);
    if (tally === undefined) {
      tally = new PluginTally(nameOf(path));
      this.#own.set(path, tally);
    }
    return tally;
  }

  /** Returns the counters of a back-end plugin, or its path if that is unverified. */
  forwarded(path: string): CountedPlugin {
    return this.#forwarded.get(path) ?? path;
  }

  /** Counts a response. */
  answered(tally: CountedPlugin, status: number, latencyMs: number): void {
    const counted = typeof tally === "string" ? this.#findOrCreate(tally, status) : tally;
    counted.count(status, latencyMs);
  }

  #findOrCreate(path: string, status: number): PluginTally {
    const existing = this.#forwarded.get(path);
    if (existing !== undefined) return existing;
    if (status >= FIRST_ERROR || this.#forwarded.size >= MAX_FORWARDED) return this.#other;
    const tally = new PluginTally(nameOf(path));
    this.#forwarded.set(path, tally);
    return tally;
  }

  /** Samples the windows; called once a second. */
  tick(atMs: number): void {
    this.windows.sample(atMs, this.all());
  }

  /** Clears all counters. Those of own plugins are reused, so that V8 need not recompile code. */
  forget(): void {
    this.windows.forget();
    for (const tally of this.#own.values()) tally.forget();
    this.#forwarded.clear();
  }

  /** Yields all counters in use; names are unique. */
  *all(): Generator<PluginTally> {
    for (const [path, tally] of this.#forwarded) if (!this.#own.has(path)) yield tally;
    for (const tally of this.#own.values()) if (tally.latency.count > 0) yield tally;
    if (this.#other.latency.count > 0) yield this.#other;
  }
}

/** Returns `add` for `/svc/plugin/add`, `builtin/echo` for `/svc/builtin/echo`. */
function nameOf(path: string): string {
  return path.replace(/^\/svc\/(?:plugin\/)?/, "");
}
