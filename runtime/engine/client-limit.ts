// Limits the concurrent requests of each client in the queue and in slots. Further ones wait in a
// backlog per client, so that slow requests of one client leave slots to all others. A client gets
// another slot only if more slots are free than it holds: n clients with many requests hold
// 1 / (n + 1) of the slots each, and leave as many to the next client. Dispatchers, which send the
// requests of many clients, and trusted operators have no limit.

import { Fifo } from "../base/fifo.js";
import { MAIN_SLOTS } from "../base/limits.js";
import { callClientKey } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";

/** Number of retained clients without requests: removing and adding entries takes more memory. */
const RETAINED_CLIENTS = 100;

export class ClientLimit {
  /** Number of requests in backlogs. */
  size = 0;
  readonly #max: number;
  /** Slots shared by clients, minus admitted requests. */
  #free: number;
  readonly #admitted = new Map<string, number>();
  readonly #backlogs = new Map<string, Fifo<PluginCall>>();
  /** Empty backlog, whose buffer the next client with a backlog reuses. */
  #spare: Fifo<PluginCall> | null = null;

  /** @param max requests of one client (0: no limit) */
  constructor(max: number) {
    this.#max = max;
    this.#free = Math.max(MAIN_SLOTS, 2 * max);
  }

  /** Admits a request, or holds it until `release` returns it; false: it is held. */
  admit(call: PluginCall): boolean {
    if (this.#max === 0 || call.isTrusted || call.exchange.connection.ident !== null) return true;
    const client = callClientKey(call);
    call.limitedClient = client;
    if (this.#mayHaveMore(client)) {
      this.#count(client, 1);
      return true;
    }
    this.#backlogOf(client).push(call);
    this.size++;
    return false;
  }

  /** Returns whether a client may have another request in the queue; one is always allowed. */
  #mayHaveMore(client: string): boolean {
    const count = this.#admitted.get(client) ?? 0;
    return count === 0 || (count < this.#max && count < this.#free);
  }

  #count(client: string, change: 1 | -1): void {
    const count = (this.#admitted.get(client) ?? 0) + change;
    if (count === 0 && this.#admitted.size > RETAINED_CLIENTS) this.#admitted.delete(client);
    else this.#admitted.set(client, count);
    this.#free -= change;
  }

  /** Ends an admitted request and returns the next one that is admitted; null: none. */
  release({ limitedClient }: PluginCall): PluginCall | null {
    if (this.#max === 0 || limitedClient === null) return null;
    this.#count(limitedClient, -1);
    if (this.#backlogs.size === 0) return null;
    // Usually only this client has a backlog: the loop below would allocate an iterator.
    const isAlone = this.#backlogs.size === 1 && this.#backlogs.has(limitedClient);
    if (isAlone) return this.#mayHaveMore(limitedClient) ? this.#next(limitedClient) : null;
    // A client with a backlog always has at least one admitted request.
    const isNext = this.#backlogs.has(limitedClient) && !this.#admitted.get(limitedClient);
    if (isNext) return this.#next(limitedClient);
    // With at most one free slot, no client in the following loop may have another request.
    if (this.#free <= 1) return null;
    for (const client of this.#backlogs.keys()) {
      if (this.#mayHaveMore(client)) return this.#next(client);
    }
    return null;
  }

  #backlogOf(client: string): Fifo<PluginCall> {
    let backlog = this.#backlogs.get(client);
    if (backlog !== undefined) return backlog;
    backlog = this.#spare ?? new Fifo();
    this.#spare = null;
    this.#backlogs.set(client, backlog);
    return backlog;
  }

  #next(client: string): PluginCall {
    const backlog = this.#backlogs.get(client)!;
    const call = backlog.shift()!;
    this.size--;
    const isAlone = this.#backlogs.size === 1;
    if (backlog.size === 0 || !isAlone) this.#backlogs.delete(client);
    // Moved to the end, so that clients take turns.
    if (backlog.size === 0) this.#spare = backlog;
    else if (!isAlone) this.#backlogs.set(client, backlog);
    this.#count(client, 1);
    return call;
  }

  *calls(): Generator<PluginCall> {
    for (const backlog of this.#backlogs.values()) yield* backlog.items();
  }

  /** Removes and returns the held requests for which `isOver` returns true. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    const removed: PluginCall[] = [];
    for (const [client, backlog] of this.#backlogs) {
      for (const call of backlog.clear()) {
        if (isOver(call)) removed.push(call);
        else backlog.push(call);
      }
      if (backlog.size === 0) this.#backlogs.delete(client);
    }
    this.size -= removed.length;
    return removed;
  }
}
