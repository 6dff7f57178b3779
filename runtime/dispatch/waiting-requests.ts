// Requests that found no free channel, in the order in which they came. There is a line for each
// thing that requests wait for: feeders that need the one channel of a primary replica do not hold
// up queries that any replica could answer. A query that needs channels of many partitions at once
// would wait for ever behind those that need one each: after a while nobody overtakes it.

import { Fifo } from "../base/fifo.js";
import { MAX_OVERTAKEN_MS } from "../base/limits.js";
import { ANY_ROW, type DispatchCall } from "./dispatch-call.js";

export class WaitingRequests {
  /** By `DispatchCall.need`. */
  readonly #lines = new Map<number, Fifo<DispatchCall>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether somebody was here before who must not be overtaken. */
  isBefore({ need }: DispatchCall): boolean {
    if (this.#size === 0) return false;
    return (this.#lines.get(need)?.size ?? 0) > 0 || this.#isStarving;
  }

  get #isStarving(): boolean {
    const first = this.#lines.get(ANY_ROW)?.peek();
    return first !== undefined && performance.now() - first.waitsSinceMs > MAX_OVERTAKEN_MS;
  }

  push(call: DispatchCall): void {
    let line = this.#lines.get(call.need);
    if (line === undefined) {
      line = new Fifo();
      this.#lines.set(call.need, line);
    }
    line.push(call);
    this.#size++;
  }

  /** Offers requests to `take`, first come first; of a line whose first is refused no other. */
  offer(take: (call: DispatchCall) => boolean): void {
    if (this.#size === 0) return;
    let open = [...this.#lines.values()].filter((line) => line.size > 0);
    while (open.length > 0) {
      const line = open.reduce(earlier);
      if (take(line.peek()!)) {
        line.shift();
        this.#size--;
        if (line.size > 0) continue;
      } else if (this.#isStarving) return;
      open = open.filter((other) => other !== line);
    }
  }

  /** Takes out all. */
  clear(): DispatchCall[] {
    const calls = [...this.#lines.values()].flatMap((line) => line.clear());
    this.#size = 0;
    return calls;
  }
}

function earlier(one: Fifo<DispatchCall>, other: Fifo<DispatchCall>): Fifo<DispatchCall> {
  return one.peek()!.waitsSinceMs <= other.peek()!.waitsSinceMs ? one : other;
}
