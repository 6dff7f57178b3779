// A line in which clients take turns: each one's requests are served in the order in which they
// came, but between two of them everybody else's next one is. So a client that sends a thousand
// requests at once waits for itself; others wait for one of its requests, not for all.
//
// Several lines for the same thing share it out by turns: the first request of a client stands
// beside the first that others still have waiting, not behind all of them.

import { Fifo } from "./fifo.js";

export interface QueueEntry {
  /** Lower ones go first, of different lines. */
  turn: number;
}

export class FairQueue<T extends QueueEntry> {
  size = 0;
  readonly #clientOf: (item: T) => string;
  /** Those that were served before and could not be answered: they go first. */
  readonly #returned = new Fifo<T>();
  readonly #byClient = new Map<string, Fifo<T>>();
  /** Clients that wait, the next one to be served first. */
  readonly #turns = new Fifo<string>();

  constructor(clientOf: (item: T) => string) {
    this.#clientOf = clientOf;
  }

  /** @param served turn of the last one that was served, of any line */
  push(item: T, served: number): void {
    const line = this.#lineOf(item);
    item.turn = Math.max(served, line.last()?.turn ?? 0) + 1;
    line.push(item);
  }

  /** Puts one back before all others. */
  unshift(item: T): void {
    this.size++;
    this.#returned.unshift(item);
  }

  /** Puts one back before the others of its client. */
  giveBack(item: T): void {
    this.#lineOf(item).unshift(item);
  }

  peek(): T | undefined {
    return this.#returned.peek() ?? this.#next()?.peek();
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    this.size--;
    if (this.#returned.size > 0) return this.#returned.shift();
    const line = this.#next()!;
    const item = line.shift();
    const client = this.#turns.shift()!;
    if (line.size > 0) this.#turns.push(client);
    else this.#byClient.delete(client);
    return item;
  }

  /** The first one of each client, in no particular order. */
  *firsts(): Generator<readonly [client: string, item: T]> {
    for (const [client, line] of this.#byClient) yield [client, line.peek()!];
  }

  /** The first one of the client that has been here without a break for longest. */
  eldest(): T | undefined {
    for (const [, item] of this.firsts()) return item;
    return undefined;
  }

  /** How many a client has here. */
  sizeOf(client: string): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  /** The client that has most here, with how many; null where nobody waits. */
  longest(): { readonly client: string; readonly size: number } | null {
    let found = null;
    for (const [client, { size }] of this.#byClient) {
      if (found === null || size > found.size) found = { client, size };
    }
    return found;
  }

  /** Takes out the last one of a client that has several. */
  pop(client: string): T | undefined {
    const line = this.#byClient.get(client);
    if (line === undefined || line.size < 2) return undefined;
    this.size--;
    return line.pop();
  }

  /** What waits, in no particular order between clients. */
  items(): T[] {
    const lines = [...this.#byClient.values()].map((line) => line.items());
    return [this.#returned.items(), ...lines].flat();
  }

  /** Takes out those that `isOver` names. */
  remove(isOver: (item: T) => boolean): T[] {
    const removed: T[] = [];
    const filter = (line: Fifo<T>): void => {
      for (const item of line.clear()) {
        if (isOver(item)) removed.push(item);
        else line.push(item);
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

  /** For one more. */
  #lineOf(item: T): Fifo<T> {
    this.size++;
    const client = this.#clientOf(item);
    let line = this.#byClient.get(client);
    if (line !== undefined) return line;
    line = new Fifo();
    this.#byClient.set(client, line);
    this.#turns.push(client);
    return line;
  }

  #next(): Fifo<T> | undefined {
    const client = this.#turns.peek();
    return client === undefined ? undefined : this.#byClient.get(client);
  }
}
