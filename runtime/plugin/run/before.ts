// Runs hooks before a plugin, in order: they may reject the request, answer it, or set data for the
// plugin. Arguments are converted afterwards, so that an unauthorized client learns nothing about
// them.

import { isThenable } from "../../base/thenable.js";
import type { BoundGraph } from "../contract/bound-graph.js";
import type { PluginEntry } from "../contract/plugin-entry.js";
import type { PluginRequest } from "../request/plugin-request.js";

/** Returns the first result that is not undefined; a promise of it if a hook is asynchronous. */
export function runBefore(
  before: NonNullable<PluginEntry["before"]>,
  request: PluginRequest,
  from = 0,
): unknown {
  for (let at = from; at < before.length; at++) {
    const result = before[at]!(request);
    if (isThenable(result)) {
      return Promise.resolve(result).then((later) =>
        later === undefined ? runBefore(before, request, at + 1) : later,
      );
    }
    if (result !== undefined) return result;
  }
  return undefined;
}

/** The graph of a request whose plugin has not been called yet. */
export class DeferredGraph implements BoundGraph {
  readonly graph = null;
  /** The request has completed. */
  isReleased = false;
  #bound: BoundGraph | null = null;

  bind(bound: BoundGraph | null): void {
    this.#bound = bound;
    if (this.isReleased) bound?.release();
  }

  release(): void {
    this.isReleased = true;
    this.#bound?.release();
  }
}
