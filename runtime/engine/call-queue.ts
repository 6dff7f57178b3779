// Requests waiting for a slot. Each port has one fair queue per minimum executor queue: a request
// restricted to few slots does not block unrestricted ones (no head-of-line blocking across
// queues), yet the head of a queue never takes a slot for which an older head of another queue
// waits. Clients take turns within each queue and across queues.

import { clientKey } from "../base/client-key.js";
import { FairQueue } from "../base/fair-queue.js";
import { MAX_QUEUE } from "../base/limits.js";
import { clientAddress } from "../http/client-address.js";
import type { PluginCall } from "./plugin-call.js";

type Lines = readonly FairQueue<PluginCall>[];

export class CallQueue {
  size = 0;
  /** By port and minimum executor queue. */
  readonly #lines: readonly [Lines, Lines] = [newLines(), newLines()];
  /** By port, the turn that was served last. */
  readonly #served: [number, number] = [0, 0];
  #frontTurn = 0;

  /** Returns whether an older request waits that could use the same slots. */
  isBefore(port: 0 | 1, minQueue: number): boolean {
    if (this.size === 0) return false;
    const lines = this.#lines[port];
    for (let queue = 0; queue <= minQueue; queue++) if (lines[queue]!.size > 0) return true;
    return false;
  }

  push(call: PluginCall): void {
    this.size++;
    this.#lines[call.slots][call.minQueue]!.push(call, this.#served[call.slots]);
  }

  /** Returns a request to the front. */
  unshift(call: PluginCall): void {
    this.size++;
    call.turn = this.#frontTurn--;
    this.#lines[call.slots][call.minQueue]!.unshift(call);
  }

  /** Requeues preempted requests of one port in the order of their arrival. */
  requeue(calls: readonly PluginCall[]): void {
    const given = new Map<string, number>();
    for (const call of calls) {
      const client = callClientKey(call);
      const count = (given.get(client) ?? 0) + 1;
      given.set(client, count);
      call.turn = this.#served[call.slots] + count;
    }
    for (const call of [...calls].reverse()) {
      this.size++;
      this.#lines[call.slots][call.minQueue]!.requeue(call);
    }
  }

  *calls(): Generator<PluginCall> {
    for (const line of this.#lines.flat()) yield* line.items();
  }

  /**
   * Yields the clients that wait for slots of a port, with the first of their requests in each
   * queue.
   */
  *firsts(port: 0 | 1): Generator<readonly [client: string, call: PluginCall]> {
    for (const line of this.#lines[port]) yield* line.firsts();
  }

  /** Offers requests to `take`, client by client; it returns whether there was a slot. */
  offer(take: (call: PluginCall) => boolean): void {
    for (const port of [0, 1] as const) {
      const lines = this.#lines[port];
      // Bit set of the queues whose first request found no slot.
      let closed = 0;
      for (let queue = first(lines, closed); queue >= 0; queue = first(lines, closed)) {
        const line = lines[queue]!;
        const call = line.peek()!;
        if (take(call)) {
          line.shift();
          this.size--;
          if (call.turn > this.#served[port]) this.#served[port] = call.turn;
        } else closed |= 1 << queue;
      }
    }
  }

  /** Removes and returns the requests for which `isOver` returns true. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    if (this.size === 0) return [];
    const removed = this.#lines.flat().flatMap((line) => line.remove(isOver));
    this.size -= removed.length;
    return removed;
  }
}

function newLines(): Lines {
  return Array.from({ length: MAX_QUEUE + 1 }, () => new FairQueue(callClientKey));
}

/**
 * Returns the key of a request's client: its address. A dispatcher is a client of its own, since
 * others may be on the same host.
 */
export function callClientKey({ exchange }: PluginCall): string {
  const key = clientKey(clientAddress(exchange));
  return exchange.connection.ident === null ? key : `dispatcher ${key}`;
}

/** Returns the open queue with the oldest first request, -1 for none. */
function first(lines: Lines, closed: number): number {
  let found = -1;
  let turn = Number.POSITIVE_INFINITY;
  for (let queue = 0; queue < lines.length; queue++) {
    if ((closed & (1 << queue)) !== 0) continue;
    const call = lines[queue]!.peek();
    if (call === undefined || call.turn >= turn) continue;
    found = queue;
    turn = call.turn;
  }
  return found;
}
