// A line in which clients take turns: each one's requests are served in the order in which they
// came, but between two of them everybody else's next one is. So a client that sends a thousand
// requests at once waits for itself; others wait for one of its requests, not for all.

import { Fifo } from "../base/fifo.js";
import { clientKey } from "../http/client-key.js";
import type { PluginCall } from "./plugin-call.js";

export class FairLine {
  size = 0;
  /** Those that were served before and could not be answered: they go first. */
  readonly #returned = new Fifo<PluginCall>();
  readonly #byClient = new Map<string, Fifo<PluginCall>>();
  /** Clients that wait, the next one to be served first. */
  readonly #turns = new Fifo<string>();

  push(call: PluginCall): void {
    this.size++;
    const client = clientKey(call.exchange.connection.remoteAddress);
    const waiting = this.#byClient.get(client);
    if (waiting !== undefined) return waiting.push(call);
    const line = new Fifo<PluginCall>();
    line.push(call);
    this.#byClient.set(client, line);
    this.#turns.push(client);
  }

  unshift(call: PluginCall): void {
    this.size++;
    this.#returned.unshift(call);
  }

  peek(): PluginCall | undefined {
    return this.#returned.peek() ?? this.#next()?.peek();
  }

  shift(): PluginCall | undefined {
    if (this.size === 0) return undefined;
    this.size--;
    if (this.#returned.size > 0) return this.#returned.shift();
    const line = this.#next()!;
    const call = line.shift();
    const client = this.#turns.shift()!;
    if (line.size > 0) this.#turns.push(client);
    else this.#byClient.delete(client);
    return call;
  }

  /** What waits, in no particular order between clients. */
  items(): PluginCall[] {
    const lines = [...this.#byClient.values()].map((line) => line.items());
    return [this.#returned.items(), ...lines].flat();
  }

  /** Takes out those that `isOver` names. */
  remove(isOver: (call: PluginCall) => boolean): PluginCall[] {
    const removed: PluginCall[] = [];
    const filter = (line: Fifo<PluginCall>): void => {
      for (const call of line.clear()) {
        if (isOver(call)) removed.push(call);
        else line.push(call);
      }
    };
    filter(this.#returned);
    for (const client of this.#turns.clear()) {
      const line = this.#byClient.get(client)!;
      filter(line);
      if (line.size > 0) this.#turns.push(client);
      else this.#byClient.delete(client);
    }
    this.size -= removed.length;
    return removed;
  }

  #next(): Fifo<PluginCall> | undefined {
    const client = this.#turns.peek();
    return client === undefined ? undefined : this.#byClient.get(client);
  }
}
