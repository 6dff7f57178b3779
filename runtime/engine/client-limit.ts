// Limits the requests that one client has in the queue and in slots at a time. Others of it wait in
// a line of their own, so that slow requests of one client leave slots to all others. Dispatchers
// send the requests of many clients, and operators are trusted: neither has a limit.

import { Fifo } from "../base/fifo.js";
import { callClientKey } from "./call-queue.js";
import type { PluginCall } from "./plugin-call.js";

export class ClientLimit {
  /** Requests that wait here. */
  size = 0;
  readonly #max: number;
  readonly #admitted = new Map<string, number>();
  readonly #lines = new Map<string, Fifo<PluginCall>>();

  /** @param max requests of one client (0: no limit) */
  constructor(max: number) {
    this.#max = max;
  }

  /** Admits a request, or keeps it until `leave` returns it. */
  enter(call: PluginCall): boolean {
    if (this.#max === 0 || call.isTrusted || call.exchange.connection.ident !== null) return true;
    const client = callClientKey(call);
    const count = this.#admitted.get(client) ?? 0;
    call.countsFor = client;
    if (count < this.#max) {
      this.#admitted.set(client, count + 1);
      return true;
    }
    const line = this.#lines.get(client) ?? new Fifo<PluginCall>();
    this.#lines.set(client, line);
    line.push(call);
    this.size++;
    return false;
  }

  /** Ends an admitted request and returns the one that its client may have in its place. */
  leave({ countsFor }: PluginCall): PluginCall | null {
    if (this.#max === 0 || countsFor === null) return null;
    const line = this.#lines.get(countsFor);
    const next = line?.shift();
    if (next !== undefined) {
      this.size--;
      if (line!.size === 0) this.#lines.delete(countsFor);
      return next;
    }
    const count = this.#admitted.get(countsFor)! - 1;
    if (count === 0) this.#admitted.delete(countsFor);
    else this.#admitted.set(countsFor, count);
    return null;
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
