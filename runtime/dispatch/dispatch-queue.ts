// Requests that wait for a free channel, in one fair queue per resource: feeders that wait for the
// only channel of a primary replica do not delay queries that any replica can serve. A query that
// needs channels of many partitions at once would starve behind single-partition ones, so after a
// while nothing overtakes it. Clients take turns, within and across queues.

import { FairQueue } from "../base/fair-queue.js";
import { MAX_DISPATCH_BACKLOG, MAX_QUEUE_BYPASS_MS } from "../base/limits.js";
import { ANY_ROW, type DispatchCall } from "./dispatch-call.js";

type ResourceQueue = FairQueue<DispatchCall>;

export class DispatchQueue {
  /** By `DispatchCall.queueKey`. */
  readonly #queues = new Map<number, ResourceQueue>();
  #size = 0;
  /** Highest turn served. */
  #served = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns whether a call must not overtake a waiting one. */
  mustWait({ queueKey }: DispatchCall): boolean {
    if (this.#size === 0) return false;
    return (this.#queues.get(queueKey)?.size ?? 0) > 0 || this.#isStarving;
  }

  get #isStarving(): boolean {
    const eldest = this.#queues.get(ANY_ROW)?.eldest();
    return eldest !== undefined && performance.now() - eldest.waitsSinceMs > MAX_QUEUE_BYPASS_MS;
  }

  push(call: DispatchCall): void {
    let line = this.#queues.get(call.queueKey);
    if (line === undefined) {
      line = new FairQueue(({ dispatch }) => dispatch.client);
      this.#queues.set(call.queueKey, line);
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
    let longestSize = 1;
    let longest: ResourceQueue | null = null;
    for (const line of this.#queues.values()) {
      const size = line.longest()?.size ?? 0;
      if (size <= longestSize) continue;
      longestSize = size;
      longest = line;
    }
    const ownSize = [...this.#queues.values()].reduce((sum, line) => sum + line.sizeOf(client), 0);
    if (longest === null || longestSize <= ownSize + 1) return call;
    this.#size--;
    return longest.pop(longest.longest()!.client)!;
  }

  /** Offers waiting calls to `take`, clients in turn; a queue whose call is refused is skipped. */
  offer(take: (call: DispatchCall) => boolean): void {
    if (this.#size === 0) return;
    let open = [...this.#queues.values()].filter((line) => line.size > 0);
    while (open.length > 0) {
      const queue = open.reduce(earlier);
      const call = queue.peek()!;
      if (take(call)) {
        queue.shift();
        this.#size--;
        if (call.turn > this.#served) this.#served = call.turn;
        if (queue.size > 0) continue;
      } else if (this.#isStarving) return;
      open = open.filter((candidate) => candidate !== queue);
    }
  }

  /** Removes and returns matching calls. */
  remove(isOver: (call: DispatchCall) => boolean): DispatchCall[] {
    const calls = [...this.#queues.values()].flatMap((line) => line.remove(isOver));
    this.#size -= calls.length;
    return calls;
  }

  /** Removes and returns all calls. */
  clear(): DispatchCall[] {
    return this.remove(() => true);
  }
}

/** Returns the queue whose first call has the lower turn; on a tie, has waited longer. */
function earlier(queue: ResourceQueue, otherQueue: ResourceQueue): ResourceQueue {
  const [first, second] = [queue.peek()!, otherQueue.peek()!];
  if (first.turn !== second.turn) return first.turn < second.turn ? queue : otherQueue;
  return first.waitsSinceMs <= second.waitsSinceMs ? queue : otherQueue;
}
