// Limits the requests that one client has in the queue and in slots at a time. Others of it wait in
// a line of their own, so that slow requests of one client leave slots to all others. A client gets
// another slot only if more are free than it holds: n clients with many requests hold 1 / (n + 1)
// of the slots each, and leave as many to the next one. Dispatchers send the requests of many
// clients, and operators are trusted: neither has a limit.

import { Fifo } from "../base/fifo.js";
import { MAIN_SLOTS } from "../base/limits.js";
import { callClientKey } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";

/** Clients without requests whose counts stay: removing and adding one takes more memory. */
const KEPT_CLIENTS = 100;

export class ClientLimit {
  /** Requests that wait here. */
  size = 0;
  readonly #max: number;
  /** Slots that clients share, less those of admitted requests. */
  #free: number;
  readonly #admitted = new Map<string, number>();
  readonly #lines = new Map<string, Fifo<PluginCall>>();

  /** @param max requests of one client (0: no limit) */
  constructor(max: number) {
    this.#max = max;
    this.#free = Math.max(MAIN_SLOTS, 2 * max);
  }

  /** Admits a request, or keeps it until `leave` returns it. */
  enter(call: PluginCall): boolean {
    if (this.#max === 0 || call.isTrusted || call.exchange.connection.ident !== null) return true;
    const client = callClientKey(call);
    call.countsFor = client;
    if (this.#mayHaveMore(client)) {
      this.#count(client, 1);
      return true;
    }
    const line = this.#lines.get(client) ?? new Fifo<PluginCall>();
    this.#lines.set(client, line);
    line.push(call);
    this.size++;
    return false;
  }

  /** The first request of a client always has its turn in the queue. */
  #mayHaveMore(client: string): boolean {
    const count = this.#admitted.get(client) ?? 0;
    return count === 0 || (count < this.#max && count < this.#free);
  }

  #count(client: string, change: 1 | -1): void {
    const count = (this.#admitted.get(client) ?? 0) + change;
    if (count === 0 && this.#admitted.size > KEPT_CLIENTS) this.#admitted.delete(client);
    else this.#admitted.set(client, count);
    this.#free -= change;
  }

  /** Ends an admitted request and returns the one that may be in its place. */
  leave({ countsFor }: PluginCall): PluginCall | null {
    if (this.#max === 0 || countsFor === null) return null;
    this.#count(countsFor, -1);
    // Every client with a line keeps at least one admitted request.
    const isNext = this.#lines.has(countsFor) && !this.#admitted.get(countsFor);
    if (isNext) return this.#next(countsFor);
    // With few free slots this would look through the lines of many clients for nothing.
    if (this.#free <= 1) return null;
    for (const client of this.#lines.keys()) {
      if (this.#mayHaveMore(client)) return this.#next(client);
    }
    return null;
  }

  #next(client: string): PluginCall {
    const line = this.#lines.get(client)!;
    const call = line.shift()!;
    this.size--;
    const isAlone = this.#lines.size === 1;
    if (line.size === 0 || !isAlone) this.#lines.delete(client);
    // To the end, so that clients take turns.
    if (line.size > 0 && !isAlone) this.#lines.set(client, line);
    this.#count(client, 1);
    return call;
  }

  *calls(): Generator<PluginCall> {
    for (const line of this.#lines.values()) yield* line.items();
  }

  /** Takes out the waiting requests that `isOver` names. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    const removed: PluginCall[] = [];
    for (const [client, line] of this.#lines) {
      for (const call of line.clear()) {
        if (isOver(call)) removed.push(call);
        else line.push(call);
      }
      if (line.size === 0) this.#lines.delete(client);
    }
    this.size -= removed.length;
    return removed;
  }
}
