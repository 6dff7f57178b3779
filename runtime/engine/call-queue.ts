// Requests waiting for a slot. Each port has one fair queue per minimum executor queue, so that a
// request restricted to few slots does not block unrestricted ones. Yet the head of a queue never
// takes a slot for which an older head of another queue waits. Clients take turns within each queue
// and across queues.

import { clientKey } from "../base/client-key.js";
import { FairQueue } from "../base/fair-queue.js";
import { MAX_QUEUE } from "../base/limits.js";
import { clientAddress } from "../http/client-address.js";
import type { PluginCall } from "./plugin-call.js";

type PortQueues = readonly FairQueue<PluginCall>[];

export class CallQueue {
  size = 0;
  /** By port and minimum executor queue. */
  readonly #queues: readonly [PortQueues, PortQueues] = [createQueues(), createQueues()];
  /** By port: the highest turn served. */
  readonly #served: [number, number] = [0, 0];
  #frontTurn = 0;

  /** Returns whether an older request waits that could use the same slots. */
  mustWait(port: 0 | 1, minQueue: number): boolean {
    if (this.size === 0) return false;
    const queues = this.#queues[port];
    for (let queue = 0; queue <= minQueue; queue++) if (queues[queue]!.size > 0) return true;
    return false;
  }

  push(call: PluginCall): void {
    this.size++;
    this.#queues[call.slots][call.minQueue]!.push(call, this.#served[call.slots]);
  }

  /** Returns a request to the front. */
  unshift(call: PluginCall): void {
    this.size++;
    call.turn = this.#frontTurn--;
    this.#queues[call.slots][call.minQueue]!.unshift(call);
  }

  /** Requeues preempted requests of one port in the order of their arrival. */
  requeue(calls: readonly PluginCall[]): void {
    const countsByClient = new Map<string, number>();
    for (const call of calls) {
      const client = callClientKey(call);
      const count = (countsByClient.get(client) ?? 0) + 1;
      countsByClient.set(client, count);
      call.turn = this.#served[call.slots] + count;
    }
    for (const call of [...calls].reverse()) {
      this.size++;
      this.#queues[call.slots][call.minQueue]!.requeue(call);
    }
  }

  *calls(): Generator<PluginCall> {
    for (const queue of this.#queues.flat()) yield* queue.items();
  }

  /**
   * Yields the clients that wait for slots of a port, with the first of their requests in each
   * queue.
   */
  *firsts(port: 0 | 1): Generator<readonly [client: string, call: PluginCall]> {
    for (const queue of this.#queues[port]) yield* queue.firsts();
  }

  /** Offers requests to `take`, client by client; `take` returns false without a free slot. */
  offer(take: (call: PluginCall) => boolean): void {
    for (const port of [0, 1] as const) {
      const queues = this.#queues[port];
      // Bit set of the queues whose first request found no slot.
      let closed = 0;
      for (let at = findOldest(queues, closed); at >= 0; at = findOldest(queues, closed)) {
        const queue = queues[at]!;
        const call = queue.peek()!;
        if (take(call)) {
          queue.shift();
          this.size--;
          if (call.turn > this.#served[port]) this.#served[port] = call.turn;
        } else closed |= 1 << at;
      }
    }
  }

  /** Removes and returns the requests for which `isOver` returns true. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    if (this.size === 0) return [];
    const removed = this.#queues.flat().flatMap((queue) => queue.remove(isOver));
    this.size -= removed.length;
    return removed;
  }
}

function createQueues(): PortQueues {
  return Array.from({ length: MAX_QUEUE + 1 }, () => new FairQueue(callClientKey));
}

/**
 * Returns the key of a request's client: its address. A dispatcher is a separate client, because
 * others may be on the same host.
 */
export function callClientKey({ exchange }: PluginCall): string {
  const key = clientKey(clientAddress(exchange));
  return exchange.connection.ident === null ? key : `dispatcher ${key}`;
}

/** Returns the queue with the oldest first request, except `closed` ones; -1 for none. */
function findOldest(queues: PortQueues, closed: number): number {
  let oldest = -1;
  let turn = Number.POSITIVE_INFINITY;
  for (let queue = 0; queue < queues.length; queue++) {
    if ((closed & (1 << queue)) !== 0) continue;
    const call = queues[queue]!.peek();
    if (call === undefined || call.turn >= turn) continue;
    oldest = queue;
    turn = call.turn;
  }
  return oldest;
}
