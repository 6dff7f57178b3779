// Queue of requests that found no free channel, in arrival order. There is one line per resource:
// feeders waiting for the one channel of a primary replica do not delay queries that any replica
// can serve. A query that needs channels of many partitions at once would starve behind
// single-partition ones, so after a while nothing overtakes it. Clients take turns, within and
// across lines.

import { FairQueue } from "../base/fair-queue.js";
import { MAX_DISPATCH_BACKLOG, MAX_QUEUE_BYPASS_MS } from "../base/limits.js";
import { ANY_ROW, type DispatchCall } from "./dispatch-call.js";

type Line = FairQueue<DispatchCall>;

export class DispatchQueue {
  /** By `DispatchCall.need`. */
  readonly #lines = new Map<number, Line>();
  #size = 0;
  /** Highest turn served. */
  #served = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns whether an earlier call must not be overtaken. */
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
   * Makes room when the queue is full: removes the last request of the client with the most waiting
   * ones. Returns that request, null if there is room, or `call` itself if its client has as many.
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

  /** Offers waiting calls to `take`, each client's first in turn; a refused line is skipped. */
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

  /** Removes and returns matching calls. */
  remove(isOver: (call: DispatchCall) => boolean): DispatchCall[] {
    const calls = [...this.#lines.values()].flatMap((line) => line.remove(isOver));
    this.#size -= calls.length;
    return calls;
  }

  /** Removes and returns all calls. */
  clear(): DispatchCall[] {
    return this.remove(() => true);
  }
}

/** Returns the line with the lower turn; on a tie, the one that waited longer. */
function earlier(one: Line, other: Line): Line {
  const [first, second] = [one.peek()!, other.peek()!];
  if (first.turn !== second.turn) return first.turn < second.turn ? one : other;
  return first.waitsSinceMs <= second.waitsSinceMs ? one : other;
}
