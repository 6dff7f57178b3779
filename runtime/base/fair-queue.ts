// Fair queue: round-robin over clients, FIFO within each. A client that sends a thousand requests
// at once delays only itself: other clients wait for one of its requests, not for all.
// Several queues for one resource share it by turns: the first request of a client ranks with the
// oldest waiting requests of other clients, not behind all of them.

import { Fifo } from "./fifo.js";

export interface QueueEntry {
  /** Order across queues, lowest first. */
  turn: number;
}

export class FairQueue<T extends QueueEntry> {
  size = 0;
  readonly #clientOf: (item: T) => string;
  /** Items that were served and returned: they are served first. */
  readonly #returned = new Fifo<T>();
  readonly #byClient = new Map<string, Fifo<T>>();
  /** Clients with waiting items, in the order of service. */
  readonly #turns = new Fifo<string>();
  /** Empty queue, whose buffer the next client reuses. */
  #spare: Fifo<T> | null = null;

  constructor(clientOf: (item: T) => string) {
    this.#clientOf = clientOf;
  }

  /** @param lastTurn turn of the last served item of all queues */
  push(item: T, lastTurn: number): void {
    const queue = this.#queueFor(item);
    item.turn = Math.max(lastTurn, queue.last()?.turn ?? 0) + 1;
    queue.push(item);
  }

  /** Returns an item to the front. */
  unshift(item: T): void {
    this.size++;
    this.#returned.unshift(item);
  }

  /** Returns an item to the front of its client's items. */
  requeue(item: T): void {
    this.#queueFor(item).unshift(item);
  }

  peek(): T | undefined {
    return this.#returned.peek() ?? this.#next()?.peek();
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    this.size--;
    if (this.#returned.size > 0) return this.#returned.shift();
    const queue = this.#next()!;
    const item = queue.shift();
    const client = this.#turns.shift()!;
    if (queue.size > 0) this.#turns.push(client);
    else {
      this.#byClient.delete(client);
      this.#spare = queue;
    }
    return item;
  }

  /** Yields the first item of each client, in no particular order. */
  *firsts(): Generator<readonly [client: string, item: T]> {
    for (const [client, queue] of this.#byClient) yield [client, queue.peek()!];
  }

  /** Returns the first item of the client that has been waiting longest. */
  eldest(): T | undefined {
    for (const [, item] of this.firsts()) return item;
    return undefined;
  }

  /** Returns the number of a client's items. */
  sizeOf(client: string): number {
    return this.#byClient.get(client)?.size ?? 0;
  }

  /** Returns the client with the most items and their number; null for an empty queue. */
  longest(): { readonly client: string; readonly size: number } | null {
    let found = null;
    for (const [client, { size }] of this.#byClient) {
      if (found === null || size > found.size) found = { client, size };
    }
    return found;
  }

  /** Removes and returns the last item of a client that has several. */
  pop(client: string): T | undefined {
    const queue = this.#byClient.get(client);
    if (queue === undefined || queue.size < 2) return undefined;
    this.size--;
    return queue.pop();
  }

  /** Returns the waiting items, unordered across clients. */
  items(): T[] {
    const queues = [...this.#byClient.values()].map((queue) => queue.items());
    return [this.#returned.items(), ...queues].flat();
  }

  /** Removes and returns the items for which `isOver` returns true. */
  remove(isOver: (item: T) => boolean): T[] {
    const removed: T[] = [];
    const filter = (queue: Fifo<T>): void => {
      for (const item of queue.clear()) {
        if (isOver(item)) removed.push(item);
        else queue.push(item);
      }
    };
    filter(this.#returned);
    for (const client of this.#turns.clear()) {
      const queue = this.#byClient.get(client)!;
      filter(queue);
      if (queue.size > 0) this.#turns.push(client);
      else this.#byClient.delete(client);
    }
    this.size -= removed.length;
    return removed;
  }

  /** Returns the queue of an item's client, created if missing. */
  #queueFor(item: T): Fifo<T> {
    this.size++;
    const client = this.#clientOf(item);
    let queue = this.#byClient.get(client);
    if (queue !== undefined) return queue;
    queue = this.#spare ?? new Fifo();
    this.#spare = null;
    this.#byClient.set(client, queue);
    this.#turns.push(client);
    return queue;
  }

  #next(): Fifo<T> | undefined {
    const client = this.#turns.peek();
    return client === undefined ? undefined : this.#byClient.get(client);
  }
}
