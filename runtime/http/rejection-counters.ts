// Requests that the transport rejected itself, and connections that it closed, by reason. Counted
// and read by the IO thread only.

import type { RejectionReason } from "./rejections.js";

export class RejectionCounters {
  readonly #counts = new Map<RejectionReason, number>();

  count(reason: RejectionReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  all(): Iterable<readonly [RejectionReason, number]> {
    return this.#counts;
  }
}
