// What became of the requests for each plugin. The IO thread counts, and nobody else looks. Names
// of plugins of back-ends come from clients: such a name gets a tally of its own once it was
// answered with success, and only so many do.

import { Log2Histogram } from "./log2-histogram.js";

const MAX_FORWARDED = 1000;
/** No plugin has a name in parentheses. */
const OTHER = "(other)";
const FIRST_ERROR = 400;

/** The requests for one plugin. */
class PluginTally {
  readonly latency = new Log2Histogram();
  /** Answers that are errors, by status. */
  readonly errors = new Map<number, number>();

  constructor(readonly name: string) {}

  count(status: number, latencyMs: number): void {
    this.latency.add(latencyMs);
    if (status >= FIRST_ERROR) this.errors.set(status, (this.errors.get(status) ?? 0) + 1);
  }
}

/** A request for the tally of its plugin, or for a path that only a client has said as yet. */
export type CountedPlugin = PluginTally | string;

export class PluginCounters {
  /** By path. */
  readonly #own = new Map<string, PluginTally>();
  /** Those of back-ends. */
  readonly #forwarded = new Map<string, PluginTally>();
  readonly #other = new PluginTally(OTHER);

  /** The tally of a plugin of this instance. */
  own(path: string): PluginTally {
    let tally = this.#own.get(path);
    if (tally === undefined) {
      tally = new PluginTally(nameOf(path));
      this.#own.set(path, tally);
    }
    return tally;
  }

  /** The tally of a plugin that back-ends may have. */
  forwarded(path: string): CountedPlugin {
    return this.#forwarded.get(path) ?? path;
  }

  /** A request was answered. */
  answered(tally: CountedPlugin, status: number, latencyMs: number): void {
    const counted = typeof tally === "string" ? this.#settled(tally, status) : tally;
    counted.count(status, latencyMs);
  }

  #settled(path: string, status: number): PluginTally {
    const known = this.#forwarded.get(path);
    if (known !== undefined) return known;
    if (status >= FIRST_ERROR || this.#forwarded.size >= MAX_FORWARDED) return this.#other;
    const tally = new PluginTally(nameOf(path));
    this.#forwarded.set(path, tally);
    return tally;
  }

  /** As if no request had come. */
  forget(): void {
    this.#own.clear();
    this.#forwarded.clear();
  }

  /** All that have counted anything; no name comes twice. */
  *all(): Generator<PluginTally> {
    for (const [path, tally] of this.#forwarded) if (!this.#own.has(path)) yield tally;
    yield* this.#own.values();
    if (this.#other.latency.count > 0) yield this.#other;
  }
}

/** `add` for `/svc/plugin/add`, `builtin/echo` for `/svc/builtin/echo`. */
function nameOf(path: string): string {
  return path.replace(/^\/svc\/(?:plugin\/)?/, "");
}
