// Functions that run before a plugin, one after the other: they may refuse the request, answer it,
// or leave data for the plugin. Its arguments are converted only after them, so that a stranger
// learns nothing of them.

import type { BoundGraph } from "../contract/bound-graph.js";
import type { PluginEntry } from "../contract/plugin-entry.js";
import type { PluginRequest } from "../request/plugin-request.js";
import { isThenable } from "./thenable.js";

/** What the first function gave that gave anything; a promise of it where one is asynchronous. */
export function runBefore(
  before: NonNullable<PluginEntry["before"]>,
  request: PluginRequest,
  from = 0,
): unknown {
  for (let at = from; at < before.length; at++) {
    const given = before[at]!(request);
    if (isThenable(given)) {
      return (given as Promise<unknown>).then((later) =>
        later === undefined ? runBefore(before, request, at + 1) : later,
      );
    }
    if (given !== undefined) return given;
  }
  return undefined;
}

/** The graph of a request whose plugin has not been called yet. */
export class DeferredGraph implements BoundGraph {
  readonly graph = null;
  /** The request is over. */
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
