// Requests that found no free channel, in the order in which they came. There is a line for each
// thing that requests wait for: feeders that need the one channel of a primary replica do not hold
// up queries that any replica could answer. A query that needs channels of many partitions at once
// would wait for ever behind those that need one each: after a while nobody overtakes it. Clients
// take turns, in each line and between lines.

import { FairQueue } from "../base/fair-queue.js";
import { MAX_DISPATCH_BACKLOG, MAX_QUEUE_BYPASS_MS } from "../base/limits.js";
import { ANY_ROW, type DispatchCall } from "./dispatch-call.js";

type Line = FairQueue<DispatchCall>;

export class DispatchQueue {
  /** By `DispatchCall.need`. */
  readonly #lines = new Map<number, Line>();
  #size = 0;
  /** The turn that was served last. */
  #served = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether somebody was here before who must not be overtaken. */
  isBefore({ need }: DispatchCall): boolean {
    if (this.#size === 0) return false;
    return (this.#lines.get(need)?.size ?? 0) > 0 || this.#isStarving;
  }

  get #isStarving(): boolean {
    const eldest = this.#lines.get(ANY_ROW)?.eldest();
    return eldest !== undefined && performance.now() - eldest.waitsSinceMs > MAX_QUEUE_BYPASS_MS;
  }

  push(call: DispatchCall): void {
    let line = this.#lines.get(call.need);
    if (line === undefined) {
      line = new FairQueue(({ dispatch }) => dispatch.client);
      this.#lines.set(call.need, line);
    }
    line.push(call, this.#served);
    this.#size++;
  }

  /**
   * Makes room for one more where there is none: takes out the last request of the client that has
   * most here. Returns that, null where there is room, and `call` itself if its client has as many.
   */
  makeRoom(call: DispatchCall): DispatchCall | null {
    if (this.#size < MAX_DISPATCH_BACKLOG) return null;
    const { client } = call.dispatch;
    let most = 1;
    let longest: Line | null = null;
    for (const line of this.#lines.values()) {
      const size = line.longest()?.size ?? 0;
      if (size <= most) continue;
      most = size;
      longest = line;
    }
    const mine = [...this.#lines.values()].reduce((sum, line) => sum + line.sizeOf(client), 0);
    if (longest === null || most <= mine + 1) return call;
    this.#size--;
    return longest.pop(longest.longest()!.client)!;
  }

  /** Offers requests to `take`, each client's first in turn; of a line that is refused no other. */
  offer(take: (call: DispatchCall) => boolean): void {
    if (this.#size === 0) return;
    let open = [...this.#lines.values()].filter((line) => line.size > 0);
    while (open.length > 0) {
      const line = open.reduce(earlier);
      const call = line.peek()!;
      if (take(call)) {
        line.shift();
        this.#size--;
        if (call.turn > this.#served) this.#served = call.turn;
        if (line.size > 0) continue;
      } else if (this.#isStarving) return;
      open = open.filter((other) => other !== line);
    }
  }

  /** Takes out those that `isOver` names. */
  remove(isOver: (call: DispatchCall) => boolean): DispatchCall[] {
    const calls = [...this.#lines.values()].flatMap((line) => line.remove(isOver));
    this.#size -= calls.length;
    return calls;
  }

  /** Takes out all. */
  clear(): DispatchCall[] {
    return this.remove(() => true);
  }
}

/** That of the lower turn; of equals, the one that has waited longer. */
function earlier(one: Line, other: Line): Line {
  const [first, second] = [one.peek()!, other.peek()!];
  if (first.turn !== second.turn) return first.turn < second.turn ? one : other;
  return first.waitsSinceMs <= second.waitsSinceMs ? one : other;
}
